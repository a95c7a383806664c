// Tests one puzzle with one allocator: allocates, checks, and compares runs before and after
// allocation; then repeats this after clean-up. The seed draws the usable registers, the puzzle,
// and the pressure on it.

import { type ChoiceSource, SeedSource } from "../../../src/support/source.js";
import { AllocationArenas, type AllocationParts, type AllocationTask } from "../../allocate.js";
import type { PhysicalRegister } from "../../lir/indices.js";
import { Lir, type RegisterSet } from "../../lir/lir.js";
import { Allocation } from "../allocation.js";
import type { AllocateFunction } from "../allocator.js";
import type { AllocatorName } from "../allocator-names.js";
import { AllocationChecker } from "../check/check.js";
import { applyPressure } from "../pressure.js";
import { makePuzzle, PUZZLE_ROWS, type PuzzleSize } from "./lir-puzzles.js";
import { runAllocated, runVirtual } from "./lir-simulator.js";
import type { AllocatedProcedure } from "./mutate-allocation.js";

/** The maximum number of blocks that one run executes, and the inputs of the runs. */
const FUEL = 40;
const INPUTS = [1, 2, 3];

const LARGEST: PuzzleSize = { blocks: 14, instructions: 12 };
/** The fewest registers of a bank with which puzzles are made. */
const REGISTERS_MIN = 2;
/** One puzzle in this many is also under pressure. */
const PRESSURE_ONE_IN = 3;

export class PuzzleJudge {
  /** The current puzzle, allocated. */
  readonly lir = new Lir();
  readonly allocation = new Allocation();
  /** Totals of all puzzles so far. */
  puzzles = 0;
  instructions = 0;
  moves = 0;
  /** Moves that remain after clean-up. */
  cleaned = 0;
  spilled = 0;
  private readonly arenas: AllocationArenas;
  private readonly checker = new AllocationChecker();
  private readonly allocator: AllocatorName;
  private readonly machine: RegisterSet;

  /**
   * Makes a judge of one allocator.
   *
   * @param machine the registers of the target
   */
  constructor(parts: AllocationParts, allocator: AllocatorName, machine: RegisterSet) {
    this.arenas = new AllocationArenas(parts);
    this.allocator = allocator;
    this.machine = machine;
  }

  /** Returns the allocated puzzle of a seed. Throws any error of the allocator. */
  solve(seed: number, size: PuzzleSize = LARGEST): AllocatedProcedure {
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

  private readonly allocateOnly: AllocateFunction = (lir, rows, registers, allocation) =>
    this.allocate({ lir, rows, registers, allocation }, false);

  private allocate(puzzle: AllocationTask, cleansUp: boolean): void {
    this.arenas.allocate(this.allocator, puzzle, { cleansUp, checks: false });
  }

  /** Returns the fault of the allocation of a seed's puzzle; null if there is none. */
  judge(seed: number, size: PuzzleSize = LARGEST): string | null {
    let puzzle: AllocationTask;
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

  private faultOf({ lir, rows, registers, allocation }: AllocationTask): string | null {
    const [fault] = this.checker.check(lir, rows, registers, allocation);
    if (fault !== undefined) return fault;
    for (const input of INPUTS) {
      const after = runAllocated(lir, rows, registers, allocation, input, FUEL);
      if (after !== runVirtual(lir, input, FUEL)) {
        return `the checker finds no fault, but the result for input ${input} differs`;
      }
    }
    return null;
  }
}

/** Draws the registers: all of a bank for one puzzle in two, otherwise some, in any order. */
function drawBank(source: ChoiceSource, bank: readonly PhysicalRegister[]): PhysicalRegister[] {
  const drawn = [...bank];
  if (source.below(2) === 0) return drawn;
  for (let k = drawn.length - 1; k > 0; k--) {
    const other = source.below(k + 1);
    [drawn[k], drawn[other]] = [drawn[other], drawn[k]];
  }
  return drawn.slice(0, REGISTERS_MIN + source.below(bank.length - REGISTERS_MIN + 1));
}
