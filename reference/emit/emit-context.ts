// The interface of emission for the emit functions of LIR rows: locations of operands, labels of
// blocks and exits, the frame.

import { assert } from "../../src/support/assert.js";
import { type Lir, VECTOR } from "../lir/lir.js";
import { type CodeBuffer, offsetText } from "./code-buffer.js";
import type { ExternalAddresses } from "./environment.js";
import type { FlagsTracker } from "./flags.js";
import type { ProcedureFrame } from "./frame.js";

/** The number of recent constants that are searched for an equal one. */
const SEARCH_LENGTH = 32;

interface PooledConstant {
  readonly label: number;
  readonly lo: number;
  readonly hi: number;
  readonly isWide: boolean;
}

/**
 * The constants that are placed after the code of a procedure. A short search removes duplicates.
 */
class ConstantPool {
  private readonly constants: PooledConstant[] = [];

  get isEmpty(): boolean {
    return this.constants.length === 0;
  }

  /** Returns the label of the four bytes `lo`, or of eight bytes. */
  labelOf(code: CodeBuffer, lo: number, hi: number, isWide: boolean): number {
    const { constants } = this;
    for (let k = constants.length - 1; k >= 0 && k >= constants.length - SEARCH_LENGTH; k--) {
      const known = constants[k];
      const isEqual = known.lo === lo && (known.hi === hi || !isWide);
      if (isEqual && known.isWide === isWide) return known.label;
    }
    const label = code.newLabel();
    constants.push({ label, lo, hi, isWide });
    return label;
  }

  write(code: CodeBuffer): void {
    for (const { label, lo, hi, isWide } of this.constants) {
      code.bind(label);
      this.word(code, lo);
      if (isWide) this.word(code, hi);
    }
  }

  private word(code: CodeBuffer, word: number): void {
    const offset = offsetText(code.size);
    code.listing?.push(`${offset}  .long 0x${(word >>> 0).toString(16)}`);
    code.word(word);
  }
}

/**
 * The table of a group of dense keys: the label of its first entry, and the target of each entry.
 */
export interface JumpTable {
  readonly label: number;
  readonly targets: readonly number[];
}

export class EmitContext {
  readonly lir: Lir;
  /** Whether the code at the current position has the frame. */
  isFramed = true;
  readonly code: CodeBuffer;
  readonly environment: ExternalAddresses;
  /** Index of the procedure in the module; 0 is the entry. */
  readonly procedure: number;
  /** The label of each procedure of the module, by index, if the entry reaches it. */
  readonly procedureLabels: readonly number[];
  /** Label of each block and of each guard's exit stub. */
  readonly blockLabels: number[] = [];
  readonly stubLabels: number[] = [];
  /** By guard: whether its exit is taken without a frame. */
  readonly isBare: boolean[] = [];
  /** Calls with a safepoint, and the label after each. */
  readonly safepoints: number[] = [];
  readonly safepointLabels: number[] = [];
  /** Jump tables of the procedure so far; they are placed after its code. */
  readonly tables: JumpTable[] = [];
  /** Constants that the code reads; they are placed after the tables. */
  readonly constants = new ConstantPool();
  readonly flags: FlagsTracker;
  /** The current block, and the label of the code after it in memory. */
  block = 0;
  nextLabel = 0;
  private readonly framed: ProcedureFrame;
  private readonly leave: (context: EmitContext) => void;

  constructor(
    lir: Lir,
    frame: ProcedureFrame,
    code: CodeBuffer,
    environment: ExternalAddresses,
    procedure: number,
    procedureLabels: readonly number[],
    flags: FlagsTracker,
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

  /** Returns the frame. Must be called only where the code has one. */
  get frame(): ProcedureFrame {
    assert(this.isFramed, () => `block ${this.block} accesses a frame, but runs without one`);
    return this.framed;
  }

  /** Writes the target's code that leaves the procedure. */
  epilogue(): void {
    this.leave(this);
  }

  /** Returns the location of the instruction's k-th operand. */
  location(instruction: number, k: number): number {
    return this.lir.location[this.lir.operandStart[instruction] + k];
  }

  /** Returns the number of the k-th operand's register within its bank. */
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
