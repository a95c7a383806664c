// Fuzzes the engine of this process: judges programs of a profile, and reduces a difference.

import { outlineOf } from "../campaign/file/outline.js";
import { programOf } from "../campaign/program/seeds.js";
import { describeWithComparison } from "../compare/describe-difference.js";
import { type ExecutionJudgement, Judge, type JudgeOptions } from "../compare/judge-program.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { printInput, printOutcome } from "../ir/text/run-line.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { type Candidate, coreSize } from "../reduce/candidate.js";
import { reduceProgram } from "../reduce/reduce.js";
import { browserSubject } from "./browser-subject.js";
import { verdictOf } from "./judge-text.js";
import { printProgram, RequestError, readProgram } from "./program-text.js";
import type {
  BrowserDifference,
  FuzzedProgram,
  FuzzRequest,
  ReduceFoundRequest,
  TriedCandidate,
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
      const verdicts = judgements.map(verdictOf);
      send({
        ...{ kind: "fuzzed", seed: String(seed) },
        equal: verdicts.filter(({ kind }) => kind === "equal").length,
        unjudged: verdicts.flatMap(({ kind, detail }) => (kind === "unjudged" ? [detail] : [])),
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

/**
 * Reduces a program under the same difference.
 * @param onSmaller receives each smaller program
 * @param onTry receives each candidate before its run, which may not end
 */
export function reduceFound(
  request: ReduceFoundRequest,
  onSmaller: (difference: BrowserDifference) => void,
  onTry: (candidate: TriedCandidate) => void = () => {},
): BrowserDifference {
  const { module, inputs } = programToReduce(request);
  const rejected = new Set(request.rejected);
  const options = optionsOf(request);
  const judge = new Judge(options);
  const shown = (module: Module, inputs: readonly Input[]): BrowserDifference | null =>
    differenceOf(module, inputs, judge.judge({ module, inputs }).results[0].judgements);
  try {
    const { input, usualMilliseconds } = soonestDifference(inputs, (one) => shown(module, [one]));
    const reduced = reduceProgram(module, input === null ? inputs : [input], {
      ...options,
      tries: (one) => {
        const candidate = digestOf(printProgram(one.module, one.inputs));
        if (rejected.has(candidate)) return false;
        onTry({ kind: "tried", candidate, usualMilliseconds });
        return true;
      },
      keeps: (candidate) => {
        const smaller = shown(candidate.module, candidate.inputs);
        if (smaller !== null) onSmaller(smaller);
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

/** Returns the input that shows the difference in the shortest time; null if none shows it alone. */
function soonestDifference(
  inputs: readonly Input[],
  shown: (input: Input) => BrowserDifference | null,
): { readonly input: Input | null; readonly usualMilliseconds: number } {
  let soonest: Input | null = null;
  let usualMilliseconds = Number.POSITIVE_INFINITY;
  for (const input of inputs) {
    const startedAt = performance.now();
    const isDifferent = shown(input) !== null;
    const milliseconds = performance.now() - startedAt;
    if (!isDifferent || milliseconds >= usualMilliseconds) continue;
    [soonest, usualMilliseconds] = [input, milliseconds];
  }
  return { input: soonest, usualMilliseconds };
}

function programToReduce({
  text,
  seed,
  profile,
}: ReduceFoundRequest): Pick<Candidate, "module" | "inputs"> {
  if (text === null) {
    const { module, inputs } = programOf(BigInt(seed), profile);
    return { module, inputs: [...inputs] };
  }
  const { module, lines } = readProgram({ text, canary: null });
  return { module, inputs: lines.map(({ input }) => input) };
}

/** Returns 64 bits that identify a text among the candidates of a reduction. */
function digestOf(text: string): string {
  let [low, high] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495) ^ (low >>> 15);
  }
  return `${low >>> 0}-${high >>> 0}`;
}
