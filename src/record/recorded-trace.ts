// Defines a trace: one path of a program, recorded as a module. Its entry takes the live state of
// the activations at its beginning. It leaves by exits whose frames are activations of the program:
// the name and the point of a frame identify the instruction to continue at, and its slots are the
// live cells.

import type { Module } from "../ir/procedure.js";
import type { HotCounter } from "./hot-counter.js";

/** A point in the program: an instruction, and the cells that are live there. */
export interface ProgramPoint {
  /** Index of the procedure in the program. */
  readonly procedure: number;
  readonly pc: number;
  readonly cells: readonly number[];
  /** If the program interprets bytecode: the address of the next interpreted word. */
  readonly word?: number;
}

/**
 * The kind of an exit: `guard`: the program may take another path; `caller`: the outermost
 * activation may return to another call; `link`: another trace, or this one, begins there;
 * `return`: the outermost activation returns.
 */
export type ExitKind = "guard" | "caller" | "link" | "return";

export interface TraceExit {
  readonly number: number;
  readonly kind: ExitKind;
  /**
   * The activations that the exit restores, innermost first as in a snapshot; all but the first are
   * at a call.
   */
  readonly points: readonly ProgramPoint[];
  /**
   * The number of activations that the exit removes: the one in which the trace, or the first of its
   * parents, began, and those to which it returned.
   */
  readonly replaces: number;
  /** Times it was taken, including transitions to its side trace. */
  taken: number;
  readonly counter: HotCounter;
  side: RecordedTrace | null;
}

/** Maximum number of parameters of a trace. */
export const STATE_MAX = 256;

/** How the trace ends. */
export type TraceEnd = "loop" | "link" | "return";

export interface RecordedTrace {
  readonly name: string;
  /** The exit after which it continues; null: it begins at a head. */
  readonly parent: { readonly trace: RecordedTrace; readonly exit: TraceExit } | null;
  /** The activations at its beginning, innermost first; its parameters are their live cells in order. */
  readonly points: readonly ProgramPoint[];
  /**
   * The calls below its beginning to which it returns, innermost first. Further parameters are, for
   * each of them, the number of the instruction and its live cells.
   */
  readonly below: readonly ProgramPoint[];
  readonly module: Module;
  readonly end: TraceEnd;
  readonly exits: readonly TraceExit[];
  /** The number of the trace's first exit; exits with lower numbers belong to the program. */
  readonly exitBase: number;
  entered: number;
}

/** Returns the exit of that number; null if it belongs to the program and a callee took it. */
export const exitTaken = ({ exits, exitBase }: RecordedTrace, number: number): TraceExit | null =>
  number < exitBase ? null : exits[number - exitBase];
