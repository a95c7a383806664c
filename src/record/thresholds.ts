// Defines the parameters that decide when to record and when to abandon a recording. They are
// given, or drawn by a seed.

import { type ChoiceSource, SeedSource } from "../support/source.js";

export interface Thresholds {
  /**
   * The number of arrivals that make a loop head hot; the next two are for calls of a procedure,
   * and uses of an exit.
   */
  readonly hotLoop: number;
  readonly hotCall: number;
  readonly hotExit: number;
  /** Maximum numbers of values and exits in one trace; a larger recording is abandoned. */
  readonly valuesMax: number;
  readonly exitsMax: number;
  /**
   * Maximum number of frames that calls add to a trace, and among them of activations of one
   * procedure.
   */
  readonly framesMax: number;
  readonly recursionMax: number;
  /** Maximum number of returns below the activation in which a trace begins; then it ends. */
  readonly returnsMax: number;
  /** Whether a recorded call of a procedure with a trace ends the trace, linked to that one. */
  readonly linksCalls: boolean;
  /**
   * Whether a trace that loops contains its first iteration separately, before the loop
   * (unroll-trace.ts).
   */
  readonly unrolls: boolean;
  /** Maximum attempts to record one head or exit; each failure multiplies its threshold. */
  readonly attemptsMax: number;
  readonly penalty: number;
  /** Maximum number of live traces, and of exits to the interpreter until all traces are discarded. */
  readonly tracesMax: number;
  readonly entriesPerFlush: number;
  /** Whether exits with a side trace are linked to it in code, if code can be patched. */
  readonly patches: boolean;
}

/** The default values. `fuzz trace` and regressions use the names. */
export const USUAL_THRESHOLDS: Thresholds = {
  hotLoop: 3,
  hotCall: 3,
  hotExit: 2,
  valuesMax: 400,
  exitsMax: 60,
  framesMax: 6,
  recursionMax: 2,
  returnsMax: 2,
  linksCalls: true,
  unrolls: true,
  attemptsMax: 3,
  penalty: 2,
  tracesMax: 50,
  entriesPerFlush: 100_000,
  patches: true,
};

/** Returns the usual thresholds, with heads and exits that become hot at `hot`. */
export const hotAt = (hot: number): Thresholds => ({
  ...USUAL_THRESHOLDS,
  hotLoop: hot,
  hotCall: hot,
  hotExit: hot,
});

/**
 * Returns the thresholds for the program of a seed; for 0, which stands for no seed, the usual
 * ones.
 */
export const thresholdsOfSeed = (seed: bigint): Thresholds =>
  seed === 0n ? USUAL_THRESHOLDS : drawThresholds(new SeedSource(seed, "traces"));

function drawThresholds(source: ChoiceSource): Thresholds {
  const oneOf = <T>(choices: readonly T[]): T => choices[source.below(choices.length)];
  return {
    hotLoop: oneOf([1, 1, 2, 3, 6]),
    hotCall: oneOf([1, 1, 2, 4]),
    hotExit: oneOf([1, 1, 2, 3]),
    valuesMax: oneOf([100, 200, 400, 800]),
    exitsMax: oneOf([8, 30, 60]),
    framesMax: oneOf([0, 1, 3, 6]),
    recursionMax: oneOf([0, 1, 2, 4]),
    linksCalls: oneOf([true, false]),
    unrolls: oneOf([true, true, false]),
    attemptsMax: oneOf([1, 2, 4]),
    penalty: oneOf([1, 2, 4]),
    tracesMax: oneOf([2, 10, 50]),
    entriesPerFlush: oneOf([5, 40, 100_000]),
    patches: oneOf([true, true, false]),
    returnsMax: oneOf([0, 0, 1, 3]),
  };
}
