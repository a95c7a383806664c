// Generates the words of an input for an imported procedure: the address of the heap, the contents
// of the other registers, and the initial writes to the heap. The writes are pairs of an address
// and a number.

import { drawBits, drawBoundary, drawTame } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import { INITIAL_WRITES } from "../import/b3/surroundings.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { Double, Float, sizeOf, type Type } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import type { ChoiceSource } from "../support/source.js";
import type { HeapLocation } from "./heap-locations.js";

/** The share of inputs, in percent, whose heap contains only zeroes. */
const ZEROES = 10;

/** Returns a random input without initial writes. */
export function drawInput(source: ChoiceSource, module: Module): Input {
  const { parameters } = module.entry;
  const words = new Int32Array(2 * parameters.length);
  const first = firstWrite(parameters.length);
  for (const [p, { type }] of parameters.entries()) {
    const isAddress = p >= first && (p - first) % 2 === 0;
    if (p === 0) words.set([HEAP_BASE_LO, HEAP_BASE_HI], 0);
    else if (isAddress) words.set(unusedAddress(module), 2 * p);
    else if (p < first) words.set(draw(source, type), 2 * p);
  }
  return { words, heapSeed: chance(source, ZEROES) ? 0 : drawBits(source) | 1 };
}

/** Returns the index of the parameter with the address of the first initial write. */
const firstWrite = (parameters: number): number => parameters - 2 * INITIAL_WRITES.length;
/** Returns an address at the end of the heap, which marks an unused initial write. */
const unusedAddress = ({ heapSize }: Module): WordPair => [
  HEAP_BASE_LO + heapSize - 8,
  HEAP_BASE_HI,
];

/** Draws a register of eight bytes; a narrower argument is its low half. */
function draw(source: ChoiceSource, type: Type): WordPair {
  const narrow = type === Double && chance(source, 50) ? Float : type;
  if (chance(source, 15)) return [drawBits(source), narrow === Float ? 0 : drawBits(source)];
  return chance(source, 50) ? drawTame(source, narrow) : drawBoundary(source, narrow);
}

/**
 * Adds an initial write that stores the present contents of a heap location. It uses the first free
 * write of the location's size.
 */
export function withInitialWrite(
  input: Input,
  { distance, bytes, contents }: HeapLocation,
  module: Module,
): Input {
  const [free] = unusedAddress(module);
  const first = firstWrite(input.words.length / 2);
  const at = INITIAL_WRITES.findIndex(
    (type, w) => sizeOf(type) === bytes && input.words[2 * (first + 2 * w)] === free,
  );
  if (at < 0) return input;
  const words = input.words.slice();
  words.set([HEAP_BASE_LO + distance, HEAP_BASE_HI], 2 * (first + 2 * at));
  words.set(contents, 2 * (first + 2 * at + 1));
  return { words, heapSeed: input.heapSeed };
}

/**
 * Returns a copy that changes the low bits of one number. A directed input holds the simplest
 * number that takes its branch, often 0, which hides many differences.
 */
export function changeLowBits(
  source: ChoiceSource,
  { words: old, heapSeed }: Input,
  module: Module,
): Input {
  const words = old.slice();
  const first = firstWrite(words.length / 2);
  const [free] = unusedAddress(module);
  const used = module.entry.parameters.flatMap((_, p) => {
    if (p === 0) return [];
    if (p < first) return [p];
    return (p - first) % 2 === 1 && words[2 * (p - 1)] !== free ? [p] : [];
  });
  if (used.length > 0) words[2 * used[source.below(used.length)]] ^= drawBits(source) >>> 16;
  return { words, heapSeed };
}
