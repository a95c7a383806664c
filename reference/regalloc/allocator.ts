// The type of an allocator. Each allocator serves every target, and any compile can use any of
// them, so they check each other. reference/allocators.ts is the table of all.

import type { Lir, LirFacts, RegisterSet } from "../lir/lir.js";
import type { Allocation } from "./allocation.js";

/**
 * Fills `lir.location` and `allocation`.
 *
 * @param rows facts by LIR opcode
 * @param registers the registers that may be used; they may be fewer than the machine has
 */
export type AllocateFunction = (
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  allocation: Allocation,
) => void;

/**
 * Makes an allocator with arenas of its own, which it reuses from one procedure to the next. Two
 * allocators share nothing, so one may run while another is in the middle of a procedure.
 */
export type AllocatorFactory = () => AllocateFunction;
