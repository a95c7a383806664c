// Which application of the optimizer makes a program wrong: the oracle runs the program after every
// phase, which names the first wrong one; bisection over the number of applications within it names
// one application of one rule. No debugger, and no more runs of the optimizer than a logarithm.

import type { Level } from "../../reference/levels.js";
import type { Application, OptimizeContext } from "../../reference/optimize/edit/context.js";
import { type AfterPhase, type OptimizeReport, optimize } from "../../reference/optimize.js";
import type { Parts } from "../../reference/parts.js";
import type { Phase } from "../../reference/pipeline.js";
import type { TargetName } from "../../reference/target/target.js";
import { judge } from "../compare/compare.js";
import { describeSeen } from "../compare/describe-difference.js";
import { executionsOn, falseClaimBefore, reliesOnClaims } from "../execute/claims/check-claims.js";
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

/** The program, how it is optimized, and the inputs on which it goes wrong. */
export interface Question {
  readonly module: Module;
  readonly inputs: readonly Input[];
  readonly level: Level;
  readonly target: TargetName | null;
  /** With phases and rules as chaos has drawn them, if it has. */
  readonly settings: OptimizeSettings;
  readonly parts: Parts;
  readonly fuelMax: number;
}

/** The optimizer is to blame. */
export interface Guilty {
  readonly phase: string;
  readonly procedure: string;
  /** What is wrong after it: a difference, a fault of the verifier, or what was thrown. */
  readonly detail: string;
  /** Null where a required phase is wrong, whose work is not counted. */
  readonly application: Application | null;
  /** The first claim of an analysis that the phase relies on and that is false; null if there is none. */
  readonly claim: FalseClaim | null;
  /** Number of the application, from 1: `--opt-limit` of one less is right. */
  readonly index: number;
  /** In all, where nothing is limited. */
  readonly applications: number;
  /** The program, as `--opt-limit index - 1` and `--opt-limit index` leave it. */
  readonly before: string;
  readonly after: string;
  /** Runs of the optimizer that it took. */
  readonly runs: number;
}

/** Null if what the optimizer makes is right on every input. */
export function findGuilty(question: Question): Guilty | null {
  return new Search(question).find();
}

/** True if the optimized program is right on every input; earlier phases are not run in the oracle. */
export const isOptimizedRight = (question: Question): boolean =>
  new Search(question).isRightAtTheEnd();

interface Attempt {
  /** What is wrong; null if nothing. */
  readonly detail: string | null;
  /** Of the first wrong phase. */
  readonly phase: string;
  readonly procedure: string;
  /** Applications when the first wrong phase began, and when it had run. */
  readonly first: number;
  readonly end: number;
  /** What the program looks like at the end; where it was wrong, if it stops there. */
  readonly text: string;
  readonly report: OptimizeReport | null;
}

/** The phase that runs. */
interface Place {
  phase: string;
  procedure: string;
  /** Applications when it began. */
  first: number;
  context: OptimizeContext | null;
}

class Search {
  private readonly question: Question;
  private readonly oracle = new Oracle();
  private readonly expected: readonly Outcome[];
  private readonly fuelUsed: readonly number[];
  private runs = 0;

  constructor(question: Question) {
    this.question = question;
    const program = decodeModule(question.module);
    const fuelUsed: number[] = [];
    this.expected = question.inputs.map((input) => {
      const outcome = this.oracle.run(program, input, question.fuelMax);
      fuelUsed.push(this.oracle.fuelUsed);
      return outcome;
    });
    this.fuelUsed = fuelUsed;
  }

  isRightAtTheEnd(): boolean {
    return this.attempt(this.question.settings.applicationsMax, "the end").detail === null;
  }

  find(): Guilty | null {
    const whole = this.attempt(this.question.settings.applicationsMax, "every phase");
    if (whole.detail === null) return null;
    const { phase, procedure, first, end } = whole;
    // A limit of `first` is right where the guilty application is counted: the phases before it are.
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

  /** Optimizes with so many applications; the oracle runs the program after each phase or only at the end. */
  private attempt(applicationsMax: number, asked: "every phase" | "the end"): Attempt {
    this.runs++;
    const { settings, parts, level, target } = this.question;
    const module = cloneModule(this.question.module);
    settings.plant?.(module);
    const wrong: Omit<Attempt, "report">[] = [];
    const at: Place = { phase: "none", procedure: module.entry.name, first: 0, context: null };
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
      const detail = asked === "every phase" && wrong.length === 0 ? this.faultOf(module) : null;
      if (detail !== null) wrong.push(ended(detail, end));
    };
    const options = { ...optionsOf(settings, parts), rows, applicationsMax, level, target };
    try {
      const report = optimize(module, { ...options, afterPhase });
      const whole = wrong[0] ?? ended(this.faultOf(module), report.applications);
      return { ...whole, report };
    } catch (error) {
      // A program that one phase leaves invalid makes a later one fail, with any error.
      const first = wrong[0] ?? ended(describeError(error), at.context?.applications ?? 0);
      return { ...first, report: null };
    }
  }

  /** Returns the first claim that the phase relies on and that is false where the phase begins. */
  private falseClaim({ phase, procedure, first }: Attempt): FalseClaim | null {
    if (!reliesOnClaims(phase)) return null;
    const { settings, parts, level, target, inputs, fuelMax } = this.question;
    const module = cloneModule(this.question.module);
    settings.plant?.(module);
    let wrong: FalseClaim | null = null;
    const rows = parts.phases.map(
      (row): Phase => ({
        ...row,
        run: (proc, context) => {
          const isIt = row.name === phase && proc.name === procedure;
          if (isIt && context.applications === first) {
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

  /** What is wrong with the program as it stands; null if every judged input agrees. */
  private faultOf(module: Module): string | null {
    const [fault] = verify(module);
    if (fault !== undefined) return describeFault(fault);
    const program = decodeModule(module);
    const { inputs } = this.question;
    for (let i = 0; i < inputs.length; i++) {
      const outcome = this.oracle.run(program, inputs[i], fuelFor(this.fuelUsed[i]));
      const verdict = judge(this.expected[i], outcome);
      if (verdict.kind === "different") return describeSeen(verdict.difference);
    }
    return null;
  }
}

// A program that a planted bug has made invalid may not even print.
function textOf(module: Module): string {
  try {
    return printModule(module);
  } catch (error) {
    return `; ${describeError(error)}\n`;
  }
}
