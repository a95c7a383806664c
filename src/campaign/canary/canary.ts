// What a canary is: a bug that is planted in a part of the compiler or of the harness, to prove
// that a campaign of random programs would find it.

import type { Aspect } from "../../compare/aspects.js";
import type { JudgeOptions } from "../../compare/judge-program.js";

/** What a canary changes in the judging of a program. */
export type Planted = Pick<
  JudgeOptions,
  "parts" | "settings" | "resumeFilter" | "resumes" | "checkAllocation" | "oracle"
>;

export interface Canary {
  readonly name: string;
  /** Where the bug is planted. */
  readonly stage:
    | "optimize"
    | "lower"
    | "allocate"
    | "emit"
    | "frame"
    | "exits"
    | "harness"
    | "record"
    | "oracle";
  /**
   * The comparisons that may find it; one alone for those that prove a comparison, none for those
   * that the allocation checker must find before anything runs, or the plain interpreter.
   */
  readonly about: readonly Aspect[];
  readonly subjects: readonly string[];
  /** How seeds are read; absent: as usual. */
  readonly profile?: string;
  /** What is wrong, in a sentence. */
  readonly says: string;
  readonly open: () => Planted;
}
