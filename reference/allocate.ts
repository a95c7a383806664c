// Runs register allocation: an allocator assigns locations and moves, clean-up removes moves
// without effect, and the checker verifies the result. No other code runs the three in sequence.

import {
  CONSTANT_LEAF,
  isSlot,
  type Lir,
  type LirFacts,
  OperandPolicy,
  OperandRole,
  outgoingOf,
  policyOf,
  type RegisterSet,
  roleOf,
  SLOT,
} from "./lir/lir.js";
import type { Allocation } from "./regalloc/allocation.js";
import type { AllocateFunction, AllocatorFactory } from "./regalloc/allocator.js";
import type { AllocatorName } from "./regalloc/allocator-names.js";
import { AllocationChecker } from "./regalloc/check/check.js";
import { EVENT } from "./regalloc/events.js";

/**
 * The replaceable parts of register allocation: the allocators and the clean-up of moves. Each is
 * created at its first use.
 */
export interface AllocationParts {
  readonly allocators: { readonly [A in AllocatorName]: AllocatorFactory };
  readonly cleanUp: AllocatorFactory;
}

/** The input of an allocator, which fills `lir.location` and `allocation`. */
export interface AllocationTask {
  readonly lir: Lir;
  /** The facts of each LIR opcode that allocators read. */
  readonly rows: readonly LirFacts[];
  /** The registers that may be used; they may be fewer than the machine has. */
  readonly registers: RegisterSet;
  readonly allocation: Allocation;
}

/** The passes that run after the allocator: clean-up and checker. */
interface AllocationPasses {
  readonly cleansUp: boolean;
  readonly checks: boolean;
}

/** The memory that allocation keeps from one procedure to the next. Two instances share nothing. */
export class AllocationArenas {
  private readonly parts: AllocationParts;
  private readonly allocators = new Map<AllocatorName, AllocateFunction>();
  private cleanUp: AllocateFunction | null = null;
  private checker: AllocationChecker | null = null;

  constructor(parts: AllocationParts) {
    this.parts = parts;
  }

  /** Returns the faults that the checker finds; none if `checks` is false. */
  allocate(
    allocator: AllocatorName,
    { lir, rows, registers, allocation }: AllocationTask,
    { cleansUp, checks }: AllocationPasses,
  ): string[] {
    allocation.reset();
    this.allocatorOf(allocator)(lir, rows, registers, allocation);
    if (lir.incomingUnits > 0) countReadArguments(lir, allocation);
    if (lir.patchpoints.length > 0) countShownOperands(lir, allocation);
    if (cleansUp) {
      this.cleanUp ??= this.parts.cleanUp();
      this.cleanUp(lir, rows, registers, allocation);
    }
    if (!checks) return [];
    this.checker ??= new AllocationChecker();
    return this.checker.check(lir, rows, registers, allocation);
  }

  private allocatorOf(name: AllocatorName): AllocateFunction {
    let allocate = this.allocators.get(name);
    if (allocate === undefined) {
      allocate = this.parts.allocators[name]();
      this.allocators.set(name, allocate);
    }
    return allocate;
  }
}

/** Counts the late operands and stack arguments of patchpoints that an exit shows in place. */
function countShownOperands(lir: Lir, { events }: Allocation): void {
  for (const { operands } of lir.guards) {
    for (const o of operands) {
      if (outgoingOf(o) >= 0) events[EVENT["exit-shows-argument"]]++;
      else if (o !== CONSTANT_LEAF && policyOf(lir.operand[o]) !== OperandPolicy.KeepAlive)
        events[EVENT["exit-shows-operand"]]++;
    }
  }
}

/** Counts the operands that read a stack argument in the caller's slot. */
function countReadArguments(lir: Lir, { events }: Allocation): void {
  for (let o = 0; o < lir.operandCount; o++) {
    const location = lir.location[o];
    const isThere = isSlot(location) && location < SLOT + lir.incomingUnits;
    if (!isThere || roleOf(lir.operand[o]) > OperandRole.Use) continue;
    const isKept = policyOf(lir.operand[o]) === OperandPolicy.KeepAlive;
    events[EVENT[isKept ? "exit-reads-argument" : "argument-in-place"]]++;
  }
}
