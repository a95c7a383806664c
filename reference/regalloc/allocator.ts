// What an allocator is, and the names of all. Each serves every target, and any compile can use any of
// them: they are witnesses against each other. parts.ts has the table.

import type { Lir, LirFacts, RegisterSet } from "../lir/lir.js";
import type { Allocation } from "./allocation.js";

/**
 * Fills `lir.location` and `allocation`.
 *
 * @param rows facts by LIR opcode
 * @param registers what may be used; it may be less than the machine has
 */
export type Allocate = (
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  allocation: Allocation,
) => void;
