// Judges the passes of LLVM for `fuzz phases x.c` and `x.ll`. clang prints the module after each pass that changed it. The
// functions of each text become programs, which run in the oracle.

import { pathOf } from "../src/engine/path-of.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput } from "../src/ir/text/run-line.js";
import { LlvmError } from "../src/llvm/llvm-error.js";
import { PassLogError, PassPrinter } from "../src/llvm/pass-dumps.js";
import { judgeModule } from "../src/phases/llvm-module.js";
import type { FunctionVerdicts } from "../src/phases/llvm-phases.js";
import { reducePass } from "../src/phases/reduce-pass.js";
import { askProgram } from "../src/support/ask-program.js";
import { quoted } from "../src/support/shell-word.js";
import { printAnswer } from "./answers/print-answer.js";
import type { AnswerFields } from "./answers/schemas.js";
import {
  printAside,
  printLine,
  printTable,
  readUserFile,
  STATUS,
  UserError,
  usageError,
} from "./support/output.js";
import { writeOutFolder } from "./support/write-out.js";

interface LlvmPhasesOptions {
  readonly compiler: string | undefined;
  readonly flags: string;
}

interface LlvmPhasesArgs extends LlvmPhasesOptions {
  readonly file: string;
  readonly out: string | undefined;
  readonly json: boolean;
}

const COMPILERS = ["clang", "clang-21", "clang-20", "clang-19"];
const PROGRESS_SECONDS = 10;

/** The time in which each wrong pass is reduced. */
const REDUCE_MS = 30_000;

export async function judgeLlvmFile(args: LlvmPhasesArgs): Promise<number> {
  const { file, compiler, flags, out, json } = args;
  readUserFile(file);
  const command = compiler === undefined ? foundCompiler() : namedCompiler(compiler);
  const judged = judgeFile(file, command, wordsOf(flags));
  checkJudged(file, judged);
  const suffix = /(-\d+)$/.exec(command[0])?.[1] ?? "";
  const files =
    out === undefined ? [] : writeFiles(out, judged, await reducedFiles(judged, suffix));
  if (json) printAnswer("touchstone.phases", answerOf(judged, files));
  else print(judged, files);
  return judged.some(({ wrong }) => wrong !== null) ? STATUS.found : STATUS.nothingFound;
}

/** A file without a judged function is no success. */
function checkJudged(file: string, judged: readonly FunctionVerdicts[]): void {
  const reasons = judged.flatMap(({ name, refused }) =>
    refused === null ? [] : `${name}: ${refused}`,
  );
  if (reasons.length < judged.length) return;
  throw usageError(
    `${file}: no function was judged: ${reasons[0] ?? "it defines no external function"}`,
  );
}

const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");

function namedCompiler(text: string): string[] {
  const words = wordsOf(text);
  if (words.length === 0) throw usageError("--compiler: expected the command of a compiler");
  if (pathOf(words[0]) !== null) return words;
  throw new UserError(STATUS.missing, `--compiler ${text}: there is no ${words[0]}`);
}

function foundCompiler(): string[] {
  const found = COMPILERS.find((name) => askProgram(name, ["--version"]).status === 0);
  if (found !== undefined) return [found];
  throw new UserError(STATUS.missing, "there is no clang: apt-get install clang-19, or --compiler");
}

function judgeFile(
  file: string,
  compiler: readonly string[],
  flags: readonly string[],
): FunctionVerdicts[] {
  let shownAt = performance.now();
  const onFunction = (done: number, all: number): void => {
    if (performance.now() - shownAt < PROGRESS_SECONDS * 1000) return;
    shownAt = performance.now();
    printAside(`judged ${done} of ${all} functions`);
  };
  let printer: PassPrinter | null = null;
  try {
    printer = new PassPrinter(file, compiler, flags);
    return judgeModule(printer, onFunction);
  } catch (error) {
    if (error instanceof LlvmError) throw usageError(`${file}:${error.line}: ${error.message}`);
    if (!(error instanceof PassLogError)) throw error;
    throw usageError(`${file}: ${compiler.join(" ")}: ${error.message}`);
  } finally {
    printer?.close();
  }
}

function print(judged: readonly FunctionVerdicts[], files: readonly string[]): void {
  printTable([
    ["function", "phases", "unchanged", "outside", "executions", "open", "wrong"],
    ...judged.map(({ name, judged: phases, unchanged, equal, open, outside, refused, wrong }) => [
      ...[name, phases, unchanged, outside.length, equal, open],
      refused === null ? (wrong?.name ?? "-") : "refused",
    ]),
  ]);
  for (const verdicts of judged) {
    const { name, outside, refused } = verdicts;
    if (refused !== null) printLine(`; ${name}: cannot be imported: ${refused}`);
    for (const { phase, why } of outside.slice(0, 1))
      printLine(`; ${name}: the result of ${phase} cannot be imported: ${why}`);
    if (verdicts.wrong !== null) printLine(`; ${name}: ${sentence(verdicts)}`);
  }
  for (const path of files) printLine(`; ${path}`);
}

const sentence = ({ wrong, call }: FunctionVerdicts): string =>
  `${wrong?.name} changes what the function does: ${wrong?.difference}; called with ${call}`;

function answerOf(
  judged: readonly FunctionVerdicts[],
  files: readonly string[],
): AnswerFields<"touchstone.phases"> {
  const procedures = judged.map((verdicts) => {
    const {
      name,
      refused,
      call,
      wrong,
      judged: phases,
      unchanged,
      equal,
      open,
      outside,
    } = verdicts;
    return {
      ...{ name, refused, phases, unchanged, equal, open, outside: [...outside] },
      wrong:
        wrong === null
          ? null
          : { phase: wrong.name, line: wrong.line, input: call, difference: wrong.difference },
    };
  });
  return { procedures, died: null, files: [...files] };
}

/** Writes, for each wrong pass, the function before and after it, as LLVM IR and as programs. */
function writeFiles(
  out: string,
  judged: readonly FunctionVerdicts[],
  reduced: ReadonlyMap<string, string>,
): string[] {
  const files = new Map(reduced);
  for (const [number, { wrong }] of judged.entries()) {
    if (wrong === null) continue;
    for (const when of ["before", "after"] as const) {
      files.set(`${number}-${when}-${wrong.name}.ll`, `${wrong.texts[when]}\n`);
      const module = wrong.modules[when];
      if (module === null) continue;
      const line = `; run: ${printInput(module, wrong.input)}`;
      files.set(`${number}-${when}-${wrong.name}.ir`, `${printModule(module)}\n${line}\n`);
    }
  }
  return writeOutFolder(out, files);
}

/**
 * Returns, for each wrong pass, a module that this pass alone turns wrong, by the names of the files.
 * @param suffix the end of the names of LLVM's programs
 */
async function reducedFiles(
  judged: readonly FunctionVerdicts[],
  suffix: string,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [number, { name, wrong, call, repeatable }] of judged.entries()) {
    if (wrong === null || repeatable === null) continue;
    const reduced = await reducePass(wrong.name, repeatable, suffix, REDUCE_MS);
    if (typeof reduced === "string") {
      printAside(`${name}: not reduced: ${reduced}`);
      continue;
    }
    const file = `${number}-alone-${wrong.name}.ll`;
    const words = reduced.command.map((word) => (/^[-\w=]+$/.test(word) ? word : quoted(word)));
    const command = [...words, file].join(" ");
    printAside(`${name}: the pass alone: ${command}`);
    if (reduced.reducer === null)
      printAside(`${name}: not reduced: there is no llvm-reduce${suffix}`);
    files.set(
      file,
      `; ${command}\n; @${name} called with ${call}\n; ${reduced.difference}\n${reduced.text}`,
    );
  }
  return files;
}
