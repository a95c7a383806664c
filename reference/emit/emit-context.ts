// What the emit functions of LIR rows may ask: locations of operands, labels of blocks and exits,
// the frame.

import { assert } from "../../src/support/assert.js";
import { type Lir, VECTOR } from "../lir/lir.js";
import type { CodeBuffer } from "./code-buffer.js";
import { ConstantPool } from "./constant-pool.js";
import type { Environment } from "./environment.js";
import type { Flags } from "./flags.js";
import type { Frame } from "./frame.js";

/** The table of a group of dense keys: the label of its first entry, and where each entry goes. */
export interface JumpTable {
  readonly label: number;
  readonly targets: readonly number[];
}

export class EmitContext {
  readonly lir: Lir;
  /** What is written has the frame. */
  isFramed = true;
  readonly code: CodeBuffer;
  readonly environment: Environment;
  /** Index of the procedure in the module; 0 is the entry. */
  readonly procedure: number;
  /** Where each procedure of the module starts, by index; of those that the entry reaches. */
  readonly procedureLabels: readonly number[];
  /** Label of each block and of each guard's exit stub. */
  readonly blockLabels: number[] = [];
  readonly stubLabels: number[] = [];
  /** By guard: its exit is taken where there is no frame. */
  readonly isBare: boolean[] = [];
  /** Calls with a safepoint, and the label behind each. */
  readonly safepoints: number[] = [];
  readonly safepointLabels: number[] = [];
  /** Jump tables of the procedure so far; they stand behind its code. */
  readonly tables: JumpTable[] = [];
  /** Constants that the code reads; they stand behind the tables. */
  readonly constants = new ConstantPool();
  readonly flags: Flags;
  /** The block being emitted, and the label of what follows it in memory. */
  block = 0;
  nextLabel = 0;
  private readonly framed: Frame;
  private readonly leave: (context: EmitContext) => void;

  constructor(
    lir: Lir,
    frame: Frame,
    code: CodeBuffer,
    environment: Environment,
    procedure: number,
    procedureLabels: readonly number[],
    flags: Flags,
    leave: (context: EmitContext) => void,
  ) {
    this.leave = leave;
    this.flags = flags;
    this.procedure = procedure;
    this.procedureLabels = procedureLabels;
    this.lir = lir;
    this.framed = frame;
    this.code = code;
    this.environment = environment;
  }

  /** To be asked for only where code has it. */
  get frame(): Frame {
    assert(this.isFramed, () => `block ${this.block} reaches into a frame that is not there`);
    return this.framed;
  }

  /** Leaves the procedure, as the target does. */
  epilogue(): void {
    this.leave(this);
  }

  /** Location of the instruction's k-th operand. */
  location(instruction: number, k: number): number {
    return this.lir.location[this.lir.operandStart[instruction] + k];
  }

  /** Number of the k-th operand's register within its bank. */
  register(instruction: number, k: number): number {
    return this.location(instruction, k) & (VECTOR - 1);
  }

  successor(k: number): number {
    return this.lir.successors[this.lir.successorStart[this.block] + k];
  }

  stubLabel(instruction: number): number {
    return this.stubLabels[this.lir.guard[instruction]];
  }
}
