// Runs the procedure in the oracle after each phase of B3. A correct phase preserves the behavior.
// No compiled code runs, so the phase causes every difference.

import { judge } from "../compare/compare.js";
import type { Difference } from "../compare/difference.js";
import { importB3 } from "../import/b3/import-b3.js";
import type { B3Compilation } from "../import/b3/read-dump.js";
import { type Input, isJudged, type Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { phaseInputs } from "./phase-inputs.js";

/** A phase that changes the behavior of the procedure. */
export interface WrongPhase {
  readonly name: string;
  /** The program before and after the phase. */
  readonly modules: { readonly before: Module; readonly after: Module };
  /** The texts of the log. */
  readonly texts: { readonly before: string; readonly after: string };
  /** The line of the log at which the text after the phase begins. */
  readonly line: number;
  readonly input: Input;
  /** The outcome before the phase. */
  readonly expected: Outcome;
  readonly difference: Difference;
}

export interface PhaseVerdicts {
  /** Phases that changed the procedure, and were judged. */
  readonly judged: number;
  /** Phases that did not change the procedure. */
  readonly unchanged: number;
  /** Executions with equal outcomes before and after a phase. */
  readonly equal: number;
  /** Executions that the oracle does not judge. */
  readonly open: number;
  /** Phases whose result cannot be imported, with the reasons. */
  readonly outside: readonly { readonly phase: string; readonly why: string }[];
  /** The first wrong phase; null if there is none. */
  readonly wrong: WrongPhase | null;
}

/** The fuel of the first program; a loop with random bounds need not end. */
const FUEL_MAX = 20_000;
/** A phase may multiply the executed values by `FUEL_FACTOR` and add `FUEL_MARGIN`. */
const FUEL_FACTOR = 4;
const FUEL_MARGIN = 1000;

/** One execution of the program before the current phase. */
interface ProgramExecution {
  readonly input: Input;
  readonly outcome: Outcome;
  readonly fuelUsed: number;
}

/** @throws ImportError where the text is malformed */
export function judgePhases(compilation: B3Compilation): PhaseVerdicts {
  const oracle = new Oracle();
  const outside: { phase: string; why: string }[] = [];
  const counts = { judged: 0, unchanged: 0, equal: 0, open: 0 };
  let before: { readonly text: string; readonly module: Module } | null = null;
  let executions: readonly ProgramExecution[] = [];
  const phases = importB3(compilation);
  // The program after the last phase shows most clearly which values are compared.
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
    const program = decodeLazily(module);
    const run = (input: Input, fuelMax: number): ProgramExecution => {
      const outcome = oracle.run(program, input, fuelMax);
      return { input, outcome, fuelUsed: oracle.fuelUsed };
    };
    if (before === null) {
      executions = inputs.map((input) => run(input, FUEL_MAX));
    } else {
      counts.judged++;
      const after = executions.map((execution) => {
        const { outcome, fuelUsed, input } = execution;
        return isJudged(outcome) ? run(input, FUEL_FACTOR * fuelUsed + FUEL_MARGIN) : execution;
      });
      for (const [i, { input, outcome }] of after.entries()) {
        const verdict = judge(executions[i].outcome, outcome);
        if (verdict.kind === "equal") counts.equal++;
        // The values read new bits of a NaN, which the language leaves open.
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
