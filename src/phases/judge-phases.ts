// Runs a procedure in the oracle after each phase of a compiler. A correct phase preserves the behavior, or allows less
// of it. No compiled code runs, so the phase causes every difference.

import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import type { PhaseProgram, PhaseSubject } from "./phase-subject.js";

/** A phase that changes the behavior of the procedure, or breaks a rule of the compiler's IR. */
export interface WrongPhase {
  readonly name: string;
  /** The program before and after the phase; null after it, if the text violates a rule. */
  readonly modules: { readonly before: Module; readonly after: Module | null };
  /** The texts of the log. */
  readonly texts: { readonly before: string; readonly after: string };
  /** The line of the log at which the text after the phase begins. */
  readonly line: number;
  readonly input: Input;
  /** The outcome before the phase. */
  readonly expected: Outcome;
  readonly difference: string;
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

/** One execution of the program before the current phase. */
interface ProgramExecution {
  readonly input: Input;
  readonly outcome: Outcome;
  readonly fuelUsed: number;
}

/** @throws ImportError where a text is malformed */
export function judgePhases(subject: PhaseSubject): PhaseVerdicts {
  return new PhaseJudge(subject).run();
}

class PhaseJudge {
  private readonly subject: PhaseSubject;
  private readonly oracle = new Oracle();
  private readonly outside: { phase: string; why: string }[] = [];
  private readonly counts = { judged: 0, unchanged: 0, equal: 0, open: 0 };
  private before: PhaseProgram | null = null;
  private executions: readonly ProgramExecution[] = [];

  constructor(subject: PhaseSubject) {
    this.subject = subject;
  }

  run(): PhaseVerdicts {
    const inputs = this.subject.inputs();
    let wrong: WrongPhase | null = null;
    for (const program of this.subject.programs()) {
      wrong = this.judgeProgram(program, inputs);
      if (wrong !== null) break;
    }
    return { ...this.counts, outside: this.outside, wrong };
  }

  private judgeProgram(program: PhaseProgram, inputs: readonly Input[]): WrongPhase | null {
    const { modules, name, refusal } = program;
    if (program.isSame) {
      this.counts.unchanged++;
      return null;
    }
    const invalid = this.phaseWithViolation(program);
    if (invalid !== null) return invalid;
    if (modules === null) {
      this.outside.push({ phase: name, why: refusal });
      return null;
    }
    const { fuelMax } = this.subject;
    const before = decodeLazily(modules.before);
    const { before: previous } = this;
    this.before = program;
    if (previous === null) {
      this.executions = inputs.map((input) => this.execute(before, input, fuelMax));
      return null;
    }
    const isShared = modules.before === modules.after;
    const after = isShared ? before : decodeLazily(modules.after);
    const wrong = this.compareAll(previous, program, after);
    if (wrong === null && !isShared)
      this.executions = this.executions.map((execution) => this.executeAgain(before, execution));
    return wrong;
  }

  /** Runs a later program on the input; a judged execution has the fuel of the earlier one and a margin. */
  private executeAgain(program: DecodedModule, earlier: ProgramExecution): ProgramExecution {
    const { outcome, input, fuelUsed } = earlier;
    if (!this.subject.isJudged(outcome)) return earlier;
    return this.execute(program, input, this.subject.fuelAfter(fuelUsed));
  }

  /** Returns the phase as wrong if its text violates a rule of the IR that the text before it keeps. */
  private phaseWithViolation(after: PhaseProgram): WrongPhase | null {
    const { before } = this;
    const [execution] = this.executions;
    if (after.violation === null || before === null || execution === undefined) return null;
    this.counts.judged++;
    const { input, outcome: expected } = execution;
    return wrongPhase(before, after, { input, expected, difference: after.violation });
  }

  private execute(program: DecodedModule, input: Input, fuelMax: number): ProgramExecution {
    const outcome = this.oracle.run(program, input, fuelMax);
    return { input, outcome, fuelUsed: this.oracle.fuelUsed };
  }

  /** Runs the program after a phase on all inputs; stops at the first difference. */
  private compareAll(
    before: PhaseProgram,
    program: PhaseProgram,
    after: DecodedModule,
  ): WrongPhase | null {
    const { subject, counts } = this;
    counts.judged++;
    const executions: ProgramExecution[] = [];
    for (const execution of this.executions) {
      const { outcome: expected, input } = execution;
      const next = this.executeAgain(after, execution);
      executions.push(next);
      const verdict = subject.compare(expected, next.outcome);
      if (verdict.kind === "equal") counts.equal++;
      else if (verdict.kind === "open" || subject.reasonToDiscard(before, program, input) !== null)
        counts.open++;
      else return wrongPhase(before, program, { input, expected, difference: verdict.difference });
    }
    this.executions = executions;
    return null;
  }
}

function wrongPhase(
  before: PhaseProgram,
  after: PhaseProgram,
  found: Pick<WrongPhase, "input" | "expected" | "difference">,
): WrongPhase | null {
  if (before.modules === null) return null;
  const { name, line } = after;
  return {
    ...{ name, line, ...found },
    texts: { before: before.text, after: after.text },
    modules: { before: before.modules.before, after: after.modules?.after ?? null },
  };
}
