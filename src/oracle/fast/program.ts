// Defines the decoded program that the oracle runs. It is independent of the module from which it was made.
//
// Every value owns a cell of 8 bytes in its activation, as does the variable of every Phi. A 32-bit value is in the low
// word of its cell; the high word remains 0.

import type { HostFunction } from "../../ir/host-functions.js";
import type { ObservedBits } from "../../ir/outcome.js";
import type { PatchpointKind } from "../../ir/patchpoints.js";
import type { Type } from "../../ir/types.js";

/** The number of words of an instruction. The constants below are the index of each word. */
export const STRIDE = 9;
/** Index of the function that executes the instruction (steps.ts). */
export const STEP = 0;
/** Fuel: 1 for the value itself, and 1 for each constant and Nop immediately before it. */
export const COST = 1;
/** Cell of the result, then the cells of the operands: A, B, C, in the order of the row in OPCODES. */
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

/** The program counter that a step returns if the activation has ended. */
export const END = -1;
/**
 * The program counter that a step returns before something that consumes fuel of its own: the call of a procedure, or a
 * bulk operation.
 */
export const CALL = -2;
/** In A: a Return without operand. For dead bytes: the offset is relative to the heap's start. */
export const NO_CELL = -1;
/** In Y: the access is to the heap. */
export const NO_SLOT = -1;
/** The address is in the frame; no access has such an address. */
export const FRAME_SLOT = -2;
/** In `ids`: the instruction that ends an exit block, which has no value. */
export const NO_VALUE = -1;

/** The bytes of a stack slot in the memory of its activation. */
export interface SlotBytes {
  readonly start: number;
  readonly size: number;
  readonly isLocked: boolean;
}

/** Bytes made of cells, in the form of a stack slot. */
export interface DecodedFields {
  readonly size: number;
  readonly fields: readonly { readonly offset: number; readonly cell: number }[];
}

/**
 * A cell and its type; bits of a constant; a stack slot whose bytes are shown; bytes made of cells; `null` for dead, or
 * dead heap.
 */
export type DecodedSlot =
  | { readonly cell: number; readonly type: Type }
  | ObservedBits
  | SlotBytes
  | DecodedFields
  | null;

/** Bytes of the heap, from an address or from the heap's start if the cell is NO_CELL. */
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
  /** The start of the exit block in `code`. */
  readonly pc: number;
  readonly frames: readonly DecodedFrame[];
  /** Bytes of the heap that are dead after the exit. */
  readonly dead: readonly DecodedDeadBytes[];
  /** Cells of the snapshot's leaves, in the order of `snapshotLeaves`. */
  readonly leafCells: readonly number[];
}

export interface DecodedCall {
  /** The called host function; null if a procedure is called. */
  readonly host: HostFunction | null;
  /** The index of the callee; -1 if the cell in A contains the index, and for host functions. */
  readonly procedure: number;
  readonly argCells: readonly number[];
  /** The number of further results; their cells follow that of the first result. */
  readonly further: number;
  /** The index of the slot whose address the host function takes, or NO_SLOT. */
  readonly slot: number;
}

export interface DecodedPatchpoint {
  readonly kind: PatchpointKind;
  readonly argCells: readonly number[];
  /** The index of the slot whose address the first operand is, or NO_SLOT. */
  readonly slot: number;
}

export interface DecodedSwitch {
  /** By case: the key. The high word of an Int32 is 0, as in its cell. */
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  /** By case: the start of its block in `code`; last, that of the default. */
  readonly targets: Int32Array;
  /** True if the keys are 0, 1, 2 and so on, so that no search is needed. */
  readonly isDense: boolean;
}

export interface DecodedProcedure {
  /** Position in the module. */
  readonly index: number;
  readonly result: Type;
  readonly further: readonly Type[];
  /** STRIDE words for each instruction; a program counter is an index of this array. The entry is 0. */
  readonly code: Int32Array;
  /** The initial contents of the cells, two words each: constants in their cells, 0 elsewhere. */
  readonly firstCells: Int32Array;
  /** The type of each cell's value. */
  readonly cellTypes: Uint8Array;
  /** Parameters own the first cells, in order. */
  readonly parameterCount: number;
  readonly slots: readonly SlotBytes[];
  /** The total size of all slots, in bytes. */
  readonly slotBytes: number;
  readonly exits: readonly DecodedExit[];
  readonly calls: readonly DecodedCall[];
  readonly patchpoints: readonly DecodedPatchpoint[];
  readonly switches: readonly DecodedSwitch[];
  /** By cell: the id of its value; for a variable, the id of the Phi. */
  readonly cellIds: Int32Array;
  readonly valueIdEnd: number;
  /** By instruction: the id of its value, or NO_VALUE, and its opcode. */
  readonly ids: Int32Array;
  readonly opcodes: Uint8Array;
  /** Constants and Nops before instruction i: `skipped` from `skippedStart[i]` to `skippedStart[i + 1]`. */
  readonly skippedStart: Int32Array;
  readonly skipped: readonly SkippedValue[];
}

/** A value that does nothing when it executes; `cell` is NO_CELL for Nop. */
export interface SkippedValue {
  readonly id: number;
  readonly cell: number;
}

/** The procedures of a program, each decoded on its first use. */
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

export interface DecodedModule {
  readonly heapSize: number;
  readonly allocates: boolean;
  readonly procedures: DecodedProcedures;
  /** By exit number: indices of procedures, innermost frame first. */
  readonly continuations: ReadonlyMap<number, readonly number[]>;
}
