// Runs linear scan with more registers than any code needs. The remaining moves are those that
// fixed registers, reused inputs and Phis require. The result cannot be emitted; it is the baseline
// for the cost of an allocator.

import type { Lir, LirFacts, RegisterSet } from "../../lir/lir.js";
import { SLOT } from "../../lir/lir.js";
import type { Allocation } from "../allocation.js";
import type { Allocate } from "../allocator.js";

/** Additional registers of each bank. If no value goes to memory, they were enough. */
const MORE = 2048;

/**
 * Fills `lir.location` and `allocation`. Locations from SLOT on are the additional registers. No
 * call destroys these, and no prologue saves them.
 */
export function allocateUnlimited(
  linearScan: Allocate,
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  allocation: Allocation,
): void {
  const { general, vector } = registers;
  const callerSaved = new Uint8Array(SLOT + 2 * MORE);
  callerSaved.set(registers.callerSaved);
  const more = (first: number) => Array.from({ length: MORE }, (_, k) => first + k);
  const wide = {
    ...registers,
    general: [...general, ...more(SLOT)],
    vector: [...vector, ...more(SLOT + MORE)],
    callerSaved,
  };
  linearScan(lir, rows, wide, allocation);
}
