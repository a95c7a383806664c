// Exit records: the location of each variable of the source at the moment the guard fails, for the
// harness.

import type { Type } from "../../src/ir/types.js";

/** The kind of location that holds the bits of one slot. */
export const LocationKind = {
  Dead: 0,
  /** `index`: number of a general register in the save area. */
  General: 1,
  /** `index`: number of a vector register in the save area. */
  Vector: 2,
  /**
   * `index`: distance in bytes from the frame pointer downward; negative for a stack argument of the
   * procedure, which is above.
   */
  Frame: 3,
  /** `lo`, `hi`. */
  Constant: 4,
  /** `index`: number of a value of the exit block, computed by the harness. */
  Result: 5,
  /** The contents of a stack slot: `index` as for Frame, `lo` its size in bytes; no type. */
  Contents: 6,
  /** Bytes of fields, which the harness assembles from leaves: `index` is their number; no type. */
  Fields: 7,
  /** An Int64 in two locations, each of an Int32: `halves`. */
  Halves: 8,
} as const;
export type LocationKind = (typeof LocationKind)[keyof typeof LocationKind];

export interface ExitLocation {
  readonly place: LocationKind;
  readonly type: Type;
  readonly index: number;
  readonly lo: number;
  readonly hi: number;
  /** The halves of Halves, each in a register, in the frame or a constant; null for other kinds. */
  readonly halves: readonly [low: ExitLocation, high: ExitLocation] | null;
}

interface FrameRecord {
  readonly name: string;
  readonly point: number;
  readonly slots: readonly ExitLocation[];
}

export interface ExitRecord {
  /** The exit's number in the program. */
  readonly exit: number;
  /** Index of the procedure in the module, and id of the snapshot in it. */
  readonly procedure: number;
  readonly snapshot: number;
  /** The id of the patchpoint that exits, plus one; 0 for other guards. */
  readonly patchpoint: number;
  /** Bytes from the frame pointer down to the stack pointer: 0 if the stub has made the frame. */
  readonly frameSize: number;
  /**
   * Callee-saved registers that the frame holds; the n-th is at -8 * (n + 1). Unified numbering.
   */
  readonly saved: readonly number[];
  /**
   * The number of values of the exit block; 0 if there is none. It may have values and yet no
   * leaves.
   */
  readonly blockSize: number;
  /**
   * If there is an exit block, or a slot made of fields: its inputs and the values that slots name,
   * in the order of snapshotLeaves.
   */
  readonly leaves: readonly ExitLocation[];
  readonly frames: readonly FrameRecord[];
}
