// Linear scan with more registers than any code needs: what it still moves is what fixed registers,
// reused inputs and Phis ask for. Nothing can be emitted of it; it is the measure for what an allocator
// costs.

import type { Lir, LirFacts, RegisterSet } from "../../lir/lir.js";
import { SLOT } from "../../lir/lir.js";
import type { Allocation } from "../allocation.js";
import type { Allocate } from "../allocator.js";

/** Further registers of each bank; that nothing went to memory says that they were enough. */
const MORE = 2048;

/**
 * Fills `lir.location` and `allocation`; from SLOT on locations are the further registers. No call
 * destroys these, and no prologue saves them.
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
