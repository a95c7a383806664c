// The rule of allocation: an allocator fills in locations and moves, clean-up drops moves that do
// nothing, and the checker judges the result. No other code runs the three in sequence.

import type { Lir, LirFacts, RegisterSet } from "./lir/lir.js";
import type { Allocation } from "./regalloc/allocation.js";
import type { Allocate, NewAllocator } from "./regalloc/allocator.js";
import type { AllocatorName } from "./regalloc/allocator-names.js";
import { AllocationChecker } from "./regalloc/check/check.js";

/** What can be replaced: each is made once for each arena, when first needed. */
export interface AllocationParts {
  readonly allocators: { readonly [A in AllocatorName]: NewAllocator };
  readonly cleanUp: NewAllocator;
}

/** A procedure to allocate; `lir.location` and `allocation` are filled. */
export interface ToAllocate {
  readonly lir: Lir;
  /** Facts by LIR opcode. */
  readonly rows: readonly LirFacts[];
  /** What may be used; it may be less than the machine has. */
  readonly registers: RegisterSet;
  readonly allocation: Allocation;
}

/** Which steps follow the allocator. */
interface AllocationSteps {
  readonly cleansUp: boolean;
  readonly checks: boolean;
}

/** All that allocation keeps from one procedure to the next. Two of them share nothing. */
export class AllocationArenas {
  private readonly parts: AllocationParts;
  private readonly allocators = new Map<AllocatorName, Allocate>();
  private cleanUp: Allocate | null = null;
  private checker: AllocationChecker | null = null;

  constructor(parts: AllocationParts) {
    this.parts = parts;
  }

  /** The faults that the checker has found; none if it was not asked. */
  allocate(
    allocator: AllocatorName,
    { lir, rows, registers, allocation }: ToAllocate,
    { cleansUp, checks }: AllocationSteps,
  ): string[] {
    allocation.reset();
    this.allocatorOf(allocator)(lir, rows, registers, allocation);
    if (cleansUp) {
      this.cleanUp ??= this.parts.cleanUp();
      this.cleanUp(lir, rows, registers, allocation);
    }
    if (!checks) return [];
    this.checker ??= new AllocationChecker();
    return this.checker.check(lir, rows, registers, allocation);
  }

  private allocatorOf(name: AllocatorName): Allocate {
    let allocate = this.allocators.get(name);
    if (allocate === undefined) {
      allocate = this.parts.allocators[name]();
      this.allocators.set(name, allocate);
    }
    return allocate;
  }
}
