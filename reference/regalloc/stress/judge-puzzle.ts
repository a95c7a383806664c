// One puzzle for one allocator: allocated, checked, and run before and after; then again after
// clean-up. The seed draws the registers that may be used, the puzzle, and the pressure on it.

import { SeedSource, type Source } from "../../../src/support/source.js";
import { AllocationArenas, type AllocationParts, type ToAllocate } from "../../allocate.js";
import { Lir, type RegisterSet } from "../../lir/lir.js";
import { Allocation } from "../allocation.js";
import type { Allocate } from "../allocator.js";
import type { AllocatorName } from "../allocator-names.js";
import { AllocationChecker } from "../check/check.js";
import { applyPressure } from "../pressure.js";
import { makePuzzle, PUZZLE_ROWS, type PuzzleSize } from "./lir-puzzles.js";
import { runAllocated, runVirtual } from "./lir-simulator.js";
import type { Allocated } from "./mutate-allocation.js";

/** Blocks that one run takes at most, and what the runs begin with. */
const FUEL = 40;
const INPUTS = [1, 2, 3];

const LARGEST: PuzzleSize = { blocks: 14, instructions: 12 };
/** The fewest registers of a bank that puzzles are made for. */
const REGISTERS_MIN = 2;
/** One puzzle in so many is under pressure besides. */
const PRESSURE_ONE_IN = 3;

export class PuzzleJudge {
  /** Of the puzzle at hand, allocated. */
  readonly lir = new Lir();
  readonly allocation = new Allocation();
  /** Of all puzzles so far. */
  puzzles = 0;
  instructions = 0;
  moves = 0;
  /** Moves that clean-up has left. */
  cleaned = 0;
  spilled = 0;
  private readonly arenas: AllocationArenas;
  private readonly checker = new AllocationChecker();
  private readonly allocator: AllocatorName;
  private readonly machine: RegisterSet;

  /** @param machine the registers of the target */
  constructor(parts: AllocationParts, allocator: AllocatorName, machine: RegisterSet) {
    this.arenas = new AllocationArenas(parts);
    this.allocator = allocator;
    this.machine = machine;
  }

  /** The allocated puzzle of a seed. Throws what the allocator throws. */
  solve(seed: number, size: PuzzleSize = LARGEST): Allocated {
    const { lir, allocation, machine } = this;
    const source = new SeedSource(BigInt(seed), "puzzle");
    const few: RegisterSet = {
      ...machine,
      general: drawBank(source, machine.general),
      vector: drawBank(source, machine.vector),
    };
    lir.reset();
    makePuzzle(source, few, machine, size, lir);
    let registers = few;
    if (source.below(PRESSURE_ONE_IN) === 0) {
      const plan = {
        registers: null,
        ghosts: source.below(4),
        places: source.below(4),
        reorders: true,
        seed: BigInt(seed),
      };
      registers = applyPressure(lir, PUZZLE_ROWS, few, plan, "puzzle");
    }
    const puzzle = { lir, rows: PUZZLE_ROWS, registers, allocation };
    this.allocate(puzzle, false);
    this.puzzles++;
    this.instructions += lir.instructionCount;
    this.moves += allocation.moveCount;
    if (allocation.spillUnits > 0) this.spilled++;
    return { ...puzzle, allocate: this.allocateOnly };
  }

  private readonly allocateOnly: Allocate = (lir, rows, registers, allocation) =>
    this.allocate({ lir, rows, registers, allocation }, false);

  private allocate(puzzle: ToAllocate, cleansUp: boolean): void {
    this.arenas.allocate(this.allocator, puzzle, { cleansUp, checks: false });
  }

  /** What is wrong with the allocation of the puzzle of a seed; null if nothing is. */
  judge(seed: number, size: PuzzleSize = LARGEST): string | null {
    let puzzle: ToAllocate;
    try {
      puzzle = this.solve(seed, size);
    } catch (error) {
      return String(error);
    }
    const fault = this.faultOf(puzzle);
    if (fault !== null) return fault;
    this.allocate(puzzle, true);
    this.cleaned += puzzle.allocation.moveCount;
    const left = this.faultOf(puzzle);
    return left === null ? null : `cleaned up: ${left}`;
  }

  private faultOf({ lir, rows, registers, allocation }: ToAllocate): string | null {
    const [fault] = this.checker.check(lir, rows, registers, allocation);
    if (fault !== undefined) return fault;
    for (const input of INPUTS) {
      const after = runAllocated(lir, rows, registers, allocation, input, FUEL);
      if (after !== runVirtual(lir, input, FUEL)) {
        return `the checker finds nothing, but it computes something else for ${input}`;
      }
    }
    return null;
  }
}

/** All registers of a bank for one puzzle in two, else some, in any order. */
function drawBank(source: Source, bank: readonly number[]): number[] {
  const drawn = [...bank];
  if (source.below(2) === 0) return drawn;
  for (let k = drawn.length - 1; k > 0; k--) {
    const other = source.below(k + 1);
    [drawn[k], drawn[other]] = [drawn[other], drawn[k]];
  }
  return drawn.slice(0, REGISTERS_MIN + source.below(bank.length - REGISTERS_MIN + 1));
}
