// `fuzz reduce`: the smallest program with the same verdict, of a file, of a finding, or of a seed.

import { writeFileSync } from "node:fs";
import { Judge, type JudgeOptions } from "../src/compare/judge-program.js";
import { DEFAULT_FUEL } from "../src/execute/subjects.js";
import { DEFAULT_SETTINGS } from "../src/execute/unit.js";
import type { Input } from "../src/ir/outcome.js";
import { printModule } from "../src/ir/print.js";
import type { Module } from "../src/ir/procedure.js";
import { valueCount } from "../src/reduce/candidate.js";
import { reduceProgram } from "../src/reduce/reduce.js";
import { runLineOf } from "../src/report/expectation.js";
import { chooseSubjectsForFile } from "./arguments.js";
import { printLine, printText, reasonOf, STATUS, UserError } from "./output.js";
import { plantedBug } from "./program-file.js";
import { type TaskArgs, taskOf } from "./task.js";

export interface ReduceArgs extends TaskArgs {
  readonly subjects: string | undefined;
  readonly out: string | undefined;
}

export async function run(args: ReduceArgs): Promise<number> {
  const { module, inputs, subject, canary, chaos, aspect } = taskOf("reduce", args);
  const { planted, subjects: usual } = plantedBug(canary);
  const chosen = chooseSubjectsForFile(args.subjects, subject ?? usual);
  const settings = { ...DEFAULT_SETTINGS, ...planted.settings, chaos, verify: true };
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
