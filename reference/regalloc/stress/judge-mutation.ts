// Is the checker right? A right allocation is mutated; the checker must reject each mutation that a
// run shows. Runs are those of lir-simulator.ts, from several inputs: the input decides what
// instructions compute and where branches go.

import { SeedSource } from "../../../src/support/source.js";
import { MOVE_STRIDE } from "../allocation.js";
import { AllocationChecker } from "../check/check.js";
import { runAllocated, runVirtual } from "./lir-simulator.js";
import {
  type Allocated,
  MUTATION_NAMES,
  MUTATIONS,
  type MutationName,
} from "./mutate-allocation.js";

/** Blocks that one run takes at most. */
const FUEL = 40;

export interface MutationCounts {
  tried: number;
  /** Seen by some run. */
  changed: number;
  /** By the checker; a mutation that no run sees may be wrong on a path that none took. */
  rejected: number;
}

export class MutationJudge {
  readonly counts: { readonly [M in MutationName]: MutationCounts };
  private readonly inputs: number;
  private readonly check: AllocationChecker["check"];
  /** By input: what the subject at hand computes over virtual registers. */
  private readonly expected: number[] = [];
  private readonly source = new SeedSource(2n, "mutations");

  /**
   * @param inputs how many runs may show a mutation
   * @param check the checker under test
   */
  constructor(inputs: number, check: AllocationChecker["check"] | null = null) {
    this.inputs = inputs;
    const checker = new AllocationChecker();
    this.check = check ?? ((...subject) => checker.check(...subject));
    const none = (): MutationCounts => ({ tried: 0, changed: 0, rejected: 0 });
    this.counts = Object.fromEntries(MUTATION_NAMES.map((name) => [name, none()])) as {
      [M in MutationName]: MutationCounts; // the cast: one for each name
    };
  }

  /**
   * Takes a subject, whose mutations `judge` will judge.
   *
   * @returns what is wrong with the allocation itself; null if nothing is
   */
  begin(subject: Allocated): string | null {
    const { lir, rows, registers, allocation } = subject;
    this.expected.length = 0;
    for (let input = 1; input <= this.inputs; input++) {
      this.expected.push(runVirtual(lir, input, FUEL));
    }
    const [fault] = this.check(lir, rows, registers, allocation);
    if (fault !== undefined) return `rejected as it was made: ${fault}`;
    return this.isSeen(subject) ? "accepted as it was made, but it computes something else" : null;
  }

  /**
   * Changes the allocation, judges, and restores.
   *
   * @returns a text if a change was seen that the checker has accepted
   */
  judge(subject: Allocated, name: MutationName): string | null {
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
      if (isChanged && !isRejected) missed = `${name}: accepted, but it computes something else`;
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

  private isSeen({ lir, rows, registers, allocation }: Allocated): boolean {
    for (let k = 0; k < this.inputs; k++) {
      const seen = runAllocated(lir, rows, registers, allocation, k + 1, FUEL);
      if (seen !== this.expected[k]) return true;
    }
    return false;
  }
}
