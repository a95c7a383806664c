// Runs an exported program of JavaScript, and returns which executions left compiled code in the
// middle, by the engine's own report: functions of V8, `inIon` of SpiderMonkey, or the log of
// JavaScriptCore.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SourceForm } from "../export/forms.js";
import { exportJs } from "../export/js/export-js.js";
import { type ExitCounting, LEFT, LOG_MARKS } from "../export/js/runtime.js";
import { answersOf, bytesOfLines, questionOf } from "./batch-subject.js";
import { runCommand } from "./run-command.js";
import type { SourceProgram } from "./sources.js";

interface CountedEngine {
  /** The program with its arguments. */
  readonly runner: readonly string[];
  readonly isText: boolean;
  readonly form: SourceForm;
  readonly counting: ExitCounting;
}

const LIMIT_MS = 60_000;
/** The line of an exit from the code of a program's function, in the log of JavaScriptCore. */
const EXIT = /^Speculation failure in (?:p0_|body#)/;
/** The option that writes this log; bun takes it from its environment. */
const LOG_OPTION = "printEachOSRExit=1";

/** Returns the answer by input; null for an execution without an answer. */
export async function leftCompiled(
  program: SourceProgram,
  { runner, isText, form, counting }: CountedEngine,
): Promise<readonly (boolean | null)[]> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-left-"));
  try {
    const path = join(folder, "program.js");
    writeFileSync(path, exportJs([program], { form, counting }));
    const [first, ...args] = [...(counting.by === "log" ? logged(runner) : runner), path];
    const questions = program.inputs.map((input, i) => questionOf({ program: 0, input }, i));
    const lines = questions.map((question) =>
      isText ? Buffer.from(`${Buffer.from(question).toString("hex")}\n`) : question,
    );
    const { output, errors } = await runCommand({ path: first, args }, lines, LIMIT_MS);
    const answers = answersOf(isText ? bytesOfLines(output) : output);
    const exits = counting.by === "log" ? exitsInLog(errors) : null;
    return program.inputs.map((_, i) => {
      const answer = answers[i];
      if (answer === undefined) return null;
      return exits === null ? (answer.status & LEFT) !== 0 : (exits[i] ?? null);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the command with the option that logs exits. */
function logged(runner: readonly string[]): string[] {
  const [first, ...rest] = runner;
  const isBun = rest.some((word) => word.startsWith("BUN_JSC_"));
  return [first, `${isBun ? "BUN_JSC_" : "--"}${LOG_OPTION}`, ...rest];
}

/** Returns whether the log has an exit in each execution, in order. */
function exitsInLog(log: string): boolean[] {
  const found: boolean[] = [];
  let isRunning = false;
  for (const line of log.split("\n")) {
    if (line === LOG_MARKS[0]) found.push(false);
    if (LOG_MARKS.some((mark) => mark === line)) isRunning = line === LOG_MARKS[0];
    else if (isRunning && EXIT.test(line)) found[found.length - 1] = true;
  }
  return found;
}
