// Imports a text of Nanojit's assembler for `fuzz import --from lir x.in`.

import { basename, extname } from "node:path";
import { importLir } from "../src/import/lir/import-lir.js";
import { lirInput } from "../src/import/lir/inputs.js";
import { LirError } from "../src/lir/lir-error.js";
import { DIALECTS, type LirDialect } from "../src/lir/names.js";
import { parseLir } from "../src/lir/parse.js";
import { SeedSource } from "../src/support/source.js";
import { readUserText, usageError } from "./support/output.js";
import { withRunLines, writeImported } from "./support/write-imported.js";

interface LirImportArgs {
  readonly file: string;
  readonly out: string | undefined;
  readonly json: boolean;
}

/** The run lines of a program whose entry has parameters. */
const RUNS = 4;
const FORMAT = "lir";

/** Returns the dialect of a file of LIR, `any` if its names tell; null for another format. */
export function lirDialectOf(file: string, from: string | undefined): LirDialect | "any" | null {
  if (from === undefined) return extname(file) === `.${FORMAT}` ? "any" : null;
  if (from === FORMAT) return "any";
  return DIALECTS.find((dialect) => from === `${FORMAT}-${dialect}`) ?? null;
}

export function importLirFile(
  { file, out, json }: LirImportArgs,
  dialect: LirDialect | "any",
): number {
  const program = { name: "main", out: out ?? null, ...programOf(file, dialect) };
  return writeImported(file, [() => program], json);
}

function programOf(file: string, dialect: LirDialect | "any"): { text: string; cases: number } {
  try {
    const lir = parseLir(readUserText(file), dialect === "any" ? null : dialect);
    const imported = importLir(lir);
    const { module } = imported;
    const source = new SeedSource(1n);
    const cases = module.entry.parameters.length === 0 ? 1 : RUNS;
    const head = `; Imported from ${basename(file)}, names of ${lir.dialect}.\n\n`;
    const text = head + withRunLines(module, cases, () => lirInput(imported, source));
    return { text, cases };
  } catch (error) {
    if (!(error instanceof LirError)) throw error;
    throw usageError(`${file}:${error.line}: ${error.message}`);
  }
}
