// Draws bounds: numbers that the worlds of a program compare with; operands are at these numbers
// and next to them.

import { wordsOfNumber } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import { Int64, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { type Words, wideBits, wideWords } from "../ir/words.js";
import { SeedSource, type Source } from "../support/source.js";

/** Returns the same numbers for each type. */
export function boundsOf(seed: bigint): Words[][] {
  const source = new SeedSource(seed, "bounds");
  const numbers = Array.from({ length: BOUNDS }, () => drawNumber(source));
  return [[], ...VALUE_TYPES.map((type) => numbers.map((number) => wordsIn(type, number)))];
}
const BOUNDS = 2;

/** Draws mostly a power of two at a limit, or a neighbour, otherwise a small number. */
function drawNumber(source: Source): bigint {
  if (chance(source, 30)) return BigInt(source.below(40) - 8);
  const end = 1n << BigInt(ENDS[source.below(ENDS.length)]);
  return (chance(source, 40) ? -end : end) + BigInt(chance(source, 40) ? source.below(3) - 1 : 0);
}
/** Exponents of the limits of integers, of masks, and of exact floats. */
const ENDS = [7, 8, 15, 16, 24, 31, 31, 32, 32, 53, 62, 63, 63, 64];

function wordsIn(type: Type, number: bigint): Words {
  if (isFloating(type)) return wordsOfNumber(type, Number(number));
  const [lo, hi] = wideWords(number);
  return [lo, type === Int64 ? hi : 0];
}

/** Returns each bound, its lower neighbour, and its upper neighbour. */
export function atBound(bounds: readonly Words[], row: number): Words {
  const [lo, hi] = bounds[row % BOUNDS];
  return wideWords(wideBits(lo, hi) + BigInt(Math.floor(row / BOUNDS) - 1));
}
