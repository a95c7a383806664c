// A trace: one path of a program, recorded as a module of its own. Its entry takes the live state of
// the activations at the place where it begins, and leaves by exits whose frames are activations of
// the program: name and point of a frame say where one goes on, its slots are its live cells.

import type { Module } from "../ir/procedure.js";
import type { HotSpot } from "./hot-spot.js";

/** A place in the program: an instruction, and the cells that are live there. */
export interface Place {
  /** Index in the program. */
  readonly procedure: number;
  readonly pc: number;
  readonly cells: readonly number[];
  /** Of a program that is an interpreter: the word that it interprets next. */
  readonly word?: number;
}

/**
 * Why an exit is there: `guard`, the program may go another way; `link`, another trace begins there,
 * or this one once more; `return`, the activation in which the trace began returns.
 */
export type ExitKind = "guard" | "link" | "return";

export interface TraceExit {
  readonly number: number;
  readonly kind: ExitKind;
  /** Innermost first, as in a snapshot: all but the first stand at a call. */
  readonly places: readonly Place[];
  /** Times it was taken, also into its side trace. */
  taken: number;
  readonly spot: HotSpot;
  side: RecordedTrace | null;
}

/** How the trace ends. */
export type TraceEnd = "loop" | "link" | "return";

export interface RecordedTrace {
  readonly name: string;
  /** The exit it goes on from; null: it begins at a head. */
  readonly parent: { readonly trace: RecordedTrace; readonly exit: TraceExit } | null;
  /** Where it begins, innermost first: its parameters are their cells in order. */
  readonly places: readonly Place[];
  readonly module: Module;
  readonly end: TraceEnd;
  readonly exits: readonly TraceExit[];
  /** Exits with lower numbers are those of the program. */
  readonly exitBase: number;
  entered: number;
}

/** The exit of that number; null: it is one of the program's, which a callee took. */
export const exitTaken = ({ exits, exitBase }: RecordedTrace, number: number): TraceExit | null =>
  number < exitBase ? null : exits[number - exitBase];
