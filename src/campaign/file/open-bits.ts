// Computes the bits of a result that the language leaves open: those of NaNs, and bytes that
// nothing shows. It uses the comparison itself: a bit is open if the records with that bit flipped
// are judged equal, too.

import { judge } from "../../compare/compare.js";
import { outcomeOfRun, type RunResult } from "../../engine/run-answer.js";
import type { Outcome } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";

/**
 * The size in bytes of the longest NaN: all bits within this distance of an open bit are tested.
 */
const NEAR_BYTES = 8;

/**
 * Returns the open bits.
 * @param answer an answer that is judged equal to `expected`
 * @returns an array as long as the records, with 1 for each open bit. If an activation returns a
 * NaN after an exit, the records contain it twice, and its bits are not open.
 */
export function openBits(module: Module, expected: Outcome, answer: RunResult): Uint8Array {
  const records = answer.records.slice();
  const open = new Uint8Array(records.length);
  const isOpen = (at: number, bit: number): boolean => {
    records[at] ^= bit;
    const { kind } = judge(expected, outcomeOfRun(module, { ...answer, records }));
    records[at] ^= bit;
    return kind === "equal";
  };
  const near = new Set<number>();
  for (let at = 0; at < records.length; at++) {
    // One of the two lowest bits may be the only bit of a NaN's fraction.
    if (!isOpen(at, 1) && !isOpen(at, 2)) continue;
    for (let k = -NEAR_BYTES; k <= NEAR_BYTES; k++) near.add(at + k);
  }
  for (const at of [...near].sort((x, y) => x - y)) {
    if (at < 0 || at >= records.length) continue;
    for (let bit = 1; bit < 256; bit *= 2) {
      if (!isOpen(at, bit)) continue;
      open[at] |= bit;
      // The bit is set, so that no other bit is the last one of the fraction.
      records[at] |= bit;
    }
  }
  return open;
}
