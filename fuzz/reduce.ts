// `fuzz reduce`: the smallest program with the same verdict, of a file, of a finding, or of a seed.

import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programOf } from "../src/campaign/seeds.js";
import { Judge, type JudgeOptions } from "../src/compare/judge-program.js";
import { DEFAULT_FUEL } from "../src/execute/subjects.js";
import { DEFAULT_SETTINGS } from "../src/execute/unit.js";
import type { Input } from "../src/ir/outcome.js";
import { printModule } from "../src/ir/print.js";
import type { Module } from "../src/ir/procedure.js";
import { valueCount } from "../src/reduce/candidate.js";
import { reduceProgram } from "../src/reduce/reduce.js";
import { runLineOf } from "../src/report/expectation.js";
import { readFinding } from "../src/report/read-finding.js";
import { chooseSubjectsForFile, parseSeed } from "./arguments.js";
import {
  printLine,
  printText,
  readUserText,
  reasonOf,
  STATUS,
  UserError,
  usageError,
} from "./output.js";
import { plantedBug, readProgram } from "./program-file.js";

export interface ReduceArgs {
  readonly what: string | undefined;
  readonly seed: string | undefined;
  readonly subjects: string | undefined;
  readonly canary: string | undefined;
  readonly chaos: string | undefined;
  readonly out: string | undefined;
}

interface Task {
  readonly module: Module;
  readonly inputs: readonly Input[];
  /** The one that the finding is about; undefined where there is no finding. */
  readonly subject: string | undefined;
  readonly canary: string | undefined;
  /** What chaotic subjects draw from. */
  readonly chaos: bigint;
  readonly aspect: string | null;
}

export async function run(args: ReduceArgs): Promise<number> {
  const { module, inputs, subject, canary, chaos, aspect } = taskOf(args);
  const { planted, subjects: usual } = plantedBug(canary);
  const chosen = chooseSubjectsForFile(args.subjects, subject ?? usual);
  const settings = { ...DEFAULT_SETTINGS, ...planted.settings, chaos };
  const options = { fuelMax: DEFAULT_FUEL, ...planted, settings, subjects: chosen.subjects };
  const reduced = reduceProgram(module, inputs, { ...options, aspect });
  if (reduced === null) {
    printLine("; no subject differs: there is nothing to reduce");
    return STATUS.found;
  }
  const { signature, tests } = reduced;
  const what =
    signature.kind === "difference"
      ? `${signature.subject}: ${signature.aspect}`
      : signature.message;
  const sizes = `${valueCount(module)} values before, ${valueCount(reduced.module)} after`;
  const text = programText(reduced.module, reduced.inputs, options);
  write(args.out, `; ${what}; ${sizes}, ${tests} tests\n${text}`);
  return STATUS.nothingFound;
}

function taskOf({ what, seed, canary, chaos }: ReduceArgs): Task {
  if ((what === undefined) === (seed === undefined)) {
    throw usageError("reduce: expected a file, the folder of a finding, or --seed N");
  }
  const drawn = chaos === undefined ? undefined : parseSeed(chaos, "--chaos");
  const given = { subject: undefined, canary, chaos: drawn ?? 0n, aspect: null };
  if (what === undefined) {
    const number = parseSeed(seed ?? "");
    return { ...programOf(number), ...given, chaos: drawn ?? number };
  }
  if (!isFolder(what)) return { ...readCalls(what), ...given };
  const path = join(what, "finding.json");
  const finding = readFinding(readUserText(path));
  if (typeof finding === "string") throw usageError(`${path}: ${finding}`);
  return {
    ...readCalls(join(what, "original.ir")),
    subject: finding.subject ?? undefined,
    canary: canary ?? finding.canary ?? undefined,
    chaos: drawn ?? finding.seed ?? 0n,
    aspect: finding.aspect,
  };
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

function readCalls(path: string): Pick<Task, "module" | "inputs"> {
  const { module, lines } = readProgram(path);
  if (lines.length === 0)
    throw usageError(`${path}: has no line '; run: ${module.entry.name}(...)'`);
  return { module, inputs: lines.map(({ input }) => input) };
}

function programText(module: Module, inputs: readonly Input[], options: JudgeOptions): string {
  const judge = new Judge({ ...options, subjects: [] });
  const { expected } = judge.judge(module, inputs);
  judge.close();
  const lines = inputs.map((input, i) => `${runLineOf(module, input, expected[i])}\n`);
  return `${printModule(module)}\n${lines.join("")}`;
}

function write(out: string | undefined, text: string): void {
  if (out === undefined) {
    printText(text);
    return;
  }
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw new UserError(STATUS.usage, `${out}: cannot be written: ${reasonOf(error)}`);
  }
}
