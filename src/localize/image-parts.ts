// The parts of an image as the origin map has them, found by what they were written for: a prologue, the
// moves before an instruction, an instruction, the stub of an exit.

import { type Origins, Part } from "../../reference/emit/origins.js";
import type { LirProcedure } from "../../reference/lir/interpret/lir-procedure.js";
import { LAYOUT } from "../execute/machine/guest.js";

/** Code from `start` to `end`, in bytes of the image: empty where nothing was written. */
export interface Piece {
  readonly part: "prologue" | "moves" | "instruction" | "rest of call" | "stub" | "common" | "end";
  /** Its place in the origin map; -1: it is not there. */
  readonly mark: number;
  readonly start: number;
  readonly end: number;
  /** Null of stubs. */
  readonly procedure: LirProcedure | null;
  /** Of moves: the one behind them. */
  readonly instruction: number;
}

const NONE = -1;

/** Behind the image, where no code is. */
export const END: Piece = {
  part: "end",
  mark: NONE,
  start: NONE,
  end: NONE,
  procedure: null,
  instruction: NONE,
};

/** By instruction, places in the origin map; -1: not written. */
interface Marks {
  prologue: number;
  readonly instructions: Int32Array;
  /** The first of the moves before it. */
  readonly moves: Int32Array;
}

export class ImageParts {
  /** Addresses of procedures: where the interpreter of LIR has them, and where the image does. */
  readonly addresses = new Map<number, number>();
  private readonly origins: Origins;
  private readonly marks = new Map<number, Marks>();
  private readonly stubs: number[] = [];
  private commonStub = NONE;

  constructor(origins: Origins, procedures: readonly LirProcedure[]) {
    this.origins = origins;
    for (const { index, lir } of procedures) {
      const instructions = new Int32Array(lir.instructionCount).fill(NONE);
      this.marks.set(index, { prologue: NONE, instructions, moves: instructions.slice() });
    }
    for (let k = 0; k < origins.count; k++) this.enter(k);
    for (const { index, codeStart } of procedures) {
      const { start } = this.pieceOf("prologue", this.marks.get(index)?.prologue ?? NONE);
      this.addresses.set(LAYOUT.code + codeStart, LAYOUT.code + start);
    }
  }

  private enter(k: number): void {
    const { origins } = this;
    const index = origins.indexOf(k);
    const part = origins.partOf(k);
    const marks = this.marks.get(origins.procedureOf(k));
    if (part === Part.Stub) this.stubs[index] = k;
    else if (part === Part.CommonStub) this.commonStub = k;
    else if (marks === undefined) return;
    else if (part === Part.Prologue) marks.prologue = k;
    else if (part === Part.Instruction) marks.instructions[index] = k;
    else if (part === Part.Move && marks.moves[index] === NONE) marks.moves[index] = k;
  }

  prologue(procedure: LirProcedure): Piece {
    return this.pieceOf("prologue", this.marks.get(procedure.index)?.prologue ?? NONE, procedure);
  }

  /** All moves before the instruction. */
  moves(procedure: LirProcedure, instruction: number): Piece {
    const mark = this.marks.get(procedure.index)?.moves[instruction] ?? NONE;
    const piece = this.pieceOf("moves", mark, procedure, instruction);
    const behind = this.instruction(procedure, instruction);
    return mark === NONE || behind.mark === NONE ? piece : { ...piece, end: behind.start };
  }

  instruction(procedure: LirProcedure, instruction: number): Piece {
    const mark = this.marks.get(procedure.index)?.instructions[instruction] ?? NONE;
    return this.pieceOf("instruction", mark, procedure, instruction);
  }

  /** What is left of a call when its callee has returned. */
  restOfCall(procedure: LirProcedure, instruction: number): Piece {
    return { ...this.instruction(procedure, instruction), part: "rest of call" };
  }

  stub(exit: number): Piece {
    return this.pieceOf("stub", this.stubs[exit] ?? NONE);
  }

  common(): Piece {
    return this.pieceOf("common", this.commonStub);
  }

  private pieceOf(
    part: Piece["part"],
    mark: number,
    procedure: LirProcedure | null = null,
    instruction = 0,
  ): Piece {
    const start = mark === NONE ? NONE : this.origins.startOf(mark);
    const end = mark === NONE ? NONE : this.origins.endOf(mark);
    return { part, mark, start, end, procedure, instruction };
  }
}
