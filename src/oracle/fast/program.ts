// A decoded program: what the oracle runs. It is independent of the module it was made from.
//
// Every value owns a cell of 8 bytes in its activation, and so does the variable of every Phi. A
// 32-bit value lies in the low word of its cell; the high word stays 0.

import type { HostFunction } from "../../ir/host-functions.js";
import type { Bits } from "../../ir/outcome.js";
import type { PatchpointKind } from "../../ir/patchpoints.js";
import type { Type } from "../../ir/types.js";

/** Words of an instruction, and what each holds. */
export const STRIDE = 9;
/** Index of the function that executes the instruction (steps.ts). */
export const STEP = 0;
/** Fuel: 1 for the value itself and 1 for each constant and Nop that stands right before it. */
export const COST = 1;
/** Cell of the result. Cells of the operands: A, B, C, in the order of the row in OPCODES. */
export const DEST = 2;
export const A = 3;
export const B = 4;
export const C = 5;
/** Access: byte offset. Guard: start of its exit block. Branch, Jump: first target. */
export const X = 6;
/**
 * Access: index of the stack slot, or NO_SLOT. Branch: second target. Call: index in `calls`.
 * Patchpoint: index in `patchpoints`. Switch: index in `switches`.
 */
export const Y = 7;
/** Access: its class of memory. */
export const CLASS = 8;

/** Returned by a step instead of the next program counter when the activation has ended. */
export const END = -1;
/**
 * Returned when something that takes fuel of its own comes before this activation continues: the call
 * of a procedure, or a bulk operation.
 */
export const CALL = -2;
/** In A: a Return without operand. Of dead bytes: they are counted from the heap's start. */
export const NO_CELL = -1;
/** In Y: the access goes to the heap. */
export const NO_SLOT = -1;
/** The address is one in the frame, which no access has. */
export const FRAME_SLOT = -2;
/** In `ids`: the instruction that ends an exit block, which is no value. */
export const NO_VALUE = -1;

/** A stack slot's bytes in the memory of its activation. */
export interface SlotPlace {
  readonly start: number;
  readonly size: number;
  readonly isLocked: boolean;
}

/** Bytes that cells give, as those of a stack slot. */
export interface DecodedFields {
  readonly size: number;
  readonly fields: readonly { readonly offset: number; readonly cell: number }[];
}

/**
 * A cell and the type of what it holds; bits of a constant; a stack slot whose bytes are shown;
 * bytes from cells; `null`: dead, or dead heap.
 */
export type DecodedSlot =
  | { readonly cell: number; readonly type: Type }
  | Bits
  | SlotPlace
  | DecodedFields
  | null;

/** Bytes of the heap from an address, or from the heap's start where the cell is NO_CELL. */
export interface DecodedDeadBytes {
  readonly cell: number;
  readonly offset: number;
  readonly size: number;
}

interface DecodedFrame {
  readonly name: string;
  readonly point: number;
  readonly slots: readonly DecodedSlot[];
}

export interface DecodedExit {
  readonly snapshotId: number;
  readonly exit: number;
  /** Where the exit block starts in `code`. */
  readonly pc: number;
  readonly frames: readonly DecodedFrame[];
  /** What is dead of the heap once the exit is taken. */
  readonly dead: readonly DecodedDeadBytes[];
  /** Cells of the snapshot's leaves, in the order of `snapshotLeaves`. */
  readonly leafCells: readonly number[];
}

export interface DecodedCall {
  /** Null: a procedure is called. */
  readonly host: HostFunction | null;
  /** Its index; -1: the cell in A says which, and for host functions. */
  readonly procedure: number;
  readonly argCells: readonly number[];
  /** Number of further results, whose cells stand behind that of the first. */
  readonly further: number;
  /** Index of the slot whose address the host function takes, or NO_SLOT. */
  readonly slot: number;
}

export interface DecodedPatchpoint {
  readonly kind: PatchpointKind;
  readonly argCells: readonly number[];
  /** Index of the slot whose address the first operand is, or NO_SLOT. */
  readonly slot: number;
}

export interface DecodedSwitch {
  /** By case: the key. An Int32 has the high word 0, as its cell has. */
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  /** By case: where its block starts in `code`; last, where the default's does. */
  readonly targets: Int32Array;
  /** The keys are 0, 1, 2 and so on: they need not be searched. */
  readonly isDense: boolean;
}

export interface DecodedProcedure {
  /** Position in the module. */
  readonly index: number;
  readonly result: Type;
  readonly further: readonly Type[];
  /** STRIDE words an instruction; a program counter is an index of this array. Entry: 0. */
  readonly code: Int32Array;
  /** First contents of the cells, two words each: constants in place, everything else 0. */
  readonly firstCells: Int32Array;
  /** The type of each cell's value. */
  readonly cellTypes: Uint8Array;
  /** Parameters own the first cells, in order. */
  readonly parameterCount: number;
  readonly slots: readonly SlotPlace[];
  /** Bytes of all slots together. */
  readonly slotBytes: number;
  readonly exits: readonly DecodedExit[];
  readonly calls: readonly DecodedCall[];
  readonly patchpoints: readonly DecodedPatchpoint[];
  readonly switches: readonly DecodedSwitch[];
  /** By cell: the id of its value; of the Phi, for its variable. */
  readonly cellIds: Int32Array;
  readonly valueIdEnd: number;
  /** By instruction: the id of its value, or NO_VALUE, and its opcode. */
  readonly ids: Int32Array;
  readonly opcodes: Uint8Array;
  /** Constants and Nops before instruction i: `skipped` from `skippedStart[i]` to `[i + 1]`. */
  readonly skippedStart: Int32Array;
  readonly skipped: readonly SkippedValue[];
}

/** A value that does nothing when it executes; `cell` is NO_CELL for Nop. */
export interface SkippedValue {
  readonly id: number;
  readonly cell: number;
}

/** The procedures of a program, each decoded when it is first asked for. */
export class DecodedProcedures {
  readonly count: number;
  private readonly decode: (index: number) => DecodedProcedure;
  private readonly decoded: (DecodedProcedure | null)[];

  constructor(count: number, decode: (index: number) => DecodedProcedure) {
    this.count = count;
    this.decode = decode;
    this.decoded = new Array(count).fill(null);
  }

  at(index: number): DecodedProcedure {
    const known = this.decoded[index];
    if (known !== null) return known;
    const decoded = this.decode(index);
    this.decoded[index] = decoded;
    return decoded;
  }

  all(): readonly DecodedProcedure[] {
    return this.decoded.map((_, index) => this.at(index));
  }
}

export interface Program {
  readonly heapSize: number;
  /** It makes objects. */
  readonly allocates: boolean;
  readonly procedures: DecodedProcedures;
  /** Exit number to indices of procedures, innermost frame first. */
  readonly continuations: ReadonlyMap<number, readonly number[]>;
}
