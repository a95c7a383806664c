// The interface between emission and a target: the code of its rows, and the code that belongs to
// no LIR instruction. target/target.ts has the other parts of a target.

import type { Type } from "../../src/ir/types.js";
import type { LirFacts, RegisterSet } from "../lir/lir.js";
import type { FetchLines } from "./code-buffer.js";
import type { EmitContext } from "./emit-context.js";
import type { ExternalAddresses } from "./environment.js";
import type { ProcedureFrame } from "./frame.js";

/** A row of the LIR opcode table that can be written as machine code. */
export interface EmittedRow<Asm> extends LirFacts {
  /**
   * Whether the flags keep their contents across it, or the row itself updates the context's state
   * of the flags.
   */
  readonly keepsFlags: boolean;
  /** Whether its code accesses the frame with any operands (target/needs-frame.ts). */
  readonly needsFrame: boolean;
  // A method, like those of MachineWriter: its parameter is compared bivariantly. So drivers can
  // hold a target without its assembler's type, if they pass it only its own assembler.
  emit(asm: Asm, context: EmitContext, instruction: number): void;
}

/** The context for code that accesses its frame. */
interface FrameContext {
  readonly frame: ProcedureFrame;
}

/** Writes the code of a procedure that belongs to no LIR instruction. */
export interface MachineWriter<Asm> {
  /** Makes the frame, from the state at the call of the procedure. */
  prologue(asm: Asm, framed: FrameContext): void;
  /** Removes the frame, if the current block has one, and returns. */
  epilogue(asm: Asm, context: EmitContext): void;
  /** Writes the epilogue without its return: registers and stack are restored for the caller. */
  leave(asm: Asm, framed: FrameContext): void;
  /**
   * Writes one move; slots are read and written at the width of `type`. At most one side is a slot.
   */
  move(asm: Asm, framed: FrameContext, from: number, to: number, type: Type): void;
  /** Moves a constant of 64 bits to a general register. */
  constant(asm: Asm, register: number, lo: number, hi: number): void;
  /** Lowers the stack pointer by this many bytes: a multiple of 16. */
  lowerStack(asm: Asm, bytes: number): void;
  jump(asm: Asm, label: number): void;
  /** Writes the stub of one exit, which passes its index to the common stub. */
  exitStub(asm: Asm, index: number, common: number): void;
  /** Writes the stub that saves every register and enters the harness. */
  commonStub(asm: Asm, environment: ExternalAddresses): void;
}

/** The part of a target that writes code. */
export interface CodeWriter<Asm> {
  readonly registers: RegisterSet;
  readonly rows: readonly EmittedRow<Asm>[];
  readonly writer: MachineWriter<Asm>;
  /**
   * The lines of code in which short loops are kept, and their filler; null: loops lie anywhere.
   */
  readonly lines: FetchLines | null;
}
