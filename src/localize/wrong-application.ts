// Finds the application of the optimizer that makes a program wrong. The oracle runs the program after every phase,
// which identifies the first wrong phase. Bisection over the number of applications in it identifies one application of
// one rule. It needs no debugger, and only logarithmically many runs of the optimizer.

import type { Level } from "../../reference/levels.js";
import type { CountedApplication, OptimizeContext } from "../../reference/optimize/edit/context.js";
import { type AfterPhase, type OptimizeReport, optimize } from "../../reference/optimize.js";
import type { CompilerParts } from "../../reference/parts.js";
import type { Phase } from "../../reference/pipeline.js";
import type { TargetName } from "../../reference/target/target.js";
import { judge } from "../compare/compare.js";
import { describeWithComparison } from "../compare/describe-difference.js";
import {
  executionsOn,
  falseClaimBefore,
  hasCheckedClaims,
} from "../execute/claims/check-claims.js";
import type { FalseClaim } from "../execute/claims/claim.js";
import { fuelFor } from "../execute/fuel.js";
import { type OptimizeSettings, optionsOf } from "../execute/unit.js";
import { cloneModule } from "../ir/clone.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { printModule } from "../ir/text/print.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { describeError } from "../support/assert.js";

/** A program, its optimization settings, and the inputs on which it is wrong. */
export interface OptimizationCase {
  readonly module: Module;
  readonly inputs: readonly Input[];
  readonly level: Level;
  readonly target: TargetName | null;
  /** The settings, including the phases and rules that chaos has drawn. */
  readonly settings: OptimizeSettings;
  readonly parts: CompilerParts;
  readonly fuelMax: number;
}

/** The application that makes the program wrong. */
export interface WrongApplication {
  readonly phase: string;
  readonly procedure: string;
  /** The fault after it: a difference, a fault of the verifier, or an exception. */
  readonly detail: string;
  /**
   * The wrong application; null if a required phase is wrong, whose applications are not counted.
   */
  readonly application: CountedApplication | null;
  /** The first claim of an analysis that the phase relies on and that is false; null if there is none. */
  readonly claim: FalseClaim | null;
  /** Number of the application, from 1: with `--opt-limit` of one less the program is right. */
  readonly index: number;
  /** The number of all applications, without a limit. */
  readonly applications: number;
  /** The program after `--opt-limit index - 1` and after `--opt-limit index`. */
  readonly before: string;
  readonly after: string;
  /** The number of runs of the optimizer. */
  readonly runs: number;
}

/**
 * Returns the rule or phase application that makes the program wrong; null if the optimized program
 * is right on every input.
 */
export function findWrongApplication(optimization: OptimizationCase): WrongApplication | null {
  return new ApplicationSearch(optimization).find();
}

/**
 * Returns whether the completely optimized program is right on every input, without runs after each
 * phase.
 */
export const isOptimizedRight = (optimization: OptimizationCase): boolean =>
  new ApplicationSearch(optimization).isRightAtTheEnd();

interface Attempt {
  /** The fault; null if there is none. */
  readonly detail: string | null;
  /** The first wrong phase. */
  readonly phase: string;
  readonly procedure: string;
  /** The numbers of applications before and after the first wrong phase. */
  readonly first: number;
  readonly end: number;
  /** The program at the end, or at the first fault if the search stops there. */
  readonly text: string;
  readonly report: OptimizeReport | null;
}

/** The phase that currently runs, with the number of applications before it. */
interface RunningPhase {
  phase: string;
  procedure: string;
  /** The number of applications before it. */
  first: number;
  context: OptimizeContext | null;
}

class ApplicationSearch {
  private readonly optimization: OptimizationCase;
  private readonly oracle = new Oracle();
  private readonly expected: readonly Outcome[];
  private readonly fuelUsed: readonly number[];
  private runs = 0;

  constructor(optimization: OptimizationCase) {
    this.optimization = optimization;
    const program = decodeModule(optimization.module);
    const fuelUsed: number[] = [];
    this.expected = optimization.inputs.map((input) => {
      const outcome = this.oracle.run(program, input, optimization.fuelMax);
      fuelUsed.push(this.oracle.fuelUsed);
      return outcome;
    });
    this.fuelUsed = fuelUsed;
  }

  isRightAtTheEnd(): boolean {
    return this.attempt(this.optimization.settings.applicationsMax, "the end").detail === null;
  }

  find(): WrongApplication | null {
    const whole = this.attempt(this.optimization.settings.applicationsMax, "every phase");
    if (whole.detail === null) return null;
    const { phase, procedure, first, end } = whole;
    // Bisection over the number of applications. With the limit `first` the program is right,
    // because the phases before are right.
    let [right, wrong] = [first, end];
    let last = whole;
    while (wrong - right > 1) {
      const middle = (right + wrong) >>> 1;
      const attempt = this.attempt(middle, "the end");
      if (attempt.detail === null) right = middle;
      else [wrong, last] = [middle, attempt];
    }
    const after = end === first ? null : this.attempt(wrong, "the end");
    const before = this.attempt(right, "the end");
    const isCounted = after !== null && after.detail !== null && before.detail === null;
    return {
      phase,
      procedure,
      detail: (isCounted ? after.detail : null) ?? last.detail ?? "",
      application: isCounted ? (after.report?.last ?? null) : null,
      claim: isCounted ? this.falseClaim(whole) : null,
      index: isCounted ? wrong : first,
      applications: end,
      before: before.text,
      after: (isCounted ? after : whole).text,
      runs: this.runs,
    };
  }

  /**
   * Optimizes with at most this many applications, and judges the program after every phase or only
   * at the end.
   */
  private attempt(applicationsMax: number, judged: "every phase" | "the end"): Attempt {
    this.runs++;
    const { settings, parts, level, target } = this.optimization;
    const module = cloneModule(this.optimization.module);
    settings.plant?.(module);
    const wrong: Omit<Attempt, "report">[] = [];
    const at: RunningPhase = {
      phase: "none",
      procedure: module.entry.name,
      first: 0,
      context: null,
    };
    const rows = parts.phases.map(
      (row): Phase => ({
        ...row,
        run: (proc, context) => {
          at.phase = row.name;
          at.procedure = proc.name;
          at.first = context.applications;
          at.context = context;
          return row.run(proc, context);
        },
      }),
    );
    const ended = (detail: string | null, end: number) => {
      const { phase, procedure, first } = at;
      return { detail, phase, procedure, first, end, text: textOf(module) };
    };
    const afterPhase: AfterPhase = (_phase, _proc, end) => {
      const detail = judged === "every phase" && wrong.length === 0 ? this.faultOf(module) : null;
      if (detail !== null) wrong.push(ended(detail, end));
    };
    const options = { ...optionsOf(settings, parts), rows, applicationsMax, level, target };
    try {
      const report = optimize(module, { ...options, afterPhase });
      const whole = wrong[0] ?? ended(this.faultOf(module), report.applications);
      return { ...whole, report };
    } catch (error) {
      // A program that one phase leaves invalid makes a later phase fail, with any error.
      const first = wrong[0] ?? ended(describeError(error), at.context?.applications ?? 0);
      return { ...first, report: null };
    }
  }

  /** Returns the first claim that the phase relies on and that is false when the phase begins. */
  private falseClaim({ phase, procedure, first }: Attempt): FalseClaim | null {
    if (!hasCheckedClaims(phase)) return null;
    const { settings, parts, level, target, inputs, fuelMax } = this.optimization;
    const module = cloneModule(this.optimization.module);
    settings.plant?.(module);
    let wrong: FalseClaim | null = null;
    const rows = parts.phases.map(
      (row): Phase => ({
        ...row,
        run: (proc, context) => {
          const isWrongPhase = row.name === phase && proc.name === procedure;
          if (isWrongPhase && context.applications === first) {
            const executions = executionsOn(inputs, fuelMax);
            wrong = falseClaimBefore(phase, module, proc, context, executions);
          }
          return row.run(proc, context);
        },
      }),
    );
    this.runs++;
    const options = { ...optionsOf(settings, parts), rows, level, target };
    optimize(module, { ...options, applicationsMax: first });
    return wrong;
  }

  /** Returns the fault of the program in its current state; null if every judged input agrees. */
  private faultOf(module: Module): string | null {
    const [fault] = verify(module);
    if (fault !== undefined) return describeFault(fault);
    const program = decodeModule(module);
    const { inputs } = this.optimization;
    for (let i = 0; i < inputs.length; i++) {
      const outcome = this.oracle.run(program, inputs[i], fuelFor(this.fuelUsed[i]));
      const verdict = judge(this.expected[i], outcome);
      if (verdict.kind === "different") return describeWithComparison(verdict.difference);
    }
    return null;
  }
}

/** Prints a program, or the error if a planted bug has made it unprintable. */
function textOf(module: Module): string {
  try {
    return printModule(module);
  } catch (error) {
    return `; ${describeError(error)}\n`;
  }
}
