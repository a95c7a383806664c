// `fuzz passes FILE`: judges each pass of LLVM on the functions of a file of C or LLVM IR. clang prints the IR after each
// pass that changed it; an interpreter runs the functions before and after the pass on the same calls.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printCall } from "../src/llvm/inputs.js";
import { type FunctionVerdicts, judgePasses, type WrongPass } from "../src/llvm/judge-passes.js";
import { LlvmError } from "../src/llvm/llvm-error.js";
import { type PassLog, PassLogError, passLogOf } from "../src/llvm/pass-dumps.js";
import { askProgram } from "../src/support/ask-program.js";
import { printAnswer } from "./answers/print-answer.js";
import { parseCount } from "./support/arguments.js";
import {
  printAside,
  printLine,
  printTable,
  readUserFile,
  STATUS,
  UserError,
  usageError,
} from "./support/output.js";

interface PassesArgs {
  readonly file: string;
  readonly compiler: string | undefined;
  readonly flags: string;
  readonly calls: string;
  readonly out: string | undefined;
  readonly json: boolean;
}

const COMPILERS = ["clang", "clang-21", "clang-20", "clang-19"];
const PROGRESS_SECONDS = 10;

export async function run(args: PassesArgs): Promise<number> {
  const { file, flags, out, json } = args;
  if (!/\.(c|ll)$/.test(file)) throw usageError(`${file}: expected a file .c or .ll`);
  readUserFile(file);
  const calls = parseCount("--calls", args.calls);
  const compiler = args.compiler === undefined ? foundCompiler() : wordsOf(args.compiler);
  const judged = judgedPasses(file, logOf(file, compiler, wordsOf(flags)), calls);
  checkJudged(file, judged);
  const files = out === undefined ? [] : writeFiles(out, judged);
  if (json) printAnswer("touchstone.passes", { functions: judged.map(answerOf), files });
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

function foundCompiler(): string[] {
  const found = COMPILERS.find((name) => askProgram(name, ["--version"]).status === 0);
  if (found !== undefined) return [found];
  throw new UserError(STATUS.missing, "there is no clang: apt-get install clang-19, or --compiler");
}

function logOf(file: string, compiler: readonly string[], flags: readonly string[]): PassLog {
  try {
    return passLogOf(file, compiler, flags);
  } catch (error) {
    if (!(error instanceof PassLogError)) throw error;
    throw usageError(`${file}: ${compiler.join(" ")}: ${error.message}`);
  }
}

function judgedPasses(file: string, log: PassLog, calls: number): FunctionVerdicts[] {
  let shownAt = performance.now();
  const onProgress = (dumps: number, all: number): void => {
    if (performance.now() - shownAt < PROGRESS_SECONDS * 1000) return;
    shownAt = performance.now();
    printAside(`judged ${dumps} of ${all} passes`);
  };
  try {
    return judgePasses(log, { calls, onProgress });
  } catch (error) {
    if (!(error instanceof LlvmError)) throw error;
    throw usageError(`${file}: line ${error.line} of the IR: ${error.message}`);
  }
}

function print(judged: readonly FunctionVerdicts[], files: readonly string[]): void {
  printTable([
    ["function", "passes", "equal", "open", "outside", "wrong"],
    ...judged.map(({ name, passes, equal, open, outside, refused, wrong }) => [
      ...[name, passes, equal, open, outside.length],
      refused === null ? (wrong?.pass ?? "-") : "refused",
    ]),
  ]);
  for (const { name, outside, refused, wrong } of judged) {
    if (refused !== null) printLine(`; ${name}: cannot be interpreted: ${refused}`);
    for (const { pass, why } of outside.slice(0, 1))
      printLine(`; ${name}: the result of ${pass} cannot be interpreted: ${why}`);
    if (wrong !== null) printLine(`; ${name}: ${sentence(wrong)}`);
  }
  for (const path of files) printLine(`; ${path}`);
}

const sentence = ({ pass, unit, detail, call }: WrongPass): string =>
  `${pass} on ${unit} changes the behavior: ${detail}; called with ${printCall(call)}`;

const answerOf = ({ wrong, outside, ...counts }: FunctionVerdicts) => ({
  ...counts,
  outside: [...outside],
  wrong:
    wrong === null
      ? null
      : {
          ...{ pass: wrong.pass, unit: wrong.unit },
          ...{ call: printCall(wrong.call), difference: wrong.detail },
        },
});

function writeFiles(out: string, judged: readonly FunctionVerdicts[]): string[] {
  mkdirSync(out, { recursive: true });
  return judged.flatMap(({ wrong }, i) => {
    if (wrong === null) return [];
    return (["before", "after"] as const).map((side) => {
      const path = join(out, `${i}-${wrong.pass}-${side}.ll`);
      writeFileSync(path, `${wrong[side]}\n`);
      return path;
    });
  });
}
