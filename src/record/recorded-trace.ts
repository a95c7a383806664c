// Defines a trace: one path of a program, recorded as a module. Its entry takes the live state of
// the activations at its beginning. It leaves by exits whose frames are activations of the program:
// the name and the point of a frame identify the instruction to continue at, and its slots are the
// live cells.

import type { Module } from "../ir/procedure.js";
import type { ExecutionCounter } from "./hot-spot.js";

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
 * The kind of an exit: `guard`: the program may take another path; `link`: another trace, or this
 * one, begins there; `return`: the activation in which the trace began returns.
 */
export type ExitKind = "guard" | "link" | "return";

export interface TraceExit {
  readonly number: number;
  readonly kind: ExitKind;
  /**
   * The activations that the exit restores, innermost first as in a snapshot; all but the first are
   * at a call.
   */
  readonly places: readonly ProgramPoint[];
  /** Times it was taken, including transitions to its side trace. */
  taken: number;
  readonly spot: ExecutionCounter;
  side: RecordedTrace | null;
}

/** How the trace ends. */
export type TraceEnd = "loop" | "link" | "return";

export interface RecordedTrace {
  readonly name: string;
  /** The exit after which it continues; null: it begins at a head. */
  readonly parent: { readonly trace: RecordedTrace; readonly exit: TraceExit } | null;
  /** Its beginning, innermost activation first; its parameters are the live cells in order. */
  readonly places: readonly ProgramPoint[];
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
