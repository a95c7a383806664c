// Finds the parts of an image in its origin map: a prologue, the moves before an instruction, an instruction, the stub
// of an exit.

import { type CodeOrigins, CodePart } from "../../reference/emit/origins.js";
import type { LirProcedure } from "../../reference/lir/interpret/lir-procedure.js";
import { LAYOUT } from "../execute/machine/guest.js";

/**
 * A part of an image: the code from byte `start` to before `end` that was written for one purpose;
 * may be empty.
 */
export interface ImagePart {
  readonly kind: "prologue" | "moves" | "instruction" | "rest of call" | "stub" | "common" | "end";
  /** Its index in the origin map; -1 if it is not in the map. */
  readonly mark: number;
  readonly start: number;
  readonly end: number;
  /** The procedure of the code; null for exit stubs. */
  readonly procedure: LirProcedure | null;
  /** For moves: the instruction after them. */
  readonly instruction: number;
}

const NONE = -1;

/** The position after the image, which has no code. */
export const END: ImagePart = {
  kind: "end",
  mark: NONE,
  start: NONE,
  end: NONE,
  procedure: null,
  instruction: NONE,
};

/** Indices into the origin map, by LIR instruction; -1 if no code was written for it. */
interface OriginIndices {
  prologue: number;
  readonly instructions: Int32Array;
  /** By instruction: the index of the first move before it. */
  readonly moves: Int32Array;
}

/** Finds the code of a prologue, an instruction, its moves or a stub in one image. */
export class ImagePartFinder {
  /** The address of each procedure in the image, by its address in the LIR interpreter. */
  readonly addresses = new Map<number, number>();
  private readonly origins: CodeOrigins;
  private readonly marks = new Map<number, OriginIndices>();
  private readonly stubs: number[] = [];
  private commonStub = NONE;

  constructor(origins: CodeOrigins, procedures: readonly LirProcedure[]) {
    this.origins = origins;
    for (const { index, lir } of procedures) {
      const instructions = new Int32Array(lir.instructionCount).fill(NONE);
      this.marks.set(index, { prologue: NONE, instructions, moves: instructions.slice() });
    }
    for (let k = 0; k < origins.count; k++) this.addMark(k);
    for (const { index, codeStart } of procedures) {
      const { start } = this.partAt("prologue", this.marks.get(index)?.prologue ?? NONE);
      this.addresses.set(LAYOUT.code + codeStart, LAYOUT.code + start);
    }
  }

  private addMark(k: number): void {
    const { origins } = this;
    const index = origins.indexOf(k);
    const part = origins.partOf(k);
    const marks = this.marks.get(origins.procedureOf(k));
    if (part === CodePart.Stub) this.stubs[index] = k;
    else if (part === CodePart.CommonStub) this.commonStub = k;
    else if (marks === undefined) return;
    else if (part === CodePart.Prologue) marks.prologue = k;
    else if (part === CodePart.Instruction) marks.instructions[index] = k;
    else if (part === CodePart.Move && marks.moves[index] === NONE) marks.moves[index] = k;
  }

  prologue(procedure: LirProcedure): ImagePart {
    return this.partAt("prologue", this.marks.get(procedure.index)?.prologue ?? NONE, procedure);
  }

  /** Returns all moves before the instruction. */
  moves(procedure: LirProcedure, instruction: number): ImagePart {
    const mark = this.marks.get(procedure.index)?.moves[instruction] ?? NONE;
    const moves = this.partAt("moves", mark, procedure, instruction);
    const after = this.instruction(procedure, instruction);
    return mark === NONE || after.mark === NONE ? moves : { ...moves, end: after.start };
  }

  instruction(procedure: LirProcedure, instruction: number): ImagePart {
    const mark = this.marks.get(procedure.index)?.instructions[instruction] ?? NONE;
    return this.partAt("instruction", mark, procedure, instruction);
  }

  /** Returns the rest of a call after its callee has returned. */
  restOfCall(procedure: LirProcedure, instruction: number): ImagePart {
    return { ...this.instruction(procedure, instruction), kind: "rest of call" };
  }

  stub(exit: number): ImagePart {
    return this.partAt("stub", this.stubs[exit] ?? NONE);
  }

  common(): ImagePart {
    return this.partAt("common", this.commonStub);
  }

  private partAt(
    kind: ImagePart["kind"],
    mark: number,
    procedure: LirProcedure | null = null,
    instruction = 0,
  ): ImagePart {
    const start = mark === NONE ? NONE : this.origins.startOf(mark);
    const end = mark === NONE ? NONE : this.origins.endOf(mark);
    return { kind, mark, start, end, procedure, instruction };
  }
}
