// Two outcomes in, one verdict out. Bits are compared; where the language leaves them open, "is a
// NaN" is asked.

import type { Capabilities, Capability } from "../execute/subject.js";
import {
  type Bits,
  type Ending,
  type FrameState,
  type HostEvent,
  isBits,
  type MemoryImage,
  type Outcome,
  type SlotBits,
  unjudgedEnding,
} from "../ir/outcome.js";
import { Double, Float, isWide, type Type } from "../ir/types.js";

/**
 * What is compared, in the order in which the first difference is named, and what a subject must be
 * able to show for it. `junk` is the agreement of a second run, in which every undefined bit of the
 * machine holds something else.
 */
// biome-ignore format: a table
const SHOWN_BY = {
  "ending":         null,
  "callee-saved":   "abi",
  "stack-pointer":  "abi",
  "guard-zone":     "abi",
  "direction-flag": "abi",
  "rounding-mode":  "abi",
  "events":         "calls",
  "exit-number":    "exits",
  "slots":          "exits",
  "result":         "results",
  "heap":           "memory",
  "resumption":     "resumption",
  "junk":           null,
} as const satisfies Record<string, Capability | null>;
export type Aspect = keyof typeof SHOWN_BY;
// The keys of the table above.
export const ASPECTS = Object.keys(SHOWN_BY) as Aspect[];

/** What is not compared of a subject, because it cannot show it. */
export function notShownBy(capabilities: Capabilities): readonly Aspect[] {
  return ASPECTS.filter((aspect) => {
    const needed = SHOWN_BY[aspect];
    return needed !== null && !capabilities.has(needed);
  });
}

/** Why the oracle does not judge an execution. */
export type OpenReason = "undefined" | "out-of-fuel" | "nan-bits";

/**
 * not-shown: it takes an exit, and the subject has none, or cannot go on; declined: the subject cannot
 * express the program.
 */
export type UnjudgedReason = OpenReason | "not-shown" | "declined";

export const isOpenReason = (reason: UnjudgedReason): reason is OpenReason =>
  reason !== "not-shown" && reason !== "declined";

/** True if the subject can take the way that the execution takes. */
export function canFollow({ ending, calleeExits }: Outcome, capabilities: Capabilities): boolean {
  if (calleeExits !== undefined && !capabilities.has("resumption")) return false;
  return ending.kind !== "exit" || capabilities.has("exits");
}

export type Verdict =
  | { readonly kind: "equal" }
  | { readonly kind: "different"; readonly aspect: Aspect; readonly detail: string }
  | { readonly kind: "unjudged"; readonly reason: UnjudgedReason };

export const EQUAL: Verdict = { kind: "equal" };

/** Aspects that are not looked at: for proofs that each comparison is needed. */
export type Ignored = ReadonlySet<Aspect>;
const NOTHING: Ignored = new Set();

/** `expected` is the oracle's. */
export function judge(expected: Outcome, actual: Outcome, ignored: Ignored = NOTHING): Verdict {
  const open = unjudged(expected);
  if (open !== null) return open;
  const difference = compareOutcomes(expected, actual, ignored);
  return difference === null ? EQUAL : { kind: "different", ...difference };
}

/** The verdict on whatever a subject does where the oracle does not judge; null where it does. */
export function unjudged(expected: Outcome): Verdict | null {
  const open = unjudgedEnding(expected);
  return open === null ? null : { kind: "unjudged", reason: reasonOf(open) };
}

/** What the second run, with other junk, adds to the verdict on the first. */
export function judgeSecond(
  first: Verdict,
  expected: Outcome,
  second: Outcome,
  ignored: Ignored = NOTHING,
): Verdict {
  if (first.kind !== "equal" || ignored.has("junk")) return first;
  const verdict = judge(expected, second, ignored);
  if (verdict.kind !== "different") return first;
  const detail = `with other junk: ${verdict.aspect}: ${verdict.detail}`;
  return { kind: "different", aspect: "junk", detail };
}

function reasonOf(ending: Ending): OpenReason {
  if (ending.kind === "out-of-fuel" || ending.kind === "nan-bits") return ending.kind;
  return "undefined";
}

interface Difference {
  readonly aspect: Aspect;
  readonly detail: string;
}

function compareOutcomes(expected: Outcome, actual: Outcome, ignored: Ignored): Difference | null {
  const [e, a] = [expected.ending, actual.ending];
  if (a.kind === "abi") {
    return ignored.has(a.rule) ? null : { aspect: a.rule, detail: a.detail };
  }
  if (e.kind !== a.kind) {
    if (ignored.has("ending")) return null; // nothing else of two different endings is comparable
    return { aspect: "ending", detail: `expected ${e.kind}, got ${describeEnding(a)}` };
  }
  const inner = calleeExitDifference(expected, actual, ignored);
  if (inner !== null) return inner;
  const differences = [
    ["events", () => eventsDifference(expected.events, actual.events)],
    ["exit-number", () => exitDifference(e, a)],
    ["slots", () => slotsDifference(e, a)],
    ["result", () => resultDifference(e, a)],
    ["heap", () => heapDifferenceOf(e, a)],
  ] as const;
  for (const [aspect, difference] of differences) {
    if (ignored.has(aspect)) continue;
    const detail = difference();
    if (detail !== null) return { aspect, detail };
  }
  return resumptionDifference(e, a, ignored);
}

/** What came of exits in callees, in order, whatever the ending is. */
function calleeExitDifference(
  expected: Outcome,
  actual: Outcome,
  ignored: Ignored,
): Difference | null {
  const [e, a] = [expected.calleeExits ?? [], actual.calleeExits ?? []];
  for (let i = 0; i < Math.min(e.length, a.length); i++) {
    if (e[i].after !== a[i].after && !ignored.has("events")) {
      const detail = `exit ${i} in a callee: expected after ${e[i].after} events, got ${a[i].after}`;
      return { aspect: "events", detail };
    }
    const [exit, other] = [e[i].ending, a[i].ending];
    const difference = compareOutcomes(
      { events: [], ending: exit },
      { events: [], ending: other },
      ignored,
    );
    if (difference === null) continue;
    return { ...difference, detail: `exit ${i} in a callee: ${difference.detail}` };
  }
  if (e.length === a.length || ignored.has("exit-number")) return null;
  const detail = `expected ${e.length} exits in callees, got ${a.length}`;
  return { aspect: "exit-number", detail };
}

function describeEnding(ending: Ending): string {
  switch (ending.kind) {
    case "fault":
      return `${ending.fault} at 0x${ending.address.toString(16)}, code offset ${ending.codeOffset}`;
    case "undefined":
      return `undefined (${ending.rule}, @${ending.value})`;
    case "escaped":
      return `escaped to 0x${ending.pc.toString(16)}`;
    case "compile-error":
      return `compile error: ${ending.message}`;
    case "exit":
      return `exit ${ending.exit}`;
    case "crash":
    case "hang":
    case "garbage":
      return `${ending.kind}: ${ending.evidence}`;
    default:
      return ending.kind;
  }
}

function eventsDifference(
  expected: readonly HostEvent[],
  actual: readonly HostEvent[],
): string | null {
  const count = Math.min(expected.length, actual.length);
  for (let i = 0; i < count; i++) {
    const [e, a] = [expected[i], actual[i]];
    if (e.name !== a.name) return `event ${i}: expected ${e.name}, got ${a.name}`;
    for (let k = 0; k < e.args.length; k++) {
      if (!sameBits(e.args[k], a.args[k])) {
        return `event ${i}, ${e.name}, argument ${k}: ${mismatch(e.args[k], a.args[k])}`;
      }
    }
  }
  if (expected.length === actual.length) return null;
  return `expected ${expected.length} events, got ${actual.length}`;
}

function exitDifference(expected: Ending, actual: Ending): string | null {
  if (expected.kind !== "exit" || actual.kind !== "exit") return null;
  return expected.exit === actual.exit
    ? null
    : `expected exit ${expected.exit}, got ${actual.exit}`;
}

function slotsDifference(expected: Ending, actual: Ending): string | null {
  if (expected.kind !== "exit" || actual.kind !== "exit") return null;
  const [e, a] = [expected.frames, actual.frames];
  if (e.length !== a.length) return `expected ${e.length} frames, got ${a.length}`;
  for (let f = 0; f < e.length; f++) {
    const difference = frameDifference(e[f], a[f]);
    if (difference !== null) return `frame ${f}: ${difference}`;
  }
  return null;
}

function frameDifference(expected: FrameState, actual: FrameState): string | null {
  if (expected.name !== actual.name || expected.point !== actual.point) {
    return `expected ${expected.name}@${expected.point}, got ${actual.name}@${actual.point}`;
  }
  const [e, a] = [expected.slots, actual.slots];
  if (e.length !== a.length) return `expected ${e.length} slots, got ${a.length}`;
  for (let s = 0; s < e.length; s++) {
    const difference = slotDifference(e[s], a[s]);
    if (difference !== null) return `slot ${s}: ${difference}`;
  }
  return null;
}

function resultDifference(expected: Ending, actual: Ending): string | null {
  if (expected.kind !== "return" || actual.kind !== "return") return null;
  return slotDifference(expected.result, actual.result);
}

function heapDifferenceOf(expected: Ending, actual: Ending): string | null {
  if (expected.kind !== "return" && expected.kind !== "exit") return null;
  if (actual.kind !== "return" && actual.kind !== "exit") return null;
  return imageDifference(expected.heap, actual.heap);
}

// The bytes before, between and after what is an open NaN or masked; both lists ascend.
function imageDifference(expected: MemoryImage, actual: MemoryImage): string | null {
  const { bytes, anyNaN, masked } = expected;
  if (bytes.length !== actual.bytes.length) {
    return `expected ${bytes.length} bytes, got ${actual.bytes.length}`;
  }
  let begin = 0;
  let n = 0;
  let m = 0;
  while (n < anyNaN.length || m < masked.length) {
    const isMasked = n >= anyNaN.length || (m < masked.length && masked[m] < anyNaN[n]);
    const offset = isMasked ? masked[m] : anyNaN[n];
    const size = isMasked ? masked[m + 1] : anyNaN[n + 1];
    const difference =
      bytesDifference(bytes, actual.bytes, begin, offset) ??
      (isMasked ? null : openDifference(actual.bytes, offset, size));
    if (difference !== null) return difference;
    begin = offset + size;
    if (isMasked) m += 2;
    else n += 2;
  }
  return bytesDifference(bytes, actual.bytes, begin, bytes.length);
}

/** Null if a NaN of the format stands there. */
function openDifference(bytes: Uint8Array, offset: number, width: number): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const type = width === 8 ? Double : Float;
  const lo = view.getInt32(offset, true);
  const hi = width === 8 ? view.getInt32(offset + 4, true) : 0;
  return isNaNOf(type, lo, hi) ? null : `at ${offset}: expected a NaN, got ${hex(type, lo, hi)}`;
}

function bytesDifference(e: Uint8Array, a: Uint8Array, begin: number, end: number): string | null {
  const same = Buffer.compare(e.subarray(begin, end), a.subarray(begin, end)) === 0;
  if (same) return null;
  const ranges: string[] = [];
  for (let i = begin; i < end && ranges.length < 4; i++) {
    if (e[i] === a[i]) continue;
    const from = i;
    while (i < end && e[i] !== a[i] && i - from < 16) i++;
    ranges.push(`at ${from}: expected ${hexBytes(e, from, i)}, got ${hexBytes(a, from, i)}`);
  }
  return ranges.join("; ");
}

function resumptionDifference(e: Ending, a: Ending, ignored: Ignored): Difference | null {
  if (e.kind !== "exit" || a.kind !== "exit" || ignored.has("resumption")) return null;
  if (e.resumed.length !== a.resumed.length) {
    const detail = `expected ${e.resumed.length} continuations to run, ${a.resumed.length} did`;
    return { aspect: "resumption", detail };
  }
  for (let i = 0; i < e.resumed.length; i++) {
    const difference = compareOutcomes(e.resumed[i], a.resumed[i], ignored);
    if (difference !== null) {
      const by = a.resumedBy === undefined ? "" : ` as ${a.resumedBy}`;
      const detail = `continuation ${i}${by}: ${difference.aspect}: ${difference.detail}`;
      return { aspect: "resumption", detail };
    }
  }
  return null;
}

function slotDifference(expected: SlotBits, actual: SlotBits): string | null {
  const isContents = expected !== null && !isBits(expected);
  if (isContents && actual !== null && !isBits(actual)) return imageDifference(expected, actual);
  if (expected === null && actual === null) return null;
  if (isBits(expected) && isBits(actual) && sameBits(expected, actual)) return null;
  return mismatch(expected, actual);
}

function sameBits(expected: Bits, actual: Bits | undefined): boolean {
  if (actual === undefined || expected.type !== actual.type) return false;
  if (expected.anyNaN) return isNaNOf(expected.type, actual.lo, actual.hi);
  return expected.lo === actual.lo && (!isWide(expected.type) || expected.hi === actual.hi);
}

/** True if the bits are a NaN of the floating type of that width. */
export function isNaNOf(type: Type, lo: number, hi: number): boolean {
  if (!isWide(type)) return (lo & 0x7fff_ffff) > 0x7f80_0000;
  const magnitude = hi & 0x7fff_ffff;
  return magnitude > 0x7ff0_0000 || (magnitude === 0x7ff0_0000 && lo !== 0);
}

function mismatch(expected: SlotBits, actual: SlotBits | undefined): string {
  return `expected ${describeBits(expected)}, got ${describeBits(actual ?? null)}`;
}

function describeBits(bits: SlotBits): string {
  if (bits === null) return "nothing";
  if (!isBits(bits)) return `contents of ${bits.bytes.length} bytes`;
  return bits.anyNaN ? "a NaN" : hex(bits.type, bits.lo, bits.hi);
}

function hex(type: Type, lo: number, hi: number): string {
  const low = (lo >>> 0).toString(16).padStart(8, "0");
  return isWide(type) ? `0x${(hi >>> 0).toString(16).padStart(8, "0")}${low}` : `0x${low}`;
}

function hexBytes(bytes: Uint8Array, begin: number, end: number): string {
  return Array.from(bytes.subarray(begin, end), (b) => b.toString(16).padStart(2, "0")).join(" ");
}
