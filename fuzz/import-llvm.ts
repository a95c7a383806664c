// Imports one function of LLVM IR for `fuzz import x.ll`.

import { basename } from "node:path";
import { importLlvm } from "../src/import/llvm/import-llvm.js";
import { layoutFor, subjectOf } from "../src/import/llvm/subject.js";
import { LlvmError } from "../src/llvm/llvm-error.js";
import type { LlvmModule } from "../src/llvm/module.js";
import { parseLlvm } from "../src/llvm/parse.js";
import { LlvmInputs } from "../src/phases/llvm-inputs.js";
import { SeedSource } from "../src/support/source.js";
import { readUserText, usageError } from "./support/output.js";
import { withRunLines, writeImported } from "./support/write-imported.js";

interface LlvmImportArgs {
  readonly file: string;
  readonly export: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

/** The run lines of a program. */
const RUNS = 4;

export function importLlvmFile({ file, export: given, out, json }: LlvmImportArgs): number {
  const program = { out: out ?? null, cases: RUNS, ...programOf(file, given) };
  return writeImported(file, [() => program], json);
}

function programOf(file: string, given: string | undefined): { name: string; text: string } {
  try {
    const llvm = parseLlvm(readUserText(file));
    const name = given ?? onlyFunction(file, llvm);
    const subject = subjectOf(llvm, name);
    const layout = layoutFor(subject, llvm.functions.get(name)?.line ?? 1);
    const { module } = importLlvm(llvm, subject, layout, "before");
    const inputs = new LlvmInputs(subject, layout);
    const source = new SeedSource(1n);
    const head = `; Imported from ${basename(file)}: @${name}.\n\n`;
    return { name, text: head + withRunLines(module, RUNS, () => inputs.draw(source)) };
  } catch (error) {
    if (!(error instanceof LlvmError)) throw error;
    throw usageError(`${file}:${error.line}: ${error.message}`);
  }
}

function onlyFunction(file: string, { functions }: LlvmModule): string {
  const names = [...functions.values()].flatMap(({ name, blocks }) =>
    blocks === null ? [] : [name],
  );
  if (names.length === 1) return names[0];
  if (names.length === 0)
    throw usageError(`${file}: defines no function, so there is no program to import`);
  const known = names.slice(0, 20).join(", ");
  throw usageError(`${file}: defines several functions: give --export with one of ${known}`);
}
