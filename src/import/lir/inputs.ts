// Draws inputs of an imported program.

import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../../ir/outcome.js";
import { sizeOf } from "../../ir/types.js";
import type { ChoiceSource } from "../../support/source.js";
import type { ImportedLir } from "./import-lir.js";

/** Small numbers, and the limits of ints. */
const WORDS = [0, 1, -1, 2, 7, 100, 0x7fff_ffff, 1 << 31, 0x1234_5678];

/** Draws the parameters of the entry; the heap holds zeroes. */
export function lirInput({ module, hasHeap }: ImportedLir, source: ChoiceSource): Input {
  const drawn = (): number => WORDS[source.below(WORDS.length)];
  const words = module.entry.parameters.flatMap(({ type }, i) => {
    if (i === 0 && hasHeap) return [HEAP_BASE_LO, HEAP_BASE_HI];
    const lo = drawn();
    if (sizeOf(type) === 4) return [lo, 0];
    return [lo, source.below(2) === 0 ? lo >> 31 : drawn()];
  });
  return { words: Int32Array.from(words), heapSeed: 0 };
}
