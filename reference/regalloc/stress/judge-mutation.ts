// Tests the allocation checker. It mutates a correct allocation; the checker must reject each
// mutation that changes a run. Runs are those of lir-simulator.ts, from several inputs: the input
// decides the results of instructions and the direction of branches.

import { SeedSource } from "../../../src/support/source.js";
import { MOVE_STRIDE } from "../allocation.js";
import { AllocationChecker } from "../check/check.js";
import { runAllocated, runVirtual } from "./lir-simulator.js";
import {
  type AllocatedProcedure,
  MUTATION_NAMES,
  MUTATIONS,
  type MutationName,
} from "./mutate-allocation.js";

/** The maximum number of blocks that one run executes. */
const FUEL = 40;

export interface MutationCounts {
  tried: number;
  /** How many mutations changed some run. */
  changed: number;
  /**
   * How many mutations the checker rejected. A mutation that changes no run may be wrong on a path
   * that no run took.
   */
  rejected: number;
}

export class MutationJudge {
  readonly counts: { readonly [M in MutationName]: MutationCounts };
  private readonly inputs: number;
  private readonly check: AllocationChecker["check"];
  /** By input: the result of the current procedure over virtual registers. */
  private readonly expected: number[] = [];
  private readonly source = new SeedSource(2n, "mutations");

  /**
   * Makes a judge.
   *
   * @param inputs how many runs may reveal a mutation
   * @param check the checker under test
   */
  constructor(inputs: number, check: AllocationChecker["check"] | null = null) {
    this.inputs = inputs;
    const checker = new AllocationChecker();
    this.check = check ?? ((...subject) => checker.check(...subject));
    const none = (): MutationCounts => ({ tried: 0, changed: 0, rejected: 0 });
    this.counts = Object.fromEntries(MUTATION_NAMES.map((name) => [name, none()])) as {
      [M in MutationName]: MutationCounts; // the cast holds because there is one for each name
    };
  }

  /**
   * Starts with an allocation, whose mutations `judge` tests.
   *
   * @returns the fault of the allocation itself; null if there is none
   */
  begin(subject: AllocatedProcedure): string | null {
    const { lir, rows, registers, allocation } = subject;
    this.expected.length = 0;
    for (let input = 1; input <= this.inputs; input++) {
      this.expected.push(runVirtual(lir, input, FUEL));
    }
    const [fault] = this.check(lir, rows, registers, allocation);
    if (fault !== undefined) return `rejected before any mutation: ${fault}`;
    return this.isSeen(subject)
      ? "accepted before any mutation, but it computes another result"
      : null;
  }

  /**
   * Mutates the allocation, tests, and restores it.
   *
   * @returns a text if the checker accepted a mutation that changed a run
   */
  judge(subject: AllocatedProcedure, name: MutationName): string | null {
    const { lir, rows, registers, allocation } = subject;
    const { operandCount, guards } = lir;
    const locations = lir.location.slice(0, operandCount);
    const operands = lir.operand.slice(0, operandCount);
    const starts = lir.operandStart.slice(0, lir.instructionCount + 1);
    const { moveCount, spillUnits } = allocation;
    const moves = allocation.moves.slice(0, moveCount * MOVE_STRIDE);
    const used = allocation.usedRegisters.slice();
    let missed: string | null = null;
    if (MUTATIONS[name](subject, this.source)) {
      const counts = this.counts[name];
      counts.tried++;
      const isRejected = this.check(lir, rows, registers, allocation).length > 0;
      const isChanged = this.isSeen(subject);
      if (isRejected) counts.rejected++;
      if (isChanged) counts.changed++;
      if (isChanged && !isRejected) missed = `${name}: accepted, but it computes another result`;
    }
    lir.operandCount = operandCount;
    lir.guards = guards;
    lir.operandStart.set(starts);
    lir.operand.set(operands);
    lir.location.set(locations);
    allocation.moves.set(moves);
    allocation.moveCount = moveCount;
    allocation.spillUnits = spillUnits;
    allocation.usedRegisters.set(used);
    return missed;
  }

  private isSeen({ lir, rows, registers, allocation }: AllocatedProcedure): boolean {
    for (let k = 0; k < this.inputs; k++) {
      const seen = runAllocated(lir, rows, registers, allocation, k + 1, FUEL);
      if (seen !== this.expected[k]) return true;
    }
    return false;
  }
}
