// Measures the cost of an allocator: the instructions that a kernel executes for moves, spills,
// reloads, rematerialized values and saved registers, in excess of an allocation with unlimited
// registers.
//
// executed(A)   instructions of the code that allocator A made, counted under emulation
// moved(A)      the part of these that A inserted: the single moves of all gaps, weighted by the
//               execution count of the block, and for each callee-saved register a store at the
//               entry and a load at each return
// moved(∞)      moves of the same LIR by linear scan over unlimited registers; a
//               cycle of moves counts as if it needed no scratch register, and no registers are
//               saved
// extra(A)      (moved(A) - moved(∞)) / (executed(A) - moved(A) + moved(∞))
//
// The execution count of a block is that of its last value in the oracle's run of the optimized
// program.

import { AllocationArenas } from "../../../reference/allocate.js";
import { selectsAt } from "../../../reference/compile.js";
import type { Level } from "../../../reference/levels.js";
import {
  generalRegister,
  Lir,
  type LirFacts,
  NOWHERE,
  type RegisterSet,
  SLOT,
} from "../../../reference/lir/lir.js";
import { lower } from "../../../reference/lower/lower.js";
import { PARTS } from "../../../reference/parts.js";
import { Allocation, MOVE_STRIDE } from "../../../reference/regalloc/allocation.js";
import type { AllocateFunction } from "../../../reference/regalloc/allocator.js";
import {
  ALLOCATOR_NAMES,
  type AllocatorName,
} from "../../../reference/regalloc/allocator-names.js";
import { newLinearScan } from "../../../reference/regalloc/linear-scan/linear-scan.js";
import { MoveList, sequentialize } from "../../../reference/regalloc/parallel-moves.js";
import type { LoweringPlan } from "../../../reference/target/plan.js";
import type { TargetName } from "../../../reference/target/target.js";
import type { CompilationUnit } from "../../../src/execute/unit.js";
import type { Module } from "../../../src/ir/procedure.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { slice } from "../../../src/oracle/fast/trace.js";
import { assert } from "../../../src/support/assert.js";
import type { Kernel } from "./kernels.js";

interface MoveCounts {
  /** Executed moves with unlimited registers. */
  readonly unlimited: number;
  /** Executed moves, saves and restores. */
  readonly by: { readonly [A in AllocatorName]: number };
}

const FUEL = 1 << 26;

const lir = new Lir();
const allocation = new Allocation();
const singles = new MoveList();
const arenas = new AllocationArenas(PARTS);
const linearScan = newLinearScan();

/** Counts the moves of each allocator in the kernel at its counted size. */
export function countMoves(
  kernel: Kernel,
  unit: CompilationUnit,
  target: TargetName,
  level: Level,
): MoveCounts {
  const optimized = unit.optimized({ level, target, chaos: false });
  const { trace } = new Oracle().runTraced(optimized.program(), kernel.counted, FUEL);
  const executed = slice(trace).map((procedure) => procedure.executed);
  const plan = PARTS.plans[target];
  let unlimited = 0;
  // The cast: fromEntries loses the names, but each name has an entry.
  const by = Object.fromEntries(ALLOCATOR_NAMES.map((name) => [name, 0])) as {
    [A in AllocatorName]: number;
  };
  for (const [p, counts] of executed.entries()) {
    lowerAgain(optimized.module, p, plan, level);
    unlimited += movedUnlimited(plan, counts);
    for (const name of ALLOCATOR_NAMES) by[name] += movedBy(name, plan, level, counts);
  }
  return { unlimited, by };
}

function lowerAgain({ procedures }: Module, p: number, plan: LoweringPlan, level: Level): void {
  lir.reset();
  lower(procedures[p], plan, lir, {
    selects: selectsAt(level),
    halves: false,
    indexOf: (callee) => procedures.indexOf(callee),
    returnsDeoptimizationFlag: false, // no kernel contains `ask`
  });
}

/** Returns the executions of block b. */
const runsOf = (counts: Int32Array, b: number): number =>
  counts[lir.origin[lir.blockStart[b + 1] - 1]];

function movedUnlimited(plan: LoweringPlan, counts: Int32Array): number {
  allocateUnlimited(linearScan, lir, plan.rows, plan.target.registers, allocation);
  const { moves } = allocation;
  let moved = 0;
  forEachGroup(counts, (first, end, runs) => {
    for (let m = first; m < end; m++) {
      if (moves[m * MOVE_STRIDE + 1] !== moves[m * MOVE_STRIDE + 2]) moved += runs;
    }
  });
  return moved;
}

function movedBy(
  name: AllocatorName,
  plan: LoweringPlan,
  level: Level,
  counts: Int32Array,
): number {
  const { registers, calleeSaved } = plan.target;
  const procedure = { lir, rows: plan.rows, registers, allocation };
  arenas.allocate(name, procedure, { cleansUp: selectsAt(level), checks: false });
  let moved = 0;
  forEachGroup(counts, (first, end, runs) => {
    sequentialize(allocation.moves, first, end, registers, singles);
    for (let s = 0; s < singles.count; s++) if (singles.from[s] !== NOWHERE) moved += runs;
  });
  const saved = calleeSaved.filter((register) => allocation.usedRegisters[register] !== 0).length;
  moved += saved * runsOf(counts, 0);
  for (let b = 0; b < lir.blockCount; b++) {
    if (lir.successorStart[b] === lir.successorStart[b + 1]) moved += saved * runsOf(counts, b);
  }
  return moved;
}

/** Calls back with each group of moves [first, end) and its execution count. */
function forEachGroup(
  counts: Int32Array,
  visit: (first: number, end: number, runs: number) => void,
): void {
  const { moves, moveCount } = allocation;
  let b = 0;
  for (let first = 0; first < moveCount; ) {
    const word = moves[first * MOVE_STRIDE];
    let end = first + 1;
    while (end < moveCount && moves[end * MOVE_STRIDE] === word) end++;
    while (lir.blockStart[b + 1] <= word >> 2) b++;
    assert(b < lir.blockCount, () => `move ${first} belongs to no block of the procedure`);
    visit(first, end, runsOf(counts, b));
    first = end;
  }
}

/** Additional registers of each bank. If no value goes to memory, they were enough. */
const MORE = 2048;

/**
 * Runs linear scan with more registers than any code needs. The remaining moves are those that
 * fixed registers, reused inputs and Phis require. The result cannot be emitted.
 *
 * Fills `lir.location` and `allocation`. Locations from SLOT on are the additional registers. No
 * call destroys these, and no prologue saves them.
 */
function allocateUnlimited(
  linearScan: AllocateFunction,
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  allocation: Allocation,
): void {
  const { general, vector } = registers;
  const callerSaved = new Uint8Array(SLOT + 2 * MORE);
  callerSaved.set(registers.callerSaved);
  const more = (first: number) =>
    Array.from({ length: MORE }, (_, k) => generalRegister(first + k));
  const wide = {
    ...registers,
    general: [...general, ...more(SLOT)],
    vector: [...vector, ...more(SLOT + MORE)],
    callerSaved,
  };
  linearScan(lir, rows, wide, allocation);
}
