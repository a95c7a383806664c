// What decides when something is recorded and when recording gives up: parameters, drawn by a seed or
// given.

import { SeedSource, type Source } from "../support/source.js";

export interface Thresholds {
  /** Arrivals at a loop's head, calls of a procedure, and leavings by one exit, until it is hot. */
  readonly hotLoop: number;
  readonly hotCall: number;
  readonly hotExit: number;
  /** Values and exits of one trace: beyond, recording gives up. */
  readonly valuesMax: number;
  readonly exitsMax: number;
  /** Frames that calls add to a trace, and among them activations of one procedure. */
  readonly framesMax: number;
  readonly recursionMax: number;
  /** A recorded call of a procedure that has a trace ends the trace, linked to that one. */
  readonly linksCalls: boolean;
  /** The first iteration of a loop stands in front of it (unroll-trace.ts). */
  readonly unrolls: boolean;
  /** Attempts to record one head or exit; each that fails multiplies what it has to wait. */
  readonly attemptsMax: number;
  readonly penalty: number;
  /** Traces that may live at one time, and entries into traces after which all are thrown away. */
  readonly tracesMax: number;
  readonly entriesPerFlush: number;
  /** Exits that have a side trace are linked to it in code, where code can be patched. */
  readonly patches: boolean;
}

/** What a row may be: `fuzz trace` and regressions name them so. */
export const USUAL_THRESHOLDS: Thresholds = {
  hotLoop: 3,
  hotCall: 3,
  hotExit: 2,
  valuesMax: 400,
  exitsMax: 60,
  framesMax: 6,
  recursionMax: 2,
  linksCalls: true,
  unrolls: true,
  attemptsMax: 3,
  penalty: 2,
  tracesMax: 50,
  entriesPerFlush: 100_000,
  patches: true,
};

/** The usual ones, where heads and exits become hot at `hot`. */
export const hotAt = (hot: number): Thresholds => ({
  ...USUAL_THRESHOLDS,
  hotLoop: hot,
  hotCall: hot,
  hotExit: hot,
});

/** Those of the program of a seed; of 0, which stands for no seed, the usual ones. */
export const thresholdsOfSeed = (seed: bigint): Thresholds =>
  seed === 0n ? USUAL_THRESHOLDS : drawThresholds(new SeedSource(seed, "traces"));

function drawThresholds(source: Source): Thresholds {
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
  };
}
