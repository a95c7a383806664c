// Defines the row of a kind of patchpoint: its operands with their locations, its result, its effect. The rows of the
// table (patchpoints.ts) and those of users (user-patchpoints.ts) have this form.

import type { ValueTypeName } from "./types.js";

type Digit = 0 | 1 | 2 | 3 | 4 | 5;
/**
 * A register by its role; each target maps roles to registers. `%a0` is the register of the first integer argument of a
 * call, `%f0` that of the first floating one, `%result` that of a call's result (in the bank of the type), and `%g0` a
 * general register that is none of these.
 */
export type RegisterName = `%g${Digit}` | `%f${Digit}` | `%a${Digit}` | "%result";

/**
 * The location of an operand:
 * - warm, cold: in a register or in memory, as the allocator chooses
 * - late-cold: likewise, and read after the result was written
 * - register: in any register
 * - late: in any register, and read after the result was written
 * - copied: in any register, which the patchpoint may overwrite
 * - %g0: in that register; late %g0: likewise, and read after the result was written
 * - stack: in its own slot of the frame
 * - argument: in the area of outgoing arguments, eight bytes each, in order
 * - constant: a constant, which is encoded in the code
 * - keepAlive: in a register or in memory until the patchpoint ends; nothing reads it
 *
 * If a guard's snapshot contains a late, kept or stack operand, the exit shows that value at the location of the operand.
 */
export type OperandLocation =
  | "warm"
  | "cold"
  | "late-cold"
  | "register"
  | "late"
  | "copied"
  | "stack"
  | "argument"
  | "constant"
  | "keepAlive"
  | RegisterName
  | `late ${RegisterName}`;
/**
 * The location of a result.
 * - register: in any register
 * - early: in a register that is written before operands are read
 * - same: in the register of the first operand
 * - stack: only in its own slot of the frame
 */
export type ResultLocation = "register" | "early" | "same" | "stack" | RegisterName;

/**
 * The type of an operand. `slot` requires the address of a locked slot, `frame` an address derived from FramePointer;
 * both are Int64.
 */
export type OperandTypeName = ValueTypeName | "slot" | "frame";
/**
 * The effect of a kind.
 * - pure: touches no memory
 * - kept: likewise, and is never removed
 * - read: reads memory and is not observed
 * - write: reads and writes memory
 * - exit: a guard; it touches no memory, and always fails for the same operands
 * - terminal: ends the activation with its result
 */
export type PatchpointEffect = "pure" | "kept" | "read" | "write" | "exit" | "terminal";

export interface PatchpointRow {
  readonly takes: readonly `${OperandTypeName} ${OperandLocation}`[];
  /** Void if it has no result. */
  readonly gives: `${ValueTypeName} ${ResultLocation}` | "Void";
  /** Registers that are destroyed before operands are read, and after. */
  readonly early?: readonly RegisterName[];
  readonly late?: readonly RegisterName[];
  /** Scratch registers, one of the given bank each. */
  readonly scratch?: readonly ("general" | "vector")[];
  readonly effect: PatchpointEffect;
  /** Defined for all operands, so that it may be executed speculatively. */
  readonly total?: true;
  /** The first operand is the address of that many bytes, which the kind reads or writes. */
  readonly bytes?: 4 | 8;
  /**
   * True if its result is a reference: an Int64 like any other in computations, but compiled code lists, at each call,
   * the references that are live after it.
   */
  readonly reference?: true;
  /** One sentence for docs/language.md, with x, y, z, w for the operands. */
  readonly says: string;
}
