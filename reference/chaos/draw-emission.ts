// Draws the chaos settings of register allocation and code emission. None of them may change a
// result.

import type { ChoiceSource } from "../../src/support/source.js";
import type { PressureSettings } from "../regalloc/pressure.js";

interface ChaosEmission {
  /**
   * Bytes that branches may span before they take their long form; null for the limit of the
   * target.
   */
  readonly branchReach: number | null;
  /** Constraints that make allocation difficult; null for none. */
  readonly pressure: PressureSettings | null;
  /** Carries 64-bit values in two registers where possible. */
  readonly halves: boolean;
}

/**
 * One program in this many has a short branch reach: from two words up to most of a usual
 * procedure.
 */
const SHORT_REACH_ONE_IN = 4;
const REACHES = [8, 32, 128, 512];

const HALVES_ONE_IN = 4;

/** One program in this many is under pressure. Each kind of pressure is then drawn separately. */
const PRESSURE_ONE_IN = 2;
const REGISTER_COUNTS = [null, null, 2, 2, 3, 4, 5, 6, 8, 10];
const GHOST_SHARES = [0, 0, 1, 4, 16];
const PLACE_SHARES = [0, 0, 1, 2, 8];

/** @param seed the seed of all chaos of the program */
export function drawEmission(source: ChoiceSource, seed: bigint): ChaosEmission {
  const isShort = source.below(SHORT_REACH_ONE_IN) === 0;
  const branchReach = isShort ? REACHES[source.below(REACHES.length)] : null;
  const pressure = drawPressure(source, seed);
  return { branchReach, pressure, halves: source.below(HALVES_ONE_IN) === 0 };
}

function drawPressure(source: ChoiceSource, seed: bigint): PressureSettings | null {
  if (source.below(PRESSURE_ONE_IN) > 0) return null;
  return {
    registers: REGISTER_COUNTS[source.below(REGISTER_COUNTS.length)],
    ghosts: GHOST_SHARES[source.below(GHOST_SHARES.length)],
    places: PLACE_SHARES[source.below(PLACE_SHARES.length)],
    reorders: source.below(2) === 0,
    seed,
  };
}
