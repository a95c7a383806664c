// What an allocator is. Each serves every target, and any compile can use any of them: so one is a
// witness against another. The table of all is reference/allocators.ts.

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

/**
 * Makes an allocator with arenas of its own, which it reuses from one procedure to the next. Two that
 * are made share nothing, so one may run while another is in the middle of a procedure.
 */
export type NewAllocator = () => Allocate;
