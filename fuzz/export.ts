// `fuzz export FILE.ir --to wasm|c|llvm|lua`: the program in a format of others, with all that it needs inside.

import { writeFileSync } from "node:fs";
import { exportC } from "../src/export/c/export-c.js";
import { exportLlvm } from "../src/export/llvm/export-llvm.js";
import { exportLua } from "../src/export/lua/export-lua.js";
import { exportWasm } from "../src/export/wasm/export-wasm.js";
import type { Module } from "../src/ir/procedure.js";
import { reasonOf } from "../src/support/machine-error.js";
import { printLine, STATUS, usageError } from "./support/output.js";
import { readProgram } from "./support/program-file.js";

interface ExportArgs {
  readonly file: string;
  readonly to: string;
  readonly out: string | undefined;
}

/** By the name of a format: what makes it of a module. */
const FORMATS: Readonly<Record<string, (module: Module) => Uint8Array>> = {
  wasm: (module) => exportWasm(module).bytes,
  c: (module) => new TextEncoder().encode(exportC([module])),
  lua: (module) => new TextEncoder().encode(exportLua([module])),
  llvm: (module) => new TextEncoder().encode(exportLlvm([module])),
};

export async function run({ file, to, out }: ExportArgs): Promise<number> {
  const format = FORMATS[to];
  if (format === undefined) {
    throw usageError(`--to ${to}: expected one of ${Object.keys(FORMATS).join(", ")}`);
  }
  const { module } = readProgram(file, undefined);
  const bytes = format(module);
  if (out === undefined) {
    process.stdout.write(bytes);
    return STATUS.nothingFound;
  }
  try {
    writeFileSync(out, bytes);
  } catch (error) {
    throw usageError(`--out ${out}: cannot be written: ${reasonOf(error)}`);
  }
  printLine(`${out}: ${bytes.length} bytes`);
  return STATUS.nothingFound;
}
