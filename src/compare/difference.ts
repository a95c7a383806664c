// A difference between what the oracle saw and what a subject did, as a value. Code reads this value; its
// text is for people, made by describe-difference.ts where it leaves the program.

import type { Bits, Ending, SlotBits } from "../ir/outcome.js";
import type { Aspect } from "./aspects.js";

export interface Difference {
  /** Through runs, exits and continuations to where it was seen, from outside; empty: the entry itself. */
  readonly path: readonly Step[];
  /** What was compared there. */
  readonly aspect: Aspect;
  /** Where in what was compared; null where that is one thing. */
  readonly place: Place | null;
  readonly mismatch: Mismatch;
}

export type Step =
  /** The run in which every undefined bit of the machine holds something else. */
  | { readonly kind: "other-junk" }
  /** An exit in a callee, whose caller continued. */
  | { readonly kind: "callee-exit"; readonly index: number }
  /** `by`: the subject whose code it ran as; null where it was interpreted. */
  | { readonly kind: "continuation"; readonly index: number; readonly by: string | null };

export type Place =
  /** `argument` is null where it is about the whole event. */
  | {
      readonly kind: "event";
      readonly index: number;
      readonly name: string;
      readonly argument: number | null;
    }
  /** Of an exit; `slot` is null where it is about the whole frame. */
  | { readonly kind: "frame"; readonly index: number; readonly slot: number | null };

/** What there were so many of. */
export type Counted =
  | "events"
  | "volatile loads"
  | "fences"
  | "frames"
  | "slots"
  | "bytes"
  | "exits in callees"
  | "continuations";

export type Mismatch =
  | { readonly kind: "ending"; readonly expected: Ending["kind"]; readonly got: Ended }
  /** What the calling convention wants preserved, and what became of it. */
  | { readonly kind: "convention"; readonly says: string }
  | {
      readonly kind: "count";
      readonly of: Counted;
      readonly expected: number;
      readonly got: number;
    }
  /** The number of events before an exit in a callee. */
  | { readonly kind: "order"; readonly expected: number; readonly got: number }
  /** The name of the host function. */
  | { readonly kind: "call"; readonly expected: string; readonly got: string }
  /** The number of the exit. */
  | { readonly kind: "exit"; readonly expected: number; readonly got: number }
  | { readonly kind: "frame"; readonly expected: FramePoint; readonly got: FramePoint }
  | { readonly kind: "value"; readonly expected: SlotBits; readonly got: SlotBits }
  /** In the heap, or in the contents of a slot: the first few ranges that differ. */
  | { readonly kind: "bytes"; readonly ranges: readonly DifferentBytes[] }
  /** There at `offset` any NaN of the type was expected. */
  | { readonly kind: "nan"; readonly offset: number; readonly got: Bits };

export interface FramePoint {
  readonly name: string;
  readonly point: number;
}

export interface DifferentBytes {
  readonly offset: number;
  readonly expected: Uint8Array;
  readonly got: Uint8Array;
}

/** An ending without what is compared apart: results, frames, memory. */
export type Ended =
  | Exclude<Ending, { kind: "return" | "exit" }>
  | { readonly kind: "return" }
  | { readonly kind: "exit"; readonly exit: number };

/** By which comparison it was seen first, from outside: that of a second run, of a continuation, or its own. */
export function seenBy({ path, aspect }: Difference): Aspect {
  if (path.some(({ kind }) => kind === "other-junk")) return "junk";
  return path.some(({ kind }) => kind === "continuation") ? "resumption" : aspect;
}
