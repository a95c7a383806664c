// `fuzz import FILE.wasm|.wat|.wast`: WebAssembly as programs of ours. A module becomes the program of
// one export; a script one program for each export that it calls and each state of the instance in
// which it does, with a run line for each assertion.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { ImportError } from "../src/import/import-error.js";
import { functionsOf, type Imported, importWasm } from "../src/import/import-wasm.js";
import { openWasmReader, type WasmReader } from "../src/import/read-wasm.js";
import { readScript } from "../src/import/script.js";
import { faultOfCase, programsOf, type ScriptProgram } from "../src/import/script-programs.js";
import type { WasmModule } from "../src/import/wasm-module.js";
import type { Outcome } from "../src/ir/outcome.js";
import { printModule } from "../src/ir/text/print.js";
import { printExpectation, printInput } from "../src/ir/text/run-line.js";
import { sizeOf } from "../src/ir/types.js";
import { decodeModule } from "../src/oracle/decode.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { Oracle } from "../src/oracle/oracle.js";
import { reasonOf } from "../src/support/machine-error.js";
import { printLine, readUserFile, readUserText, STATUS, usageError } from "./support/output.js";

interface ImportArgs {
  readonly file: string;
  readonly export: string | undefined;
  readonly out: string | undefined;
}

export async function run({ file, export: name, out }: ImportArgs): Promise<number> {
  const reader = await openWasmReader();
  return imported(file, () => {
    if (extname(file) === ".wast") return importScript(file, name, out, reader);
    const wasm = readModule(file, reader);
    const { module } = importWasm(wasm, name ?? onlyExport(wasm));
    write(out, `${headOf(file)}\n${printModule(module)}`);
    return STATUS.nothingFound;
  });
}

/** Runs what imports a file; what cannot be imported is one line with the file. */
export function imported<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    // wabt names the file of a text itself.
    const message = error.message.startsWith(`${file}:`)
      ? error.message
      : `${file}: ${error.message}`;
    throw usageError(message);
  }
}

/** A module of a file named .wasm or .wat. */
export function readModule(file: string, reader: WasmReader): WasmModule {
  const kind = extname(file);
  if (kind === ".wasm") return reader.readBinary(readUserFile(file));
  if (kind === ".wat") return reader.readText(readUserText(file), file);
  throw usageError(`${file}: expected a file named .wasm, .wat or .wast`);
}

function onlyExport(wasm: WasmModule): string {
  const names = functionsOf(wasm).map(({ name }) => name);
  if (names.length === 1) return names[0];
  if (names.length === 0) throw new ImportError("no function is exported");
  throw new ImportError(`give --export, one of ${names.slice(0, 20).join(", ")}`);
}

function importScript(
  file: string,
  name: string | undefined,
  out: string | undefined,
  reader: WasmReader,
): number {
  const script = readScript(readUserText(file), file, reader);
  const { programs, outside } = programsOf(script);
  for (const { line, message } of [...script.outside, ...outside]) {
    printLine(`; ${file}:${line}: left out: ${message}`);
  }
  const chosen = programs.filter(({ cases: [{ name: of }] }) => name === undefined || of === name);
  if (out === undefined && chosen.length !== 1) {
    const names = new Set(programs.map(({ cases }) => cases[0].name ?? "instantiate"));
    const known = [...names].slice(0, 20).join(", ");
    throw usageError(
      `${file}: ${chosen.length} programs: give --out FOLDER, or --export: ${known}`,
    );
  }
  let unexpected = 0;
  for (const program of chosen) {
    const { lines, faults } = runLinesOf(program);
    unexpected += faults.length;
    for (const fault of faults) printLine(`; ${file}:${fault}`);
    const text = `${headOf(file)}\n${printModule(program.imported.module)}\n${lines.join("")}`;
    write(out === undefined ? undefined : join(out, fileNameOf(program)), text);
  }
  return unexpected === 0 ? STATUS.nothingFound : STATUS.found;
}

/** A run line for each case, as the script expects it. */
function runLinesOf({ imported: made, cases, inputs }: ScriptProgram): {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
} {
  const program = decodeModule(made.module);
  const oracle = new Oracle();
  const lines: string[] = [];
  const faults: string[] = [];
  cases.forEach((each, i) => {
    const outcome = oracle.run(program, inputs[i], DEFAULT_FUEL);
    const fault = faultOfCase(made, each, outcome);
    if (fault !== null) faults.push(`${each.line}: ${fault}`);
    const says = fault === null ? expectationOf(made, outcome) : null;
    const call = printInput(made.module, inputs[i]);
    lines.push(`; run: ${call}${says === null ? "" : ` = ${says}`} ; line ${each.line}\n`);
  });
  return { lines, faults };
}

/** What a run line says of an outcome that is as expected: traps and further results in full. */
function expectationOf({ results, resultsAt }: Imported, { ending }: Outcome): string | null {
  if (ending.kind === "out-of-fuel") return printExpectation({ ending, heap: [] });
  if (ending.kind === "exit") {
    return printExpectation({ ending: { ...ending, resumed: [] }, heap: [] });
  }
  if (ending.kind !== "return") return null;
  const heap = results.slice(1).flatMap((type, i) => {
    const offset = resultsAt + 8 * i;
    const bytes = ending.heap.bytes.subarray(offset, offset + sizeOf(type));
    return ending.heap.anyNaN.some((at, n) => n % 2 === 0 && at === offset)
      ? []
      : [{ offset, bytes }];
  });
  return printExpectation({ ending, heap });
}

const headOf = (file: string): string => `; Imported from ${basename(file)}.\n`;

const fileNameOf = ({ name }: ScriptProgram): string =>
  `${name.replace(/[^\w.-]+/g, "-").slice(0, NAME_MAX)}.ir`;
const NAME_MAX = 100;

function write(out: string | undefined, text: string): void {
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, text);
  } catch (error) {
    throw usageError(`--out ${out}: cannot be written: ${reasonOf(error)}`);
  }
  printLine(`; ${out}`);
}
