// Fuzzes the engine of this process: judges programs of a profile, and reduces a difference.

import { outlineOf } from "../campaign/file/outline.js";
import { programOf } from "../campaign/program/seeds.js";
import { describeWithComparison } from "../compare/describe-difference.js";
import { type ExecutionJudgement, Judge, type JudgeOptions } from "../compare/judge-program.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { printInput, printOutcome } from "../ir/text/run-line.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { coreSize } from "../reduce/candidate.js";
import { reduceProgram } from "../reduce/reduce.js";
import { browserSubject } from "./browser-subject.js";
import { printProgram, RequestError } from "./program-text.js";
import type {
  BrowserDifference,
  FuzzedProgram,
  FuzzRequest,
  ReduceFoundRequest,
} from "./protocol.js";

const optionsOf = (request: Pick<FuzzRequest, "rounds" | "isBroken">): JudgeOptions => ({
  subjects: [browserSubject(request)],
  fuelMax: DEFAULT_FUEL,
});

/** Judges programs, and passes the result of each to `send`. */
export function fuzz(request: FuzzRequest, send: (program: FuzzedProgram) => void): void {
  const { profile, first, count } = request;
  const judge = new Judge(optionsOf(request));
  try {
    for (let i = 0; i < count; i++) {
      const seed = BigInt.asUintN(64, BigInt(first) + BigInt(i));
      const { module, inputs } = programOf(seed, profile);
      const { results } = judge.judge({ module, inputs });
      const { judgements } = results[0];
      const count = (kind: string) =>
        judgements.filter(({ verdict }) => verdict.kind === kind).length;
      send({
        ...{ kind: "fuzzed", seed: String(seed) },
        ...{ equal: count("equal"), unjudged: count("unjudged") },
        difference: differenceOf(module, inputs, judgements),
      });
    }
  } finally {
    judge.close();
  }
}

function differenceOf(
  module: Module,
  inputs: readonly Input[],
  judgements: readonly ExecutionJudgement[],
): BrowserDifference | null {
  for (const { input, verdict, outcome } of judgements) {
    if (verdict.kind !== "different") continue;
    return {
      ...{ aspect: verdict.aspect, detail: describeWithComparison(verdict.difference) },
      got: outcome === null ? "no outcome" : printOutcome(outcome),
      input: printInput(module, inputs[input]),
      ...{ text: printProgram(module, inputs), values: coreSize(module) },
      outline: outlineOf(module),
    };
  }
  return null;
}

/** Reduces the program of a seed under the same difference, and passes each smaller program to `send`. */
export function reduceFound(
  request: ReduceFoundRequest,
  send: (difference: BrowserDifference) => void,
): BrowserDifference {
  const { module, inputs } = programOf(BigInt(request.seed), request.profile);
  const options = optionsOf(request);
  const judge = new Judge(options);
  const shown = (module: Module, inputs: readonly Input[]): BrowserDifference | null =>
    differenceOf(module, inputs, judge.judge({ module, inputs }).results[0].judgements);
  try {
    const reduced = reduceProgram(module, inputs, {
      ...options,
      keeps: (candidate) => {
        const smaller = shown(candidate.module, candidate.inputs);
        if (smaller !== null) send(smaller);
        return true;
      },
    });
    const last = reduced === null ? null : shown(reduced.module, reduced.inputs);
    if (last === null) throw new RequestError("the difference is gone when it is judged again");
    return last;
  } finally {
    judge.close();
  }
}
