// What each phase of B3 made of a procedure, in the oracle: a phase that is right leaves a program that does the same.
// No compiled code runs, so whatever differs is the phase's.

import { judge } from "../compare/compare.js";
import type { Difference } from "../compare/difference.js";
import { importB3 } from "../import/b3/import-b3.js";
import type { B3Compilation } from "../import/b3/read-dump.js";
import { type Input, isJudged, type Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeWhenAsked } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { phaseInputs } from "./phase-inputs.js";

/** A phase behind which the procedure does something else. */
export interface WrongPhase {
  readonly name: string;
  /** What it was given, and what it left. */
  readonly modules: { readonly before: Module; readonly after: Module };
  /** In the log. */
  readonly texts: { readonly before: string; readonly after: string };
  /** Where the log has what it left. */
  readonly line: number;
  readonly input: Input;
  /** What it did before. */
  readonly expected: Outcome;
  readonly difference: Difference;
}

export interface PhasesJudged {
  /** Phases that changed the procedure, and were judged. */
  readonly judged: number;
  /** Phases that left it as it was. */
  readonly unchanged: number;
  /** Executions that were equal behind a phase. */
  readonly equal: number;
  /** Executions that the oracle leaves open. */
  readonly open: number;
  /** Phases whose result cannot be imported, and why. */
  readonly outside: readonly { readonly phase: string; readonly why: string }[];
  /** The first that is wrong; null if none is. */
  readonly wrong: WrongPhase | null;
}

/** Values that the oracle executes at first: a loop of random bounds need not come to its end. */
const FUEL_MAX = 20_000;
/** How many more than before a phase may make of them, and some. */
const MORE = 4;
const SOME = 1000;

/** An execution of what the phase before has left. */
interface Execution {
  readonly input: Input;
  readonly outcome: Outcome;
  readonly fuelUsed: number;
}

/** @throws ImportError where the text is malformed */
export function judgePhases(compilation: B3Compilation): PhasesJudged {
  const oracle = new Oracle();
  const outside: { phase: string; why: string }[] = [];
  const counts = { judged: 0, unchanged: 0, equal: 0, open: 0 };
  let before: { readonly text: string; readonly module: Module } | null = null;
  let executions: readonly Execution[] = [];
  const phases = importB3(compilation);
  // What is compared with what is plainest to see in the last.
  const last = phases.findLast((phase) => phase.module !== null)?.module ?? null;
  const inputs = last === null ? [] : phaseInputs(last);
  for (const { phase, isSame, module, lack } of phases) {
    if (isSame) {
      counts.unchanged++;
      continue;
    }
    if (module === null) {
      outside.push({ phase: phase.name, why: lack });
      continue;
    }
    const program = decodeWhenAsked(module);
    const run = (input: Input, fuelMax: number): Execution => {
      const outcome = oracle.run(program, input, fuelMax);
      return { input, outcome, fuelUsed: oracle.fuelUsed };
    };
    if (before === null) {
      executions = inputs.map((input) => run(input, FUEL_MAX));
    } else {
      counts.judged++;
      const after = executions.map((execution) => {
        const { outcome, fuelUsed, input } = execution;
        return isJudged(outcome) ? run(input, MORE * fuelUsed + SOME) : execution;
      });
      for (const [i, { input, outcome }] of after.entries()) {
        const verdict = judge(executions[i].outcome, outcome);
        if (verdict.kind === "equal") counts.equal++;
        // Bits of a NaN that were not looked at before: whose they are is open.
        else if (verdict.kind === "unjudged" || outcome.ending.kind === "nan-bits") counts.open++;
        else {
          const texts = { before: before.text, after: phase.text };
          const modules = { before: before.module, after: module };
          const { difference } = verdict;
          const { name, line } = phase;
          const at = { name, line, texts, modules };
          const expected = executions[i].outcome;
          return { ...counts, outside, wrong: { ...at, input, expected, difference } };
        }
      }
      executions = after;
    }
    before = { text: phase.text, module };
  }
  return { ...counts, outside, wrong: null };
}
