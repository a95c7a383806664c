// Imports a text of Nanojit's assembler for `fuzz import --from lir x.in`.

import { basename, extname } from "node:path";
import { importLir } from "../src/import/lir/import-lir.js";
import { lirInput } from "../src/import/lir/inputs.js";
import { printModule } from "../src/ir/text/print.js";
import { LirError } from "../src/lir/lir-error.js";
import { DIALECTS, type LirDialect } from "../src/lir/names.js";
import { parseLir } from "../src/lir/parse.js";
import { decodeModule } from "../src/oracle/fast/decode.js";
import { Oracle } from "../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { runLineOf } from "../src/report/expectation.js";
import { SeedSource } from "../src/support/source.js";
import { printAnswer } from "./answers/print-answer.js";
import { printLine, readUserText, STATUS, usageError } from "./support/output.js";
import { writeOut } from "./support/write-out.js";

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
  const { text, cases } = programOf(file, dialect);
  if (out !== undefined) writeOut(out, text);
  if (json) {
    const lists = { faults: [], unjudged: [], notImported: [] };
    const about = { name: "main", out: out ?? null, cases, ...lists };
    const programs = [{ ...about, text: out === undefined ? text : null }];
    printAnswer("touchstone.import", { programs, leftOut: [] });
  } else if (out === undefined) process.stdout.write(text);
  else printLine(`; ${out}`);
  return STATUS.nothingFound;
}

function programOf(file: string, dialect: LirDialect | "any"): { text: string; cases: number } {
  try {
    const lir = parseLir(readUserText(file), dialect === "any" ? null : dialect);
    const imported = importLir(lir);
    const { module } = imported;
    const source = new SeedSource(1n);
    const program = decodeModule(module);
    const cases = module.entry.parameters.length === 0 ? 1 : RUNS;
    const lines = Array.from({ length: cases }, () => {
      const input = lirInput(imported, source);
      return `${runLineOf(module, input, new Oracle().run(program, input, DEFAULT_FUEL))}\n`;
    });
    const head = `; Imported from ${basename(file)}, names of ${lir.dialect}.\n\n`;
    return { text: `${head}${printModule(module)}\n${lines.join("")}`, cases };
  } catch (error) {
    if (!(error instanceof LirError)) throw error;
    throw usageError(`${file}:${error.line}: ${error.message}`);
  }
}
