// Declares a canary: a bug that is planted in a part of the compiler or of the harness. It proves
// that a campaign of random programs finds such a bug.

import type { Aspect } from "../../compare/aspects.js";
import type { JudgeOptions } from "../../compare/judge-program.js";

/** The options of a judge that plant the bug of a canary. */
export type PlantedBug = Pick<
  JudgeOptions,
  "parts" | "settings" | "resumeFilter" | "resumes" | "checkAllocation" | "oracle"
>;

export interface Canary {
  readonly name: string;
  /** The stage in which the bug is planted. */
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
   * The comparisons that may find it. A canary that proves a comparison has only that one. The list
   * is empty if the allocation checker must find the bug before anything runs, or the plain
   * interpreter.
   */
  readonly about: readonly Aspect[];
  readonly subjects: readonly string[];
  /** The generator profile whose programs show the bug; absent: the usual one. */
  readonly profile?: string;
  /** The bug in one sentence. */
  readonly says: string;
  readonly open: () => PlantedBug;
}
