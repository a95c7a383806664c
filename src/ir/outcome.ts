// What one execution did: the words in which the oracle and every subject report.

import type { Type } from "./types.js";
import { wideBits } from "./words.js";

/** What an execution is given. */
export interface Input {
  /** Low and high word of each argument of the entry, in the order of its parameters. */
  readonly words: Int32Array;
  /** 0: the heap starts as zeroes; else the seed of its first contents (see heapContents). */
  readonly heapSeed: number;
}

/**
 * A value as observed. `anyNaN`: the language leaves the bits open, so a subject may show any NaN
 * of the format; only the oracle sets it.
 */
export interface Bits {
  readonly type: Type;
  readonly lo: number;
  readonly hi: number;
  readonly anyNaN: boolean;
  /** The object that it is the address of; absent of other values; only the oracle's. */
  readonly object?: number;
}

/** An `event` or `write` call, with its arguments. */
export interface HostEvent {
  readonly name: string;
  readonly args: readonly Bits[];
}

/** A copy of the whole heap, or of a whole stack slot. */
export interface MemoryImage {
  /** Perhaps a part of a longer buffer: see its `byteOffset`. */
  readonly bytes: Uint8Array;
  /**
   * Pairs (offset, width 4 or 8) of places that hold an open NaN; ascending, no overlap; only the
   * oracle's.
   */
  readonly anyNaN: readonly number[];
  /**
   * Pairs (offset, size) of what is not compared, dead or unwritten; ascending, no overlap; only
   * the oracle's.
   */
  readonly masked: readonly number[];
}
export type HeapImage = MemoryImage;

/** A value; the contents of a stack slot; `null`: dead, or dead heap. */
export type SlotBits = Bits | MemoryImage | null;

/** True for what a continuation is given: no contents, nothing dead. */
export const isBits = (slot: SlotBits): slot is Bits => slot !== null && "type" in slot;

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

/** What a callee must leave as it found it. */
export type AbiRule =
  | "callee-saved"
  | "stack-pointer"
  | "guard-zone"
  | "direction-flag"
  | "rounding-mode";

export type Ending =
  /** `result` is null where the procedure's result is Void. */
  | {
      readonly kind: "return";
      readonly result: Bits | null;
      /** Of a continuation, which the entry is not; absent where there are none, or where they are not shown. */
      readonly further?: readonly Bits[];
      readonly heap: HeapImage;
    }
  /** `resumed`: one outcome per continuation that was called, innermost frame first. */
  | {
      readonly kind: "exit";
      readonly exit: number;
      readonly frames: readonly FrameState[];
      readonly heap: HeapImage;
      readonly resumed: readonly Outcome[];
      /** The subject whose code the continuations ran as; absent where they were interpreted. */
      readonly resumedBy?: string;
    }
  | { readonly kind: "undefined"; readonly rule: UndefinedRule; readonly value: number }
  | { readonly kind: "out-of-fuel" }
  | { readonly kind: "nan-bits"; readonly value: number }
  | {
      readonly kind: "fault";
      readonly fault: FaultKind;
      readonly address: bigint;
      /** Bytes from the start of the image; negative where the program counter is outside. */
      readonly codeOffset: number;
    }
  | { readonly kind: "runaway" }
  | { readonly kind: "escaped"; readonly pc: bigint }
  | { readonly kind: "abi"; readonly rule: AbiRule; readonly detail: string }
  | { readonly kind: "compile-error"; readonly message: string }
  /** In another process: it died, it did not end, or it wrote what cannot be read. */
  | { readonly kind: "crash" | "hang" | "garbage"; readonly evidence: string }
  /** In another process: the records of the execution did not fit. `bytes`: those that were written before. */
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
 * An exit in a callee whose outermost continuation returned, so that the caller went on. (Where none
 * did, the exit is the ending of the whole execution.)
 */
export interface CalleeExit {
  /** Number of events before it. */
  readonly after: number;
  readonly ending: Extract<Ending, { kind: "exit" }>;
}

/** An execution of a Fence. */
export interface FencePassed {
  readonly orders: "loads" | "stores" | "all";
  /** Number of volatile loads before it. */
  readonly after: number;
  /** As it is there; null of one that orders no stores, and of all but the first fences of an execution. */
  readonly heap: HeapImage | null;
}

export interface Outcome {
  readonly events: readonly HostEvent[];
  /** What LoadVolatile gave, in order. Only interpreters show it: absent where code ran as well. */
  readonly volatileLoads?: readonly Bits[];
  /** The fences that were passed, in order. Shown as volatile loads are; absent where there is none. */
  readonly fences?: readonly FencePassed[];
  /** In order; absent where there is none. */
  readonly calleeExits?: readonly CalleeExit[];
  readonly ending: Ending;
}

/**
 * True if the execution binds the compiler: it returned or exited, and so did all that was resumed.
 */
export function isJudged(outcome: Outcome): boolean {
  const { ending } = outcome;
  if (ending.kind === "return") return true;
  return ending.kind === "exit" && ending.resumed.every(isJudged);
}

/**
 * How the activation returned, itself or by the outermost continuation of its exit; null if it did
 * not.
 */
export function returnOf(ending: Ending): Extract<Ending, { kind: "return" }> | null {
  if (ending.kind === "return") return ending;
  if (ending.kind !== "exit" || ending.resumed.length < ending.frames.length) return null;
  const outermost = ending.resumed.at(-1);
  return outermost === undefined ? null : returnOf(outermost.ending);
}

/** What the activation gave, as a continuation takes it: its results, or none. */
export function resultsOf({ result, further = [] }: Extract<Ending, { kind: "return" }>): Bits[] {
  return result === null ? [] : [result, ...further];
}

/** The first ending, in order of execution, that is not judged; null if all are. */
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

/**
 * Fills `heap` with the first contents that an input's seed names: xorshift32 words; 0 means
 * zeroes.
 */
export function heapContents(heap: Uint8Array, seed: number): void {
  if (seed === 0) {
    heap.fill(0);
    return;
  }
  const known = drawn.find(({ seed: its, bytes }) => its === seed && bytes.length === heap.length);
  if (known !== undefined) {
    heap.set(known.bytes);
    return;
  }
  const bytes = drawContents(heap.length, seed);
  drawn[next] = { seed, bytes };
  next = (next + 1) % DRAWN_MAX;
  heap.set(bytes);
}

// One program runs on each of its inputs many times over, by the oracle and by each subject.
const DRAWN_MAX = 8;
const drawn: { readonly seed: number; readonly bytes: Uint8Array }[] = [];
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
 * The guest address of the heap's first byte: above 2^32, the same in every execution. Its low word
 * is a negative number, so that an address built from sign-extended halves goes wrong.
 */
export const HEAP_BASE_LO = 0x8000_0000 | 0;
export const HEAP_BASE_HI = 0x11;
export const HEAP_BASE = wideBits(HEAP_BASE_LO, HEAP_BASE_HI);
