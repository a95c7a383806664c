// Defines host functions: the functions outside of a program that it may call. The oracle and the harness of compiled
// code share this registry, as both would share an operating system.
//
// Float arguments are purified before the call and float results after it, so that a NaN's payload decides nothing.
// Functions use integers and exactly rounded operations only.

import { Double, Float, Int32, Int64, type Type, Void } from "./types.js";

/**
 * The effects of a host function.
 * - pure: total, unobservable
 * - read: likewise, but reads the whole heap
 * - event: observable, touches no memory
 * - write: observable, reads and writes the heap
 * - keep: observable, touches no heap, but uses stack slots whose addresses the host keeps
 */
type HostClass = "pure" | "read" | "event" | "write" | "keep";

/** The action of a `keep` function: its second argument is an address to keep, or it uses a kept address. */
type KeptAddressUse = "takes" | "reads" | "writes" | "drops";

/** The number of places for addresses that the host has; the low bits of an Int32 select one. */
export const KEPT_PLACES = 4;
/** The number of bytes that a read or write at a kept address accesses. */
export const KEPT_BYTES = 8;
/** The index of the argument that is the address of a locked slot, for a function that takes one. */
export const TAKEN_ADDRESS = 1;

/** Addresses of stack slots that the host keeps. If a place keeps none, a read gives 0, and a write does nothing. */
export interface KeptAddresses {
  keep(place: number, lo: number, hi: number): void;
  drop(place: number): void;
  /** Reads into the first two words. */
  read(place: number, words: Int32Array): void;
  write(place: number, lo: number, hi: number): void;
}

export interface HostFunction {
  readonly name: string;
  /** Position in HOST_FUNCTIONS. */
  readonly index: number;
  readonly class: HostClass;
  readonly parameters: readonly Type[];
  readonly result: Type;
  /** True if it may request that its caller leave when it returns; a `CCall` ignores the request. */
  readonly asks: boolean;
  /** The action of a `keep` function; null for other classes. */
  readonly kept: KeptAddressUse | null;
  /**
   * Replaces the arguments by the result: its low and high word are written to the first two words. To request that its caller
   * leave, a function sets word `ASKED` to nonzero.
   * @param words the low and high word of each argument, in the order of the parameters, and at least two words; the
   *   high word of a 32-bit argument is 0
   * @param heap the module's heap
   * @param kept the addresses that the host keeps, for the class `keep`
   */
  readonly apply: (words: Int32Array, heap: Uint8Array, kept: KeptAddresses) => void;
}

/** The word in which a function requests that its caller leave; see `HostFunction.apply`. */
export const ASKED = 2;
/** A function with `asks` makes the request if none of these bits is set in its result. */
export const ASKING_BITS = 15;

// biome-ignore format: a table
const ROWS: readonly (Omit<HostFunction, "index" | "asks" | "kept"> & { readonly asks?: true; readonly kept?: KeptAddressUse })[] = [
  { name: "mix32",    class: "pure",  parameters: [Int32, Int32],                result: Int32,  apply: mix32 },
  { name: "mix64",    class: "pure",  parameters: [Int64, Int64, Int32],         result: Int64,  apply: mix64 },
  { name: "blend",    class: "pure",  parameters: [Double, Int32, Float],        result: Double, apply: blend },
  { name: "halve",    class: "pure",  parameters: [Float],                       result: Float,  apply: halve },
  { name: "checksum", class: "read",  parameters: [Int32],                       result: Int32,  apply: checksum },
  { name: "logInt",   class: "event", parameters: [Int32],                       result: Void,   apply: nothing },
  { name: "logMixed", class: "event", parameters: [Int64, Double, Int32, Float], result: Void,   apply: nothing },
  { name: "ask",      class: "event", parameters: [Int64],                       result: Int64,  apply: ask },
  { name: "stir",     class: "write", parameters: [Int32, Int64],                result: Int32,  apply: stir },
  // As many arguments as both targets pass in registers: six integers, eight floats.
  { name: "wide",     class: "event", result: Int64, apply: wide,
    parameters: [Int32, Double, Int64, Double, Int32, Float, Int64, Double, Int32, Float, Int32, Double, Float, Double] },
  // No arguments, and more than fit in registers: of one bank, of both, narrow and wide.
  { name: "ping",     class: "event", parameters: [],                            result: Void,   apply: nothing },
  { name: "census",   class: "read",  parameters: [],                            result: Int64,  apply: census },
  { name: "mix11",    class: "pure",  result: Double, apply: wideDouble,
    parameters: [Int32, Int64, Int32, Int64, Int32, Int64, Int32, Int64, Int32, Int64, Int32] },
  { name: "sum12",    class: "pure",  result: Float, apply: wideFloat,
    parameters: [Double, Float, Double, Float, Double, Float, Double, Float, Double, Float, Double, Float] },
  { name: "scatter",  class: "write", result: Int32, apply: scatter,
    parameters: [Int64, Int32, Float, Int32, Int64, Double, Int32, Int32, Int64, Int32] },
  { name: "crowd",    class: "event", result: Double, apply: wideDouble,
    parameters: [Int32, Float, Int64, Double, Float, Int32, Double, Int64, Float, Double,
                 Int64, Int32, Double, Float, Int32, Int64, Double, Float, Int64, Float] },
  // Functions that may request that their caller leave.
  { name: "consult",  class: "event", parameters: [Int64, Int32],                result: Int32,  asks: true, apply: withDeoptFlag(consult) },
  { name: "confer",   class: "event", parameters: [Double, Int32, Float, Int64], result: Int64,  asks: true, apply: withDeoptFlag(wide) },
  // Functions that use addresses of stack slots that the host keeps.
  { name: "keepSlot",  class: "keep", parameters: [Int32, Int64],                result: Void,   kept: "takes",  apply: keepSlot },
  { name: "readKept",  class: "keep", parameters: [Int32],                       result: Int64,  kept: "reads",  apply: readKept },
  { name: "writeKept", class: "keep", parameters: [Int32, Int64],                result: Void,   kept: "writes", apply: writeKept },
  { name: "dropSlot",  class: "keep", parameters: [Int32],                       result: Void,   kept: "drops",  apply: dropSlot },
];

export const HOST_FUNCTIONS: readonly HostFunction[] = ROWS.map((row, index) => ({
  asks: false,
  kept: null,
  ...row,
  index,
}));

const BY_NAME = new Map(HOST_FUNCTIONS.map((host) => [host.name, host]));
export const hostFunctionNamed = (name: string): HostFunction | null => BY_NAME.get(name) ?? null;

/** Returns whether calls are recorded in the observation, and never removed, added or reordered. */
export const isObservable = (host: HostFunction): boolean =>
  host.class === "event" || host.class === "write" || host.class === "keep";
export const readsHeap = (host: HostFunction): boolean =>
  host.class === "read" || host.class === "write";
export const writesHeap = (host: HostFunction): boolean => host.class === "write";
export const usesKeptSlots = ({ kept }: HostFunction): boolean =>
  kept === "reads" || kept === "writes";
/** Returns the place that the first argument selects. */
export const placeOfKept = (words: Int32Array): number => words[0] & (KEPT_PLACES - 1);

/**
 * Replaces a NaN of that floating type by the positive quiet NaN without payload; `at` is the index of its low word.
 */
export function purifyWords(words: Int32Array, at: number, type: Type): void {
  if (type === Float) {
    if ((words[at] & 0x7fff_ffff) > 0x7f80_0000) words[at] = 0x7fc0_0000;
    return;
  }
  const magnitude = words[at + 1] & 0x7fff_ffff;
  if (magnitude < 0x7ff0_0000 || (magnitude === 0x7ff0_0000 && words[at] === 0)) return;
  words[at] = 0;
  words[at + 1] = 0x7ff8_0000;
}

function scramble(x: number): number {
  let z = (x + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}

function mix32(words: Int32Array): void {
  words[0] = scramble(words[0] ^ scramble(words[2]));
  words[1] = 0;
}

function mix64(words: Int32Array): void {
  const low = scramble(words[0] ^ scramble(words[2] ^ words[4]));
  words[1] = scramble(words[1] ^ scramble(words[3] ^ low));
  words[0] = low;
}

// Selects one of two arguments by the integer: exact, so that all platforms agree.
function blend(words: Int32Array): void {
  if ((words[2] & 1) === 0) return;
  const view = new DataView(new ArrayBuffer(8));
  view.setInt32(0, words[4], true);
  view.setFloat64(0, view.getFloat32(0, true), true);
  words[0] = view.getInt32(0, true);
  words[1] = view.getInt32(4, true);
}

function halve(words: Int32Array): void {
  const view = new DataView(new ArrayBuffer(4));
  view.setInt32(0, words[0], true);
  view.setFloat32(0, view.getFloat32(0, true) * 0.5, true);
  words[0] = view.getInt32(0, true);
  words[1] = 0;
}

function checksum(words: Int32Array, heap: Uint8Array): void {
  let sum = words[0];
  for (let i = 0; i < heap.length; i += 16) sum = (Math.imul(sum, 31) + heap[i]) | 0;
  words[0] = sum;
  words[1] = 0;
}

function nothing(): void {}

function ask(words: Int32Array): void {
  const low = scramble(words[0] ^ words[1]);
  words[1] = scramble(low);
  words[0] = low;
}

function consult(words: Int32Array): void {
  words[0] = scramble(words[2] ^ scramble(words[0] ^ words[1]));
  words[1] = 0;
}

function withDeoptFlag(answer: (words: Int32Array) => void): HostFunction["apply"] {
  return (words) => {
    answer(words);
    words[ASKED] = (words[0] & ASKING_BITS) === 0 ? 1 : 0;
  };
}

// Writes one byte that the arguments select.
function stir(words: Int32Array, heap: Uint8Array): void {
  const at = (words[0] >>> 0) % heap.length;
  const old = heap[at];
  heap[at] = words[2] ^ words[3];
  words[0] = old;
  words[1] = 0;
}

function wide(words: Int32Array): void {
  let sum = 0;
  for (let i = 0; i < words.length; i++) sum = scramble(sum ^ words[i]);
  words[0] = sum;
  words[1] = scramble(sum);
}

// Returns a number without a fraction, so that it is exact as a Double and as a Float.
function wideDouble(words: Int32Array): void {
  wide(words);
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, words[0], true);
  words[0] = view.getInt32(0, true);
  words[1] = view.getInt32(4, true);
}

function wideFloat(words: Int32Array): void {
  wide(words);
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, words[0] >> 8, true);
  words[0] = view.getInt32(0, true);
  words[1] = 0;
}

function census(words: Int32Array, heap: Uint8Array): void {
  words[0] = 7;
  checksum(words, heap);
  words[1] = scramble(words[0]);
}

function keepSlot(words: Int32Array, _heap: Uint8Array, kept: KeptAddresses): void {
  kept.keep(placeOfKept(words), words[2], words[3]);
}

function readKept(words: Int32Array, _heap: Uint8Array, kept: KeptAddresses): void {
  kept.read(placeOfKept(words), words);
}

function writeKept(words: Int32Array, _heap: Uint8Array, kept: KeptAddresses): void {
  kept.write(placeOfKept(words), words[2], words[3]);
}

function dropSlot(words: Int32Array, _heap: Uint8Array, kept: KeptAddresses): void {
  kept.drop(placeOfKept(words));
}

// Writes two bytes that the arguments select.
function scatter(words: Int32Array, heap: Uint8Array): void {
  wide(words);
  const at = (words[0] >>> 0) % heap.length;
  const old = heap[at];
  heap[at] ^= words[1];
  heap[(words[1] >>> 0) % heap.length] = words[1] >> 8;
  words[0] = old;
  words[1] = 0;
}
