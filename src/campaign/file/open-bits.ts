// Which bits of what a program left the language leaves open: those of NaNs, and bytes that nothing shows. Asked of
// the comparison itself: a bit is open if the records with the other bit in its place are judged equal, too.

import { judge } from "../../compare/compare.js";
import { outcomeOfRun, type RunAnswer } from "../../engine/run-answer.js";
import type { Outcome } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";

/** The bits of all others near one that is open are asked for: it may be of a NaN as long as this. */
const NEAR_BYTES = 8;

/**
 * @param answer what is judged equal to `expected`
 * @returns as long as its records; 1 for each bit that may be another. A NaN that an activation which left
 *   returns stands there twice, and is taken as it is.
 */
export function openBits(module: Module, expected: Outcome, answer: RunAnswer): Uint8Array {
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
    // Of a NaN one of the two lowest bits may be the only one of its fraction.
    if (!isOpen(at, 1) && !isOpen(at, 2)) continue;
    for (let k = -NEAR_BYTES; k <= NEAR_BYTES; k++) near.add(at + k);
  }
  for (const at of [...near].sort((x, y) => x - y)) {
    if (at < 0 || at >= records.length) continue;
    for (let bit = 1; bit < 256; bit *= 2) {
      if (!isOpen(at, bit)) continue;
      open[at] |= bit;
      // Set, so that no other bit is the last of the fraction.
      records[at] |= bit;
    }
  }
  return open;
}
