// What an allocator is, and the table of them. Each serves every target, and any compile can use any
// of them: they are witnesses against each other.

import type { Lir, LirFacts, RegisterSet } from "../lir/lir.js";
import type { Allocation } from "./allocation.js";
import { allocateColouring } from "./colouring.js";
import { allocateLinearScan } from "./linear-scan.js";
import { allocateOnePass } from "./one-pass.js";

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

export const ALLOCATOR_NAMES = ["linear-scan", "colouring", "one-pass"] as const;
export type AllocatorName = (typeof ALLOCATOR_NAMES)[number];

export const ALLOCATORS: { readonly [A in AllocatorName]: Allocate } = {
  "linear-scan": allocateLinearScan,
  colouring: allocateColouring,
  "one-pass": allocateOnePass,
};
