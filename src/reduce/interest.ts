// Tests whether a candidate is interesting: it shows the signature, by itself and with the same cause.

import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import type { Subject } from "../execute/subject.js";
import type { OptimizeSettings } from "../execute/unit.js";
import { isJudged } from "../ir/outcome.js";
import { verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { InternalError } from "../support/assert.js";
import type { Candidate } from "./candidate.js";
import {
  isSameSignature,
  type ReductionSignature,
  signatureOfError,
  signaturesIn,
} from "./signature.js";

/** The fuel of a candidate, relative to the original program: an edit may make a loop endless. */
const FUEL_FACTOR = 4;
const FUEL_MIN = 2000;
const UNVERIFIED = { verify: false } as const;

export class InterestTest {
  private readonly signature: ReductionSignature;
  private readonly options: JudgeOptions;
  private readonly fuelMax: number;
  private judge: Judge;
  /** Verification after each phase is the most expensive test, so it comes last, and only if the signature appears. */
  private readonly verifiesLast: boolean;
  /** True if the oracle must judge an execution. */
  private readonly isJudged: boolean;
  private readonly keeps: (candidate: Candidate) => boolean;

  /**
   * @param start the program under reduction: its fuel limits that of candidates
   * @param keeps called only with candidates that show the signature
   */
  constructor(
    start: Candidate,
    signature: ReductionSignature,
    options: JudgeOptions,
    keeps: (candidate: Candidate) => boolean = () => true,
  ) {
    this.signature = signature;
    this.keeps = keeps;
    const subjects = options.subjects.filter(({ name }) => concerns(signature, name));
    this.fuelMax = fuelFor(start, options);
    this.options = { ...options, subjects, fuelMax: this.fuelMax };
    this.judge = new Judge(this.options);
    // If the original program has a judged execution, each candidate must have one, even if the
    // signature is a compiler error.
    this.isJudged = signature.kind === "difference" || this.isAnyJudged(start);
    this.verifiesLast = options.settings?.verify === true && this.showsCompiled(start, UNVERIFIED);
  }

  holds(candidate: Candidate): boolean {
    return this.shows(candidate) && this.keeps(candidate);
  }

  private shows(candidate: Candidate): boolean {
    if (verify(candidate.module).length > 0) return false;
    if (this.isJudged && !this.isAnyJudged(candidate)) return false;
    if (this.verifiesLast && !this.showsCompiled(candidate, UNVERIFIED)) return false;
    return this.showsCompiled(candidate, {});
  }

  private showsCompiled(
    { module, inputs }: Candidate,
    settings: Partial<OptimizeSettings>,
  ): boolean {
    const { judge, signature } = this;
    try {
      const signatures = signaturesIn(judge.judge({ module, inputs, own: settings }));
      return signatures.some((found) => isSameSignature(signature, found));
    } catch (error) {
      if (error instanceof InternalError)
        return isSameSignature(signature, signatureOfError(error));
      // Without verification, a later phase may fail arbitrarily on an invalid program: the verified run decides.
      if (settings !== UNVERIFIED) throw error;
      this.judge = new Judge(this.options);
      judge.close();
      return true;
    }
  }

  // Returns whether the oracle judges some execution. This cheap test comes first, and rejects most
  // candidates.
  private isAnyJudged({ module, inputs }: Candidate): boolean {
    const program = decodeModule(module);
    const { oracle } = this.judge;
    return inputs.some((input) => isJudged(oracle.run(program, input, this.fuelMax)));
  }

  close(): void {
    this.judge.close();
  }
}

const concerns = (signature: ReductionSignature, subject: Subject["name"]): boolean =>
  signature.kind === "internal-error" || signature.subject === subject;

/** Returns the fuel of an execution of a smaller program. */
export function fuelFor({ module, inputs }: Candidate, options: JudgeOptions): number {
  const judge = new Judge({ ...options, subjects: [], isPlain: false });
  const { fuelUsed } = judge.judge({ module, inputs });
  judge.close();
  return Math.min(options.fuelMax, FUEL_MIN + FUEL_FACTOR * Math.max(...fuelUsed));
}
