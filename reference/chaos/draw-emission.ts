// What chaos draws of how code is written and registers are given: choices that must not show.

import type { Source } from "../../src/support/source.js";
import type { PressurePlan } from "../regalloc/pressure.js";

interface EmissionPlan {
  /** Bytes that branches may span before they take their long form; null: what the target can. */
  readonly branchReach: number | null;
  /** What makes allocation hard; null: nothing. */
  readonly pressure: PressurePlan | null;
  /** Carry values of 64 bits in two registers where that can be. */
  readonly pieces: boolean;
}

/** One program in so many has a short reach: two words, up to most of a usual procedure. */
const SHORT_REACH_ONE_IN = 4;
const REACHES = [8, 32, 128, 512];

const PIECES_ONE_IN = 4;

/** One program in so many is under pressure, of each kind or not. */
const PRESSURE_ONE_IN = 2;
const REGISTER_COUNTS = [null, null, 2, 2, 3, 4, 5, 6, 8, 10];
const GHOST_SHARES = [0, 0, 1, 4, 16];
const PLACE_SHARES = [0, 0, 1, 2, 8];

/** @param seed that of all of the program's chaos */
export function drawEmission(source: Source, seed: bigint): EmissionPlan {
  const isShort = source.below(SHORT_REACH_ONE_IN) === 0;
  const branchReach = isShort ? REACHES[source.below(REACHES.length)] : null;
  const pressure = drawPressure(source, seed);
  return { branchReach, pressure, pieces: source.below(PIECES_ONE_IN) === 0 };
}

function drawPressure(source: Source, seed: bigint): PressurePlan | null {
  if (source.below(PRESSURE_ONE_IN) > 0) return null;
  return {
    registers: REGISTER_COUNTS[source.below(REGISTER_COUNTS.length)],
    ghosts: GHOST_SHARES[source.below(GHOST_SHARES.length)],
    places: PLACE_SHARES[source.below(PLACE_SHARES.length)],
    reorders: source.below(2) === 0,
    seed,
  };
}
