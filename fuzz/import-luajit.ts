// Imports the traces of a Lua program for `fuzz import x.lua`.

import { basename, join } from "node:path";
import { judgeLuaProgram } from "../src/engine/luajit/judge-program.js";
import { printModule } from "../src/ir/text/print.js";
import type { TraceVerdicts } from "../src/phases/luajit-phases.js";
import { runLineOf } from "../src/report/expectation.js";
import { lineOf, luajitOptions, withLuajit } from "./support/luajit.js";
import { readUserFile, usageError } from "./support/output.js";
import { writeImported } from "./support/write-imported.js";

interface LuajitImportArgs {
  readonly file: string;
  readonly export: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

export function importLuaFile({ file, export: given, out, json }: LuajitImportArgs): number {
  readUserFile(file);
  const options = luajitOptions(undefined, undefined, null);
  const { traces } = withLuajit(file, () => judgeLuaProgram(file, options));
  const chosen = chosenOf(file, traces, given, out);
  const leftOut = traces.flatMap(({ trace, refused, example }) => {
    const why = refused ?? (example === null ? "no state at its start was captured" : null);
    const says = `trace ${trace.number} cannot be imported: ${why}`;
    return why === null ? [] : [{ line: lineOf(trace.at), says }];
  });
  const programs = chosen.flatMap((verdicts) => {
    const text = textOf(file, verdicts);
    if (text === null) return [];
    const name = `trace${verdicts.trace.number}`;
    const path = out === undefined ? null : given === undefined ? join(out, `${name}.ir`) : out;
    const notImported = verdicts.cut === null ? [] : [verdicts.cut];
    return [() => ({ name, out: path, text, cases: 1, notImported })];
  });
  return writeImported(file, programs, json, leftOut);
}

function chosenOf(
  file: string,
  traces: readonly TraceVerdicts[],
  given: string | undefined,
  out: string | undefined,
): readonly TraceVerdicts[] {
  if (traces.length === 0)
    throw usageError(`${file}: LuaJIT recorded no trace, so there is no program to import`);
  const known = `one of 1 to ${traces.length}`;
  if (given !== undefined) {
    const found = traces.find(({ trace }) => String(trace.number) === given);
    if (found?.example) return [found];
    const why =
      found === undefined ? "there is no such trace" : (found.refused ?? "no state was captured");
    throw usageError(`--export ${given}: ${why}: expected ${known}`);
  }
  if (traces.length > 1 && out === undefined)
    throw usageError(
      `${file}: ${traces.length} traces: give --out FOLDER, or --export with ${known}`,
    );
  return traces;
}

function textOf(file: string, { trace, cut, example }: TraceVerdicts): string | null {
  if (example === null) return null;
  const { module, input, outcome } = example;
  const from =
    trace.from === null ? "" : `, after exit ${trace.from.exit} of trace ${trace.from.trace}`;
  const head = `; Imported from ${basename(file)}: trace ${trace.number}, ${trace.at}${from}.`;
  const end = cut === null ? "" : `\n; It ends before ${cut}, which the import does not model.`;
  return `${head}${end}\n\n${printModule(module)}\n${runLineOf(module, input, outcome)}\n`;
}
