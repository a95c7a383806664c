// What emission asks of a target: the code of its rows, and the code that no LIR instruction stands
// for. target/target.ts says what else a target is.

import type { Type } from "../../src/ir/types.js";
import type { LirFacts, RegisterSet } from "../lir/lir.js";
import type { CodeLines } from "./code-buffer.js";
import type { EmitContext } from "./emit-context.js";
import type { Environment } from "./environment.js";
import type { Frame } from "./frame.js";

/** A row of the LIR opcode table that can be written as machine code. */
export interface EmittedRow<Asm> extends LirFacts {
  /** Flags hold across it, or the row itself tells the context what they say. */
  readonly keepsFlags: boolean;
  /** Its code reaches into the frame, whatever its operands are (target/needs-frame.ts). */
  readonly needsFrame: boolean;
  // A method, like those of MachineWriter: its parameter is compared both ways, so that a target
  // can be held without its assembler's type by drivers that only hand it back what it made.
  emit(asm: Asm, context: EmitContext, instruction: number): void;
}

/** What code needs to know to reach its frame. */
interface Framed {
  readonly frame: Frame;
}

/** The code of a procedure that no LIR instruction stands for. */
export interface MachineWriter<Asm> {
  /** Makes the frame, from the state in which the procedure was called. */
  prologue(asm: Asm, framed: Framed): void;
  /** Gives up the frame, if the block at hand has one, and returns. */
  epilogue(asm: Asm, context: EmitContext): void;
  /** The epilogue without its return: registers and stack are as the caller left them. */
  leave(asm: Asm, framed: Framed): void;
  /** One move; slots are read and written at the width of `type`. At most one side is a slot. */
  move(asm: Asm, framed: Framed, from: number, to: number, type: Type): void;
  /** A constant of 64 bits to a general register. */
  constant(asm: Asm, register: number, lo: number, hi: number): void;
  /** Takes so many bytes of the stack: a multiple of 16. */
  lowerStack(asm: Asm, bytes: number): void;
  jump(asm: Asm, label: number): void;
  /** The stub of one exit: hands its index to the common stub. */
  exitStub(asm: Asm, index: number, common: number): void;
  /** Saves every register and enters the harness. */
  commonStub(asm: Asm, environment: Environment): void;
}

/** As much of a target as writes code. */
export interface CodeWriter<Asm> {
  readonly registers: RegisterSet;
  readonly rows: readonly EmittedRow<Asm>[];
  readonly writer: MachineWriter<Asm>;
  /** Lines of code in which short loops are kept, and what fills them up; null: loops lie anywhere. */
  readonly lines: CodeLines | null;
}
