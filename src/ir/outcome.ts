// Defines the outcome of an execution: the form in which the oracle and every subject report.

import type { Type } from "./types.js";
import { wideBits } from "./words.js";

export interface Input {
  /** The low and high word of each argument of the entry, in the order of its parameters. */
  readonly words: Int32Array;
  /** 0: the heap starts as zeroes; else the seed of its initial contents (see heapContents). */
  readonly heapSeed: number;
}

/**
 * A value as observed. `anyNaN`: the language leaves the bits open, so a subject may show any NaN of the format; only
 * the oracle sets it.
 */
export interface ObservedBits {
  readonly type: Type;
  readonly lo: number;
  readonly hi: number;
  readonly anyNaN: boolean;
  /** The object whose address the value is; absent for other values. Only the oracle sets it. */
  readonly object?: number;
}

/** A call of a host function of the class `event` or `write`, with its arguments. */
export interface HostEvent {
  readonly name: string;
  readonly args: readonly ObservedBits[];
}

/** A copy of the whole heap, or of a whole stack slot. */
export interface MemoryImage {
  /** The bytes may be a part of a longer buffer: see its `byteOffset`. */
  readonly bytes: Uint8Array;
  /** Pairs (offset, width 4 or 8) of the open NaNs; ascending, without overlap. Only the oracle sets it. */
  readonly anyNaN: readonly number[];
  /**
   * Pairs (offset, size) of the bytes that are not compared, because they are dead or unwritten; ascending, without
   * overlap. Only the oracle sets it.
   */
  readonly masked: readonly number[];
}
export type HeapImage = MemoryImage;

/** A value; the contents of a stack slot; `null` for dead, or dead heap. */
export type SlotBits = ObservedBits | MemoryImage | null;

/** Returns whether a continuation receives the slot: neither contents nor dead slots. */
export const isBits = (slot: SlotBits): slot is ObservedBits => slot !== null && "type" in slot;

export interface FrameState {
  readonly name: string;
  readonly point: number;
  readonly slots: readonly SlotBits[];
}

export type FaultKind =
  | "read-unmapped"
  | "write-unmapped"
  | "read-protected"
  | "write-protected"
  | "invalid-instruction"
  | "divide" // by zero, or the quotient does not fit
  | "breakpoint"
  | "system-call"
  | "privileged"
  | "port"
  | "halt"
  | "exception"; // any other

/** A rule of the calling convention that a callee must keep. */
export type AbiRule =
  | "callee-saved"
  | "stack-pointer"
  | "guard-zone"
  | "exit-place"
  | "direction-flag"
  | "rounding-mode";

export type Ending =
  /** `result` is null if the procedure's result is Void. */
  | {
      readonly kind: "return";
      readonly result: ObservedBits | null;
      /** Further results of a continuation; the entry has none. Absent if there are none, or if they are not shown. */
      readonly further?: readonly ObservedBits[];
      readonly heap: HeapImage;
    }
  /** `resumed`: one outcome per continuation that was called, innermost frame first. */
  | {
      readonly kind: "exit";
      readonly exit: number;
      readonly frames: readonly FrameState[];
      readonly heap: HeapImage;
      readonly resumed: readonly Outcome[];
      /** The subject whose code executed the continuations; absent if they were interpreted. */
      readonly resumedBy?: string;
    }
  | { readonly kind: "undefined"; readonly rule: UndefinedRule; readonly value: number }
  | { readonly kind: "out-of-fuel" }
  | { readonly kind: "nan-bits"; readonly value: number }
  | {
      readonly kind: "fault";
      readonly fault: FaultKind;
      readonly address: bigint;
      /** Bytes from the start of the image; negative if the program counter is outside. */
      readonly codeOffset: number;
    }
  | { readonly kind: "runaway" }
  | { readonly kind: "escaped"; readonly pc: bigint }
  | { readonly kind: "abi"; readonly rule: AbiRule; readonly detail: string }
  | { readonly kind: "compile-error"; readonly message: string }
  /** In another process: it died, it did not end, or its output cannot be read. */
  | { readonly kind: "crash" | "hang" | "garbage"; readonly evidence: string }
  /** In another process: the records of the execution did not fit. `bytes`: the size of those written before. */
  | { readonly kind: "no-room"; readonly bytes: number };

/** The rules of undefinedness, by name. */
export type UndefinedRule =
  | "heap access out of bounds"
  | "slot access out of bounds"
  | "unwritten slot byte"
  | "slot of a frame that is gone"
  | "dead heap byte"
  | "invariant byte written"
  | "unaligned atomic access"
  | "byte of another class"
  | "byte of an object"
  | "division by zero"
  | "division overflow" // MIN / -1
  | "Oops reached";

/**
 * An exit in a callee whose outermost continuation returned, so that the caller continued. (If none returned, the exit
 * is the ending of the whole execution.)
 */
export interface CalleeExit {
  /** The number of events before it. */
  readonly after: number;
  readonly ending: Extract<Ending, { kind: "exit" }>;
}

export interface ExecutedFence {
  readonly orders: "loads" | "stores" | "all";
  /** The number of volatile loads before it. */
  readonly after: number;
  /** The heap at the fence. Null for a fence that orders no stores, and after the first fences of an execution. */
  readonly heap: HeapImage | null;
}

export interface Outcome {
  readonly events: readonly HostEvent[];
  /** The results of LoadVolatile, in order. Only interpreters record them; absent if compiled code ran as well. */
  readonly volatileLoads?: readonly ObservedBits[];
  /** The fences executed, in order. Recorded as volatile loads are; absent if there is none. */
  readonly fences?: readonly ExecutedFence[];
  /** In order of execution; absent if there is none. */
  readonly calleeExits?: readonly CalleeExit[];
  readonly ending: Ending;
}

/** Returns whether the execution binds the compiler: it returned or exited, and so did all that was resumed. */
export function isJudged(outcome: Outcome): boolean {
  const { ending } = outcome;
  if (ending.kind === "return") return true;
  return ending.kind === "exit" && ending.resumed.every(isJudged);
}

/** Returns how the activation returned, itself or by the outermost continuation of its exit; null if it did not. */
export function returnOf(ending: Ending): Extract<Ending, { kind: "return" }> | null {
  if (ending.kind === "return") return ending;
  if (ending.kind !== "exit" || ending.resumed.length < ending.frames.length) return null;
  const outermost = ending.resumed.at(-1);
  return outermost === undefined ? null : returnOf(outermost.ending);
}

/** Returns the results of the activation, as a continuation receives them. */
export function resultsOf({
  result,
  further = [],
}: Extract<Ending, { kind: "return" }>): ObservedBits[] {
  return result === null ? [] : [result, ...further];
}

/** Returns the first ending, in order of execution, that is not judged; null if all are. */
export function unjudgedEnding(outcome: Outcome): Ending | null {
  const { ending } = outcome;
  if (ending.kind === "return") return null;
  if (ending.kind !== "exit") return ending;
  for (const resumed of ending.resumed) {
    const inner = unjudgedEnding(resumed);
    if (inner !== null) return inner;
  }
  return null;
}

/** Fills `heap` with the initial contents of a seed: xorshift32 words; 0 means zeroes. */
export function heapContents(heap: Uint8Array, seed: number): void {
  if (seed === 0) {
    heap.fill(0);
    return;
  }
  const known = recentContents.find(
    ({ seed: its, bytes }) => its === seed && bytes.length === heap.length,
  );
  if (known !== undefined) {
    heap.set(known.bytes);
    return;
  }
  const bytes = drawContents(heap.length, seed);
  recentContents[next] = { seed, bytes };
  next = (next + 1) % DRAWN_MAX;
  heap.set(bytes);
}

// The contents drawn last: the oracle and every subject run a program on the same inputs, many times.
const DRAWN_MAX = 8;
const recentContents: { readonly seed: number; readonly bytes: Uint8Array }[] = [];
let next = 0;

function drawContents(length: number, seed: number): Uint8Array {
  const words = new Int32Array(length >> 2);
  let x = seed | 0;
  for (let i = 0; i < words.length; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    words[i] = x;
  }
  return new Uint8Array(words.buffer);
}

/**
 * The guest address of the heap's first byte: above 2^32, the same in every execution. Its low word is negative as an
 * Int32, so that an address built from sign-extended halves is wrong.
 */
export const HEAP_BASE_LO = 0x8000_0000 | 0;
export const HEAP_BASE_HI = 0x11;
export const HEAP_BASE = wideBits(HEAP_BASE_LO, HEAP_BASE_HI);
