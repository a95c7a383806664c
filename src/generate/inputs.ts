// Draws the inputs of a program: boundary values, ordinary numbers, and values near the constants
// with which the program compares its parameters. An input often differs from the previous one in a
// single parameter, so that paths diverge late.

import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../ir/outcome.js";
import type { Procedure } from "../ir/procedure.js";
import { Int32, Int64, isFloating, isWide, type Type } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import type { ChoiceSource } from "../support/source.js";
import { drawBits, drawBoundary, drawTame } from "./maker/constants.js";
import type { ParameterAim } from "./maker/maker.js";
import { chance, type DialValues } from "./maker/odds.js";

const COUNT_MIN = 4;

/** Draws input tuples for the entry; the parameter at `heapBaseAt` is always the heap's base. */
export function drawInputs(
  source: ChoiceSource,
  entry: Procedure,
  heapBaseAt: number,
  aims: readonly ParameterAim[],
  dials: DialValues,
): Input[] {
  const count = COUNT_MIN + source.below(3);
  const inputs: Input[] = [];
  for (let i = 0; i < count; i++) {
    source.begin("input");
    const previous = i > 0 && chance(source, 40) ? inputs[i - 1] : null;
    const words = new Int32Array(2 * entry.parameters.length);
    if (previous !== null) words.set(previous.words);
    const changed = source.below(entry.parameters.length);
    for (let p = 0; p < entry.parameters.length; p++) {
      if (p === heapBaseAt) {
        words[2 * p] = HEAP_BASE_LO;
        words[2 * p + 1] = HEAP_BASE_HI;
      } else if (previous === null || p === changed) {
        const [lo, hi] = drawArgument(source, entry.parameters[p].type, p, aims, dials, words);
        words[2 * p] = lo;
        words[2 * p + 1] = hi;
      }
    }
    const isSame = previous !== null && chance(source, 60);
    const fresh = chance(source, dials.zeroHeap) ? 0 : drawBits(source) | 1;
    inputs.push({ words, heapSeed: isSame ? previous.heapSeed : fresh });
    source.end();
  }
  return inputs;
}

function drawArgument(
  source: ChoiceSource,
  type: Type,
  parameter: number,
  aims: readonly ParameterAim[],
  dials: DialValues,
  made: Int32Array,
): WordPair {
  if (aims.length > 0 && chance(source, 45)) {
    // The first aim at this parameter, from a random one on; each is a comparison that the input
    // may reach.
    const first = source.below(aims.length);
    for (let i = 0; i < aims.length; i++) {
      const aim = aims[(first + i) % aims.length];
      if (aim.parameter !== parameter) continue;
      const { like } = aim;
      // The value of an earlier parameter.
      const words = like === null ? aim.words : ([made[2 * like], made[2 * like + 1]] as const);
      return nearTo(source, type, words);
    }
  }
  if (isFloating(type)) {
    if (chance(source, dials.tame)) return drawTame(source, type);
    if (chance(source, 75)) return drawBoundary(source, type);
    return [drawBits(source), isWide(type) ? drawBits(source) : 0];
  }
  const roll = source.below(20);
  if (roll < 6) return [source.below(17), 0];
  if (roll < 14) return drawBoundary(source, type);
  return [drawBits(source), type === Int64 ? drawBits(source) : 0];
}

// Returns exactly the value in three of five cases; otherwise the next number, or for a float the
// next bits or the other sign.
function nearTo(source: ChoiceSource, type: Type, [lo, hi]: WordPair): WordPair {
  const roll = source.below(5);
  if (roll < 3) return [lo, hi];
  if (isFloating(type) && roll === 3) {
    return isWide(type) ? [lo, hi ^ 0x80000000] : [lo ^ 0x80000000, 0];
  }
  const isUp = chance(source, 50);
  const next = (lo + (isUp ? 1 : -1)) | 0;
  if (type === Int32 || !isWide(type)) return [next, 0];
  const carries = isUp ? next === 0 : next === -1;
  return [next, carries ? (hi + (isUp ? 1 : -1)) | 0 : hi];
}
