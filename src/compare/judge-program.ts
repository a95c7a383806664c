// One program through the oracle and every subject, on every input: what a campaign does, program
// after program.

import type { Parts } from "../../reference/parts.js";
import { PARTS } from "../../reference/parts.js";
import { Continuations, type ResumeMode } from "../execute/continuations.js";
import { Emulators } from "../execute/emulator/emulators.js";
import type { ResumeFilter } from "../execute/machine/machine.js";
import type { CodeCounts, OpenSubject, Subject } from "../execute/subject.js";
import { DEFAULT_SETTINGS, type OptimizeSettings, Unit } from "../execute/unit.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeModule } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import { internalErrorOf } from "../support/assert.js";
import { type Ignored, judge, judgeSecond, unjudged, type Verdict } from "./compare.js";

/** One execution by one subject. */
export interface Judgement {
  /** Index of the input. */
  readonly input: number;
  readonly verdict: Verdict;
  /**
   * What the verdict is about. Null where it is equal, to keep nothing that nobody reads, and where
   * the subject has declined to run.
   */
  readonly outcome: Outcome | null;
  /** Of the run with other junk; null unless outcomes are kept. */
  readonly second: Outcome | null;
}

export interface SubjectResult {
  readonly subject: string;
  readonly judgements: readonly Judgement[];
  readonly counts: CodeCounts | null;
}

export interface ProgramResult {
  /** The oracle's outcomes, by input. */
  readonly expected: readonly Outcome[];
  /** Values that the entry executed, or one continuation if it was more, by input. */
  readonly fuelUsed: readonly number[];
  readonly results: readonly SubjectResult[];
  /** Phases and rules that the optimizer applied for some subject. */
  readonly applied: ReadonlySet<string>;
  /** Continuations that ran for compiled subjects, by who ran them. */
  readonly continued: Readonly<Record<string, number>>;
}

export interface JudgeOptions {
  readonly subjects: readonly Subject[];
  readonly fuelMax: number;
  readonly settings?: OptimizeSettings;
  readonly parts?: Parts;
  /** Comparisons that are left out; only to prove that each is needed. */
  readonly ignored?: Ignored;
  readonly resumeFilter?: ResumeFilter | null;
  /** How continuations run; drawn by default. */
  readonly resumes?: ResumeMode;
  /** Keep the outcomes of both runs, equal or not: `outcome` is then that of the first. */
  readonly keepOutcomes?: boolean;
  /** Verify every allocation; on by default. */
  readonly checkAllocation?: boolean;
}

/**
 * The oracle and the subjects of a process, opened once; emulators and arenas are reused by every
 * program.
 */
export class Judge {
  readonly oracle = new Oracle();
  private readonly subjects: readonly OpenSubject[];
  private readonly options: JudgeOptions;
  private readonly emulators = new Emulators();
  private readonly continuations: Continuations;

  /** Throws MissingLibrary if a subject needs what the machine lacks: ask `missing` before. */
  constructor(options: JudgeOptions) {
    this.options = options;
    const { parts = PARTS, resumeFilter = null, checkAllocation = true } = options;
    const { oracle } = this;
    const { resumes = "drawn" } = options;
    const continuations = new Continuations(oracle, parts, checkAllocation, resumes);
    this.continuations = continuations;
    const { emulators } = this;
    const workshop = { oracle, parts, emulators, continuations, resumeFilter, checkAllocation };
    this.subjects = options.subjects.map((subject) => subject.open(subject, workshop));
  }

  /**
   * @param own settings of this program alone
   * @param chosen by index of a subject: not 0 if it runs the program; null: all of them run it
   * The module is not changed. What a subject throws is thrown on as an InternalError, with the
   * subject's name in front.
   */
  judge(
    module: Module,
    inputs: readonly Input[],
    own: Partial<OptimizeSettings> = {},
    chosen: Uint8Array | null = null,
  ): ProgramResult {
    const { oracle, options } = this;
    const { settings = DEFAULT_SETTINGS, parts = PARTS, fuelMax } = options;
    const program = decodeModule(module);
    const expected: Outcome[] = [];
    const fuelUsed: number[] = [];
    for (const input of inputs) {
      expected.push(oracle.run(program, input, fuelMax));
      fuelUsed.push(Math.max(oracle.fuelUsed, oracle.resumedFuel));
    }
    const unit = new Unit(module, { ...settings, ...own }, parts);
    this.continuations.ran = {};
    const results = this.subjects.flatMap((subject, i) => {
      if (chosen !== null && chosen[i] === 0) return [];
      try {
        return [this.runSubject(options.subjects[i], subject, unit, inputs, expected, fuelUsed)];
      } catch (thrown) {
        const error = internalErrorOf(thrown);
        error.message = `${subject.name}: ${error.message}`;
        throw error;
      }
    });
    return {
      expected,
      fuelUsed,
      results,
      applied: unit.applied(),
      continued: this.continuations.ran,
    };
  }

  close(): void {
    for (const subject of this.subjects) subject.close();
    this.emulators.close();
    this.continuations.close();
  }

  private runSubject(
    { native }: Subject,
    subject: OpenSubject,
    unit: Unit,
    inputs: readonly Input[],
    expected: readonly Outcome[],
    fuelUsed: readonly number[],
  ): SubjectResult {
    const { fuelMax, ignored } = this.options;
    const prepared = subject.prepare(unit);
    const judgements = inputs.map((input, i): Judgement => {
      const declined = native ? unjudged(expected[i]) : null;
      if (declined !== null) return { input: i, verdict: declined, outcome: null, second: null };
      const first = prepared.run(input, 0, fuelUsed[i], fuelMax);
      const verdict = judge(expected[i], first, ignored);
      if (prepared.poisons.length === 1) return this.judgement(i, verdict, first, null, first);
      const second = prepared.run(input, 1, fuelUsed[i], fuelMax);
      const both = judgeSecond(verdict, expected[i], second, ignored);
      return this.judgement(i, both, first, second, both === verdict ? first : second);
    });
    if (judgements.some(({ verdict }) => verdict.kind === "different")) subject.distrust();
    return { subject: subject.name, judgements, counts: prepared.counts };
  }

  private judgement(
    input: number,
    verdict: Verdict,
    first: Outcome,
    second: Outcome | null,
    telling: Outcome,
  ): Judgement {
    if (this.options.keepOutcomes) return { input, verdict, outcome: first, second };
    const outcome = verdict.kind === "equal" ? null : telling;
    return { input, verdict, outcome, second: null };
  }
}
