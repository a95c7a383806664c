// Generates LIR of any size, to measure how the cost of allocation grows: loops in loops, branches
// that join, calls, and a given number of values live at once. One pass generates it, so that
// generating a hundred thousand instructions takes no longer than allocating them. The rows are
// those of the puzzles.

import { Double, Int64, type Type } from "../../../src/ir/types.js";
import type { ChoiceSource } from "../../../src/support/source.js";
import { blockAt, type VirtualRegister } from "../../lir/indices.js";
import {
  type Lir,
  OperandPolicy,
  OperandRole,
  packOperand,
  type RegisterSet,
} from "../../lir/lir.js";
import { Row } from "./lir-puzzles.js";

/** The maximum nesting of loops. */
const DEPTH_MAX = 4;
/** A nested region gets at most 1 / REGION_SHARE of the remaining instructions. */
const REGION_SHARE = 2;
const PHIS_MAX = 3;

/**
 * Generates into `lir`, which was reset. At every point about `live` values of each bank have a
 * later use.
 */
export function growLir(
  source: ChoiceSource,
  registers: RegisterSet,
  instructions: number,
  live: number,
  lir: Lir,
): void {
  new LirGrower(source, registers, live, lir).grow(instructions);
}

const BANKS: readonly Type[] = [Int64, Double];

class LirGrower {
  private readonly source: ChoiceSource;
  private readonly registers: RegisterSet;
  private readonly live: number;
  private readonly lir: Lir;
  /** By bank: the values that dominate the current position, in the order of definition. */
  private readonly available: VirtualRegister[][] = [[], []];

  constructor(source: ChoiceSource, registers: RegisterSet, live: number, lir: Lir) {
    this.source = source;
    this.registers = registers;
    this.live = live;
    this.lir = lir;
  }

  grow(instructions: number): void {
    const { lir, registers } = this;
    lir.beginBlock();
    for (const [bank, list] of [registers.general, registers.vector].entries()) {
      for (const register of list.slice(0, 2)) this.define(bank, OperandPolicy.Fixed, register);
    }
    this.end(Row.entry);
    this.region(instructions, 0);
    this.use(this.pick(0), OperandPolicy.Register);
    this.end(Row.return);
    lir.endBlock();
  }

  private define(bank: number, policy: OperandPolicy, register = 0): void {
    const vreg = this.lir.newVreg(BANKS[bank]);
    this.lir.addOperand(packOperand(vreg, OperandRole.Definition, policy, register));
    this.available[bank].push(vreg);
  }

  private pick(bank: number): VirtualRegister {
    const list = this.available[bank];
    return list[list.length - 1 - this.source.below(Math.min(this.live, list.length))];
  }

  private use(vreg: VirtualRegister, policy: OperandPolicy, register = 0): void {
    this.lir.addOperand(packOperand(vreg, OperandRole.UseAtStart, policy, register));
  }

  private end(opcode: number): void {
    this.lir.endInstruction(opcode, 0, 0, -1);
  }

  private region(instructions: number, depth: number): void {
    const { source } = this;
    for (let left = instructions; left > 0; ) {
      const kind = source.below(48);
      const inside = 1 + source.below(Math.max(1, Math.floor(left / REGION_SHARE)));
      if (kind === 0 && depth < DEPTH_MAX) {
        this.loop(inside, depth);
        left -= inside + 2;
      } else if (kind === 1 && depth < 2 * DEPTH_MAX) {
        this.join(inside, depth);
        left -= inside + 3;
      } else {
        this.instruction(kind);
        left--;
      }
    }
  }

  private instruction(kind: number): void {
    const bank = this.source.below(3) === 0 ? 1 : 0;
    // The uses are drawn before the definition is available.
    const [x, y] = [this.pick(bank), this.pick(bank)];
    if (kind === 2) {
      const { general, vector } = this.registers;
      const registers = bank === 0 ? general : vector;
      this.define(bank, OperandPolicy.Fixed, registers[0]);
      this.use(x, OperandPolicy.Fixed, registers[1]);
      this.end(Row.call);
    } else if (kind < 6) {
      this.define(bank, OperandPolicy.Register);
      this.end(Row.constant);
    } else {
      this.define(bank, kind < 24 ? OperandPolicy.MustReuseInput : OperandPolicy.Register);
      this.use(x, OperandPolicy.Register);
      this.use(y, this.source.below(3) === 0 ? OperandPolicy.Any : OperandPolicy.Register);
      this.end(Row.op);
    }
  }

  /** Removes the values that `inside` defines from `available`. */
  private scoped(inside: () => void): void {
    const counts = this.available.map(({ length }) => length);
    inside();
    for (const [bank, list] of this.available.entries()) list.length = counts[bank];
  }

  /** Ends the block with a jump; returns the index at which its successor is to be written. */
  private jump(phis: number): number {
    const { lir } = this;
    this.end(Row.jump);
    const place = lir.successorStart[lir.blockCount + 1];
    lir.addSuccessor(blockAt(lir.blockCount + 1));
    for (let k = 0; k < phis; k++) lir.addPhiInput(this.pick(0));
    lir.endBlock();
    return place;
  }

  /**
   * Ends the block with a branch to the next block and another one; returns the index for the other
   * one.
   */
  private branch(): number {
    const { lir } = this;
    this.use(this.pick(0), OperandPolicy.Register);
    this.end(Row.branch);
    const place = lir.successorStart[lir.blockCount + 1] + 1;
    lir.addSuccessor(blockAt(lir.blockCount + 1));
    lir.addSuccessor(blockAt(lir.blockCount + 1));
    lir.endBlock();
    return place;
  }

  private addPhis(phis: number): void {
    for (let k = 0; k < phis; k++) {
      const phi = this.lir.newVreg(Int64);
      this.lir.addPhi(phi);
      this.available[0].push(phi);
    }
  }

  private loop(instructions: number, depth: number): void {
    const { lir } = this;
    const phis = 1 + this.source.below(PHIS_MAX);
    this.jump(phis);
    const head = lir.blockCount;
    lir.beginBlock();
    this.addPhis(phis);
    const exit = this.branch();
    lir.beginBlock();
    this.scoped(() => {
      this.region(instructions, depth + 1);
      lir.successors[this.jump(phis)] = blockAt(head);
    });
    lir.successors[exit] = blockAt(lir.blockCount);
    lir.beginBlock();
  }

  private join(instructions: number, depth: number): void {
    const { lir } = this;
    const phis = this.source.below(PHIS_MAX);
    const other = this.branch();
    let behind = 0;
    lir.beginBlock();
    this.scoped(() => {
      this.region(instructions >> 1, depth + 1);
      behind = this.jump(phis);
    });
    lir.successors[other] = blockAt(lir.blockCount);
    lir.beginBlock();
    this.scoped(() => {
      this.region(instructions >> 1, depth + 1);
      this.jump(phis);
    });
    lir.successors[behind] = blockAt(lir.blockCount);
    lir.beginBlock();
    this.addPhis(phis);
  }
}
