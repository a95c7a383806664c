// Defines a difference between the oracle's outcome and a subject's. Code reads this value; describe-difference.ts
// makes its text, for people, when it is printed.

import type { Ending, ExecutedFence, ObservedBits, SlotBits } from "../ir/outcome.js";
import type { Aspect } from "./aspects.js";

export interface Difference {
  /**
   * The path from the entry through runs, exits and continuations to the difference, outermost first; empty: the entry
   * itself.
   */
  readonly path: readonly PathStep[];
  /** The aspect that differs at the end of the path. */
  readonly aspect: Aspect;
  /** The place of the difference in that aspect; null if the aspect is a single thing. */
  readonly place: DifferencePlace | null;
  readonly mismatch: Mismatch;
}

export type PathStep =
  /** The second run of the same code, with other junk in all undefined bits of the machine. */
  | { readonly kind: "other-junk" }
  /** An exit in a callee, whose caller continued. */
  | { readonly kind: "callee-exit"; readonly index: number }
  /**
   * A continuation after an exit. `by` is the subject whose code executed it; null if it was
   * interpreted.
   */
  | { readonly kind: "continuation"; readonly index: number; readonly by: string | null };

export type DifferencePlace =
  /** A recorded call of a host function; `argument` is null if the whole event differs. */
  | {
      readonly kind: "event";
      readonly index: number;
      readonly name: string;
      readonly argument: number | null;
    }
  | { readonly kind: "volatile-load"; readonly index: number }
  | { readonly kind: "fence"; readonly index: number }
  /** A frame of an exit; `slot` is null if the whole frame differs. */
  | { readonly kind: "frame"; readonly index: number; readonly slot: number | null };

/** The kinds of elements that are counted: outcomes may differ in their number. */
export type CountedElement =
  | "events"
  | "volatile loads"
  | "fences"
  | "frames"
  | "slots"
  | "bytes"
  | "exits in callees"
  | "continuations";

export type Mismatch =
  | { readonly kind: "ending"; readonly expected: Ending["kind"]; readonly got: EndingSummary }
  /** A rule of the calling convention that was broken, and how. */
  | { readonly kind: "convention"; readonly says: string }
  | {
      readonly kind: "count";
      readonly of: CountedElement;
      readonly expected: number;
      readonly got: number;
    }
  /** An exit in a callee, or a fence, comes after another number of events or volatile loads. */
  | {
      readonly kind: "order";
      readonly of: "events" | "volatile loads";
      readonly expected: number;
      readonly got: number;
    }
  /** An event calls another host function; both are names. */
  | { readonly kind: "call"; readonly expected: string; readonly got: string }
  /** A fence orders other accesses. */
  | {
      readonly kind: "fence";
      readonly expected: ExecutedFence["orders"];
      readonly got: ExecutedFence["orders"];
    }
  /** The execution takes another exit; both are exit numbers. */
  | { readonly kind: "exit"; readonly expected: number; readonly got: number }
  | { readonly kind: "frame"; readonly expected: FramePoint; readonly got: FramePoint }
  | { readonly kind: "value"; readonly expected: SlotBits; readonly got: SlotBits }
  /** Bytes of the heap or of a slot's contents differ: the first ranges. */
  | { readonly kind: "bytes"; readonly ranges: readonly DifferentBytes[] }
  /** The oracle expects any NaN at `offset`, and the bytes are no NaN. */
  | { readonly kind: "nan"; readonly offset: number; readonly got: ObservedBits };

export interface FramePoint {
  readonly name: string;
  readonly point: number;
}

export interface DifferentBytes {
  readonly offset: number;
  readonly expected: Uint8Array;
  readonly got: Uint8Array;
}

/** An ending without the aspects that are compared separately: results, frames, memory. */
export type EndingSummary =
  | Exclude<Ending, { kind: "return" | "exit" }>
  | { readonly kind: "return" }
  | { readonly kind: "exit"; readonly exit: number };

/** Returns the outermost comparison that found the difference: that of a second run, of a continuation, or its own. */
export function outermostAspect({ path, aspect }: Difference): Aspect {
  if (path.some(({ kind }) => kind === "other-junk")) return "junk";
  return path.some(({ kind }) => kind === "continuation") ? "resumption" : aspect;
}
