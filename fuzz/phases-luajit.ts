// Judges the traces of LuaJIT for `fuzz phases x.lua`, and for a program with `--compiler luajit`. The oracle runs the
// IR of each trace from states of the interpreter.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { causesOf, hasWrongIr, judgeLuaProgram } from "../src/engine/luajit/judge-program.js";
import type { RecordOptions } from "../src/engine/luajit/record-traces.js";
import { exportLua } from "../src/export/lua/export-lua.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput } from "../src/ir/text/run-line.js";
import type { TraceVerdicts } from "../src/phases/luajit-phases.js";
import { printAnswer } from "./answers/print-answer.js";
import type { AnswerFields } from "./answers/schemas.js";
import { lineOf, luajitOptions, withLuajit } from "./support/luajit.js";
import {
  printAside,
  printLine,
  printTable,
  readUserFile,
  STATUS,
  usageError,
} from "./support/output.js";
import { readProgram } from "./support/program-file.js";
import { writeOutFolder } from "./support/write-out.js";

interface LuajitPhasesArgs {
  readonly file: string;
  readonly compiler: string | undefined;
  readonly flags: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

export function judgeLuaFile({ file, compiler, flags, out, json }: LuajitPhasesArgs): number {
  readUserFile(file);
  return judgeSource(file, file, luajitOptions(compiler, flags, null), out, json);
}

/** The run lines of a program are repeated, so that its loops become hot. */
const REPEATS = 20;

/** Exports a program to Lua, and judges the traces of its executions. */
export function judgeExported({ file, compiler, flags, out, json }: LuajitPhasesArgs): number {
  const { module, lines } = readProgram(file);
  if (lines.length === 0) throw usageError(`${file}: expected a run line: there is nothing to run`);
  const words = lines.flatMap(({ input }) => [
    0,
    input.heapSeed,
    input.words.length,
    ...input.words,
  ]);
  const input = Buffer.from(Int32Array.from(Array(REPEATS).fill(words).flat()).buffer);
  const folder = mkdtempSync(join(tmpdir(), "touchstone-lua-"));
  try {
    const source = join(folder, "program.lua");
    writeFileSync(source, exportLua([module]));
    return judgeSource(file, source, luajitOptions(compiler, flags, input), out, json);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judgeSource(
  file: string,
  source: string,
  options: RecordOptions,
  out: string | undefined,
  json: boolean,
): number {
  const { traces, error } = withLuajit(file, () => judgeLuaProgram(source, options));
  if (traces.length === 0)
    throw usageError(`${file}: LuaJIT recorded no trace${error === null ? "" : `: ${error}`}`);
  if (error !== null) printAside(`the program ended with an error: ${error}`);
  let causes: string[] = [];
  if (traces.some(hasWrongIr)) {
    printAside("a trace is wrong: running without each optimization");
    causes = withLuajit(file, () => causesOf(source, options));
  }
  const files = out === undefined ? [] : writeFiles(out, traces);
  if (json) printAnswer("touchstone.phases", answerOf(traces, causes, files));
  else print(traces, causes, files);
  return traces.some(({ wrong }) => wrong !== null) ? STATUS.found : STATUS.nothingFound;
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((all, count) => all + count, 0);

/** Names the cause of a wrong trace. */
function phaseOf({ wrong }: TraceVerdicts, causes: readonly string[]): string {
  if (wrong === null) return "-";
  if (wrong.isMachineCode) return "machine code";
  return causes.length === 0 ? "IR" : causes.join(", ");
}

function print(
  traces: readonly TraceVerdicts[],
  causes: readonly string[],
  files: readonly string[],
): void {
  printTable([
    ["trace", "at", "end", "whole", "executions", "machine code", "open", "wrong"],
    ...traces.map((each) => {
      const { trace, cut, refused, equal, machine, open } = each;
      const whole = refused !== null ? "refused" : cut === null ? "yes" : "no";
      const end = trace.linkType === "root" ? `trace ${trace.link}` : trace.linkType;
      const counts = [equal, machine, sum(open)];
      return [trace.number, trace.at, end, whole, ...counts, phaseOf(each, causes)];
    }),
  ]);
  for (const each of traces) {
    const { trace, cut, refused, open } = each;
    const name = `; trace ${trace.number}`;
    if (refused !== null) printLine(`${name} cannot be imported: ${refused}`);
    if (cut !== null) printLine(`${name} is judged up to ${cut}`);
    for (const [why, count] of open) printLine(`${name}: ${count} open: ${why}`);
    if (each.wrong !== null) printLine(`${name}: ${sentence(each, causes)}`);
  }
  for (const path of files) printLine(`; ${path}`);
}

function sentence(verdicts: TraceVerdicts, causes: readonly string[]): string {
  const difference = verdicts.wrong?.difference ?? "";
  if (verdicts.wrong?.isMachineCode === true) return `the machine code is wrong: ${difference}`;
  const why =
    causes.length === 0
      ? "with each optimization alone switched off, it stays"
      : `it is right with ${causes.map((name) => `-O-${name}`).join(" or ")}`;
  return `the IR is wrong: ${difference}; ${why}`;
}

function answerOf(
  traces: readonly TraceVerdicts[],
  causes: readonly string[],
  files: readonly string[],
): AnswerFields<"touchstone.phases"> {
  const procedures = traces.map((each) => {
    const { trace, cut, refused, equal, machine, open, wrong } = each;
    const outside = cut === null ? [] : [{ phase: "trace", why: cut }];
    const run = wrong?.run ?? null;
    return {
      ...{ name: `trace ${trace.number}`, refused, phases: machine > 0 ? 2 : 1, unchanged: 0 },
      ...{ equal: equal + machine, open: sum(open), outside },
      wrong:
        wrong === null || run === null
          ? null
          : {
              ...{ phase: phaseOf(each, causes), line: lineOf(trace.at) },
              ...{ input: printInput(run.module, run.input), difference: wrong.difference },
            },
    };
  });
  return { procedures, died: null, files: [...files] };
}

/** Writes the program of each wrong trace. */
function writeFiles(out: string, traces: readonly TraceVerdicts[]): string[] {
  const files = new Map<string, string>();
  for (const { trace, wrong } of traces) {
    if (wrong === null) continue;
    const { module, input } = wrong.run;
    const line = `; run: ${printInput(module, input)}`;
    files.set(
      `trace${trace.number}.ir`,
      `; ${wrong.difference}\n${printModule(module)}\n${line}\n`,
    );
  }
  return writeOutFolder(out, files);
}
