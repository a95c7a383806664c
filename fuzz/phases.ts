// Implements `fuzz phases FILE`: judges the result of each phase of another compiler by the oracle.
// A file of C or LLVM IR is for LLVM (phases-llvm.ts), a file of Lua for LuaJIT (phases-luajit.ts).
// Any other file is for B3, the compiler of JavaScriptCore: a log of phases, or a program, which
// JavaScriptCore then runs to make a log.

import { b3Log } from "../src/engine/b3/b3-log.js";
import { b3Command, b3RowAt } from "../src/engine/wasm-rows.js";
import { exportWasm } from "../src/export/wasm/export-wasm.js";
import { readB3Dump } from "../src/import/b3/read-dump.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput } from "../src/ir/text/run-line.js";
import { judgeB3 } from "../src/phases/b3-phases.js";
import type { PhaseVerdicts, WrongPhase } from "../src/phases/judge-phases.js";
import { runLineOf } from "../src/report/expectation.js";
import { printAnswer } from "./answers/print-answer.js";
import type { AnswerFields } from "./answers/schemas.js";
import { imported } from "./import.js";
import { judgeLlvmFile } from "./phases-llvm.js";
import { judgeExported, judgeLuaFile } from "./phases-luajit.js";
import {
  printLine,
  printTable,
  readUserFile,
  STATUS,
  UserError,
  usageError,
} from "./support/output.js";
import { readProgram } from "./support/program-file.js";
import { writeOutFolder } from "./support/write-out.js";

interface PhasesArgs {
  readonly file: string;
  readonly compiler: string | undefined;
  readonly flags: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

const IS_PROGRAM = /^(?:;.*\n|\s*\n)*touchstone 1\b/;
/** The command of JavaScriptCore, or of bun, which contains it. */
const IS_JSC = /^(?:.*\/)?(?:jsc|bun)[^/]*$/;
const ENGINE_MS = 600_000;

export async function run(args: PhasesArgs): Promise<number> {
  const { file, out, json } = args;
  if (/\.(?:c|ll)$/.test(file)) return judgeLlvmFile({ ...args, flags: args.flags ?? "-O2" });
  if (file.endsWith(".lua")) return judgeLuaFile(args);
  // Read as Latin-1, because a log may be longer than any program, and its relevant text has one
  // byte for each character.
  const given = Buffer.from(readUserFile(file)).toString("latin1");
  if (IS_PROGRAM.test(given) && /\bluajit\S*(?: |$)/.test(args.compiler ?? ""))
    return judgeExported(args);
  const { log, died } = IS_PROGRAM.test(given)
    ? await logOf(file, args.compiler)
    : { log: given, died: null };
  const compilations = readB3Dump(log);
  if (compilations.length === 0 && died === null) {
    throw usageError(
      `${file}: expected a file .c, .ll or .lua, a program, or a log with lines like 'B3 after fixSSA, before …:'`,
    );
  }
  const judged = imported(file, () => compilations.map(judgeB3));
  const next = compilations.at(-1)?.phases.at(-1)?.next ?? null;
  const dead = died === null ? null : { how: died, next };
  const files = out === undefined ? [] : writeFiles(out, log, judged);
  if (json) printAnswer("touchstone.phases", answerOf(judged, dead, files));
  else print(judged, dead, files);
  const isFound = dead !== null || judged.some(({ wrong }) => wrong !== null);
  return isFound ? STATUS.found : STATUS.nothingFound;
}

/** Runs the program of a file in JavaScriptCore, and returns its log. */
async function logOf(
  file: string,
  compiler: string | undefined,
): Promise<{ readonly log: string; readonly died: string | null }> {
  const { module, lines } = readProgram(file);
  if (compiler !== undefined && !IS_JSC.test(compiler))
    throw usageError(`--compiler ${compiler}: expected luajit, or the path of jsc or bun`);
  const command = b3Command(compiler === undefined ? undefined : b3RowAt(compiler));
  if ("missing" in command) throw new UserError(STATUS.missing, command.missing);
  const inputs = lines.map(({ input }) => input);
  if (inputs.length === 0)
    throw usageError(`${file}: expected a run line: there is nothing to run`);
  const { ended, log } = await b3Log(command, exportWasm(module).bytes, inputs, ENGINE_MS);
  return { log, died: ended.death };
}

type ProcessDeath = { readonly how: string; readonly next: string | null } | null;

function print(
  judged: readonly PhaseVerdicts[],
  dead: ProcessDeath,
  files: readonly string[],
): void {
  const head = ["procedure", "phases", "unchanged", "outside", "executions", "open", "wrong"];
  printTable([
    head,
    ...judged.map(({ judged: phases, unchanged, outside, equal, open, wrong }, number) => [
      ...[number, phases, unchanged, outside.length, equal, open],
      wrong?.name ?? "-",
    ]),
  ]);
  for (const [number, { outside, wrong }] of judged.entries()) {
    for (const { phase, why } of outside)
      printLine(`; ${number}: the result of ${phase} cannot be imported: ${why}`);
    if (wrong !== null) printLine(`; ${number}: ${sentence(wrong)}`);
  }
  if (dead !== null) {
    const where = dead.next === null ? "" : `; the phase ${dead.next} was next`;
    printLine(`; the engine ${dead.how}${where}`);
  }
  for (const path of files) printLine(`; ${path}`);
}

/** The difference comes first, because the arguments may be long. */
const sentence = ({ name, line, input, modules, difference }: WrongPhase): string =>
  modules.after === null
    ? `the result of ${name} is malformed: ${difference}`
    : `${name} changes what the procedure does: ${difference}; ` +
      `line ${line} of the log; for ${printInput(modules.before, input)}`;

function answerOf(
  judged: readonly PhaseVerdicts[],
  died: ProcessDeath,
  files: readonly string[],
): AnswerFields<"touchstone.phases"> {
  const procedures = judged.map(({ judged: phases, wrong, ...counts }) => ({
    ...{ name: null, refused: null, ...counts, outside: [...counts.outside], phases },
    wrong:
      wrong === null
        ? null
        : {
            phase: wrong.name,
            line: wrong.line,
            input: printInput(wrong.modules.before, wrong.input),
            difference: wrong.difference,
          },
  }));
  return { procedures, died, files: [...files] };
}

/**
 * Writes the log, and for a wrong phase the programs before and after it, which must behave the
 * same.
 */
function writeFiles(out: string, log: string, judged: readonly PhaseVerdicts[]): readonly string[] {
  const files = new Map([["b3.log", log]]);
  for (const [number, { wrong }] of judged.entries()) {
    if (wrong === null) continue;
    const { name, modules, texts, input, expected } = wrong;
    const line = runLineOf(modules.before, input, expected);
    for (const when of ["before", "after"] as const) {
      const module = modules[when];
      if (module !== null)
        files.set(`${number}-${when}-${name}.ir`, `${printModule(module)}\n${line}\n`);
      files.set(`${number}-${when}-${name}.b3`, `${texts[when]}\n`);
    }
  }
  return writeOutFolder(out, files);
}
