// Compares two outcomes and returns one verdict. Bits are compared; if the language leaves them open, the comparison is
// "is a NaN".

import type { Capabilities } from "../execute/subject.js";
import {
  type Ending,
  type FrameState,
  type HostEvent,
  isBits,
  type MemoryImage,
  type ObservedBits,
  type Outcome,
  type SlotBits,
  unjudgedEnding,
} from "../ir/outcome.js";
import { Double, Float, isWide, type Type } from "../ir/types.js";
import type { Aspect } from "./aspects.js";
import {
  type CountedElement,
  type Difference,
  type DifferencePlace,
  type DifferentBytes,
  type EndingSummary,
  type FramePoint,
  type Mismatch,
  outermostAspect,
  type PathStep,
} from "./difference.js";

/** The reason that the oracle does not judge an execution. */
type OracleReason = "undefined" | "out-of-fuel" | "nan-bits";

/**
 * A reason that a subject is not judged.
 * - not-shown: the execution takes an exit, and the subject has none, or cannot resume
 * - declined: the subject cannot express the program
 * - no-room: the subject exhausted the memory for records, within the bound of what it may record
 */
type SubjectReason = "not-shown" | "declined" | "no-room";
type UnjudgedReason = OracleReason | SubjectReason;

/** The reasons, for people. */
export const UNJUDGED_REASONS: Readonly<Record<UnjudgedReason, string>> = {
  undefined: "undefined behavior",
  "out-of-fuel": "out of fuel",
  "nan-bits": "bits of a NaN that are open",
  "not-shown": "not shown by the subject",
  declined: "declined by the subject",
  "no-room": "no room for the records of the subject",
};

const SUBJECT_REASONS: ReadonlySet<string> = new Set<SubjectReason>([
  "not-shown",
  "declined",
  "no-room",
]);

export const isOpenReason = (reason: UnjudgedReason): reason is OracleReason =>
  !SUBJECT_REASONS.has(reason);

/**
 * Returns whether the subject can execute all that the oracle executed: exits, exits in callees and
 * resumption.
 */
export function canFollow({ ending, calleeExits }: Outcome, capabilities: Capabilities): boolean {
  if (calleeExits !== undefined && !capabilities.has("resumption")) return false;
  return ending.kind !== "exit" || capabilities.has("exits");
}

export type Verdict =
  | { readonly kind: "equal" }
  /** `aspect` names the outermost comparison that found the difference; see `outermostAspect`. */
  | { readonly kind: "different"; readonly aspect: Aspect; readonly difference: Difference }
  | { readonly kind: "unjudged"; readonly reason: UnjudgedReason };

const EQUAL: Verdict = { kind: "equal" };

/**
 * Aspects that are not compared. Tests use them to show that each comparison finds some planted
 * bug.
 */
export type IgnoredAspects = ReadonlySet<Aspect>;
const NOTHING: IgnoredAspects = new Set();

/** Judges an outcome against the oracle's. */
export function judge(
  expected: Outcome,
  actual: Outcome,
  ignored: IgnoredAspects = NOTHING,
): Verdict {
  const open = unjudged(expected);
  if (open !== null) return open;
  const { ending } = actual;
  if (ending.kind === "no-room" && ending.bytes <= recordBytesMax(expected)) {
    return { kind: "unjudged", reason: "no-room" };
  }
  const difference = compareOutcomes(expected, actual, ignored);
  return difference === null ? EQUAL : different(difference);
}

const different = (difference: Difference): Verdict => ({
  kind: "different",
  aspect: outermostAspect(difference),
  difference,
});

/** Returns the verdict on any outcome if the oracle does not judge the execution; null if it does. */
export function unjudged(expected: Outcome): Verdict | null {
  const open = unjudgedEnding(expected);
  return open === null ? null : { kind: "unjudged", reason: reasonOf(open) };
}

/** Returns the verdict on both runs: the verdict on the first, unless the second run, with other junk, differs. */
export function judgeSecond(
  first: Verdict,
  expected: Outcome,
  second: Outcome,
  ignored: IgnoredAspects = NOTHING,
): Verdict {
  if (first.kind !== "equal" || ignored.has("junk")) return first;
  const verdict = judge(expected, second, ignored);
  if (verdict.kind !== "different") return first;
  return different(nested({ kind: "other-junk" }, verdict.difference));
}

function reasonOf(ending: Ending): OracleReason {
  if (ending.kind === "out-of-fuel" || ending.kind === "nan-bits") return ending.kind;
  return "undefined";
}

/** A difference in one aspect. */
interface AspectDifference {
  readonly place: DifferencePlace | null;
  readonly mismatch: Mismatch;
}

const differenceAt = (
  mismatch: Mismatch,
  place: DifferencePlace | null = null,
): AspectDifference => ({ place, mismatch });

const topDifference = (aspect: Aspect, mismatch: Mismatch): Difference => ({
  path: [],
  aspect,
  place: null,
  mismatch,
});

const nested = (step: PathStep, difference: Difference): Difference => ({
  ...difference,
  path: [step, ...difference.path],
});

function compareOutcomes(
  expected: Outcome,
  actual: Outcome,
  ignored: IgnoredAspects,
): Difference | null {
  const [e, a] = [expected.ending, actual.ending];
  if (a.kind === "abi") {
    return ignored.has(a.rule)
      ? null
      : topDifference(a.rule, { kind: "convention", says: a.detail });
  }
  if (e.kind !== a.kind) {
    if (ignored.has("ending")) return null; // two different endings have no other comparable aspect
    return topDifference("ending", { kind: "ending", expected: e.kind, got: summaryOf(a) });
  }
  const inner = calleeExitDifference(expected, actual, ignored);
  if (inner !== null) return inner;
  for (let c = 0; c < COMPARISONS.length; c++) {
    const { aspect, differenceOf } = COMPARISONS[c];
    if (ignored.has(aspect)) continue;
    const one = differenceOf(expected, actual);
    if (one !== null) return { path: [], aspect, ...one };
  }
  return resumptionDifference(e, a, ignored);
}

interface AspectComparison {
  readonly aspect: Aspect;
  readonly differenceOf: (expected: Outcome, actual: Outcome) => AspectDifference | null;
}

// biome-ignore format: a table
const COMPARISONS: readonly AspectComparison[] = [
  { aspect: "events",      differenceOf: (e, a) => eventsDifference(e.events, a.events) },
  { aspect: "events",      differenceOf: (e, a) => volatileDifference(e.volatileLoads ?? [], a.volatileLoads) },
  { aspect: "events",      differenceOf: fenceDifference },
  { aspect: "exit-number", differenceOf: (e, a) => exitDifference(e.ending, a.ending) },
  { aspect: "slots",       differenceOf: (e, a) => slotsDifference(e.ending, a.ending) },
  { aspect: "result",      differenceOf: (e, a) => resultDifference(e.ending, a.ending) },
  { aspect: "heap",        differenceOf: (e, a) => heapDifferenceOf(e.ending, a.ending) },
];

function summaryOf(ending: Ending): EndingSummary {
  if (ending.kind === "return") return { kind: "return" };
  return ending.kind === "exit" ? { kind: "exit", exit: ending.exit } : ending;
}

/** Compares the exits in callees and their continuations, in order, regardless of the ending. */
function calleeExitDifference(
  expected: Outcome,
  actual: Outcome,
  ignored: IgnoredAspects,
): Difference | null {
  const [e, a] = [expected.calleeExits ?? [], actual.calleeExits ?? []];
  for (let index = 0; index < Math.min(e.length, a.length); index++) {
    const step: PathStep = { kind: "callee-exit", index };
    const [exit, other] = [e[index], a[index]];
    if (exit.after !== other.after && !ignored.has("events")) {
      return nested(
        step,
        topDifference("events", {
          kind: "order",
          of: "events",
          expected: exit.after,
          got: other.after,
        }),
      );
    }
    const difference = compareOutcomes(
      { events: [], ending: exit.ending },
      { events: [], ending: other.ending },
      ignored,
    );
    if (difference !== null) return nested(step, difference);
  }
  if (ignored.has("exit-number")) return null;
  const count = countDifference("exits in callees", e, a);
  return count === null ? null : { path: [], aspect: "exit-number", ...count };
}

function countDifference(
  of: CountedElement,
  expected: ArrayLike<unknown>,
  actual: ArrayLike<unknown>,
  place: DifferencePlace | null = null,
): AspectDifference | null {
  if (expected.length === actual.length) return null;
  return differenceAt({ kind: "count", of, expected: expected.length, got: actual.length }, place);
}

function eventsDifference(
  expected: readonly HostEvent[],
  actual: readonly HostEvent[],
): AspectDifference | null {
  const count = Math.min(expected.length, actual.length);
  for (let index = 0; index < count; index++) {
    const [e, a] = [expected[index], actual[index]];
    const place = (argument: number | null): DifferencePlace => ({
      kind: "event",
      index,
      name: e.name,
      argument,
    });
    if (e.name !== a.name) {
      return differenceAt({ kind: "call", expected: e.name, got: a.name }, place(null));
    }
    for (let k = 0; k < e.args.length; k++) {
      const [arg, other]: [ObservedBits, ObservedBits | undefined] = [e.args[k], a.args[k]];
      if (sameBits(arg, other)) continue;
      return differenceAt({ kind: "value", expected: arg, got: other ?? null }, place(k));
    }
  }
  return countDifference("events", expected, actual);
}

/**
 * Compares volatile loads.
 * @param actual undefined if the subject does not show them
 */
function volatileDifference(
  expected: readonly ObservedBits[],
  actual: readonly ObservedBits[] | undefined,
): AspectDifference | null {
  if (actual === undefined) return null;
  for (let index = 0; index < Math.min(expected.length, actual.length); index++) {
    if (sameBits(expected[index], actual[index])) continue;
    const place = { kind: "volatile-load", index } as const;
    return differenceAt({ kind: "value", expected: expected[index], got: actual[index] }, place);
  }
  return countDifference("volatile loads", expected, actual);
}

/** Compares the fences, if the subject shows them: the accesses that each orders, and the heap at each. */
function fenceDifference(expected: Outcome, actual: Outcome): AspectDifference | null {
  if (actual.volatileLoads === undefined) return null;
  const [e, a] = [expected.fences ?? [], actual.fences ?? []];
  for (let index = 0; index < Math.min(e.length, a.length); index++) {
    const place = { kind: "fence", index } as const;
    const [fence, other] = [e[index], a[index]];
    if (fence.orders !== other.orders) {
      return differenceAt({ kind: "fence", expected: fence.orders, got: other.orders }, place);
    }
    if (fence.after !== other.after) {
      const [before, got] = [fence.after, other.after];
      return differenceAt({ kind: "order", of: "volatile loads", expected: before, got }, place);
    }
    if (fence.heap === null || other.heap === null) continue;
    const difference = imageDifference(fence.heap, other.heap);
    if (difference !== null) return differenceAt(difference, place);
  }
  return countDifference("fences", e, a);
}

function exitDifference(expected: Ending, actual: Ending): AspectDifference | null {
  if (expected.kind !== "exit" || actual.kind !== "exit") return null;
  const [e, a] = [expected.exit, actual.exit];
  return e === a ? null : differenceAt({ kind: "exit", expected: e, got: a });
}

function slotsDifference(expected: Ending, actual: Ending): AspectDifference | null {
  if (expected.kind !== "exit" || actual.kind !== "exit") return null;
  const [e, a] = [expected.frames, actual.frames];
  const count = countDifference("frames", e, a);
  if (count !== null) return count;
  for (let f = 0; f < e.length; f++) {
    const difference = frameDifference(e[f], a[f], f);
    if (difference !== null) return difference;
  }
  return null;
}

function frameDifference(
  expected: FrameState,
  actual: FrameState,
  index: number,
): AspectDifference | null {
  const place = (slot: number | null): DifferencePlace => ({ kind: "frame", index, slot });
  if (expected.name !== actual.name || expected.point !== actual.point) {
    const [e, a] = [pointOf(expected), pointOf(actual)];
    return differenceAt({ kind: "frame", expected: e, got: a }, place(null));
  }
  const [e, a] = [expected.slots, actual.slots];
  const count = countDifference("slots", e, a, place(null));
  if (count !== null) return count;
  for (let s = 0; s < e.length; s++) {
    const difference = slotDifference(e[s], a[s]);
    if (difference !== null) return differenceAt(difference, place(s));
  }
  return null;
}

const pointOf = ({ name, point }: FrameState): FramePoint => ({ name, point });

function resultDifference(expected: Ending, actual: Ending): AspectDifference | null {
  if (expected.kind !== "return" || actual.kind !== "return") return null;
  const difference = slotDifference(expected.result, actual.result);
  if (difference !== null) return differenceAt(difference);
  // Only a continuation returns further results, and programs in the formats of other systems do
  // not record them.
  const { further: e = [] } = expected;
  const { further: a = e } = actual;
  for (let i = 0; i < e.length; i++) {
    const further = slotDifference(e[i], a[i] ?? null);
    if (further !== null) return differenceAt(further);
  }
  return null;
}

function heapDifferenceOf(expected: Ending, actual: Ending): AspectDifference | null {
  if (expected.kind !== "return" && expected.kind !== "exit") return null;
  if (actual.kind !== "return" && actual.kind !== "exit") return null;
  const difference = imageDifference(expected.heap, actual.heap);
  return difference === null ? null : differenceAt(difference);
}

// Compares the bytes before, between and after the open NaNs and masked ranges; both lists ascend.
function imageDifference(expected: MemoryImage, actual: MemoryImage): Mismatch | null {
  const { bytes, anyNaN, masked } = expected;
  const count = countDifference("bytes", bytes, actual.bytes);
  if (count !== null) return count.mismatch;
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

/** Returns a mismatch if the bytes are no NaN of that width, where the oracle expects any NaN. */
function openDifference(bytes: Uint8Array, offset: number, width: number): Mismatch | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const type = width === 8 ? Double : Float;
  const lo = view.getInt32(offset, true);
  const hi = width === 8 ? view.getInt32(offset + 4, true) : 0;
  if (isNaNOf(type, lo, hi)) return null;
  return { kind: "nan", offset, got: { type, lo, hi, anyNaN: false } };
}

/** The greatest size of one reported range of bytes. */
const RANGE_SIZE_MAX = 16;
const RANGES_MAX = 4;

function bytesDifference(
  e: Uint8Array,
  a: Uint8Array,
  begin: number,
  end: number,
): Mismatch | null {
  const same = Buffer.compare(e.subarray(begin, end), a.subarray(begin, end)) === 0;
  if (same) return null;
  const ranges: DifferentBytes[] = [];
  for (let i = begin; i < end && ranges.length < RANGES_MAX; i++) {
    if (e[i] === a[i]) continue;
    const offset = i;
    while (i < end && e[i] !== a[i] && i - offset < RANGE_SIZE_MAX) i++;
    ranges.push({ offset, expected: e.slice(offset, i), got: a.slice(offset, i) });
  }
  return { kind: "bytes", ranges };
}

function resumptionDifference(e: Ending, a: Ending, ignored: IgnoredAspects): Difference | null {
  if (e.kind !== "exit" || a.kind !== "exit" || ignored.has("resumption")) return null;
  const count = countDifference("continuations", e.resumed, a.resumed);
  if (count !== null) return { path: [], aspect: "resumption", ...count };
  for (let index = 0; index < e.resumed.length; index++) {
    const difference = compareOutcomes(e.resumed[index], a.resumed[index], ignored);
    if (difference === null) continue;
    return nested({ kind: "continuation", index, by: a.resumedBy ?? null }, difference);
  }
  return null;
}

function slotDifference(expected: SlotBits, actual: SlotBits): Mismatch | null {
  const isContents = expected !== null && !isBits(expected);
  if (isContents && actual !== null && !isBits(actual)) return imageDifference(expected, actual);
  if (expected === null && actual === null) return null;
  if (isBits(expected) && isBits(actual) && sameBits(expected, actual)) return null;
  return { kind: "value", expected, got: actual };
}

function sameBits(expected: ObservedBits, actual: ObservedBits | undefined): boolean {
  if (actual === undefined || expected.type !== actual.type) return false;
  if (expected.anyNaN) return isNaNOf(expected.type, actual.lo, actual.hi);
  return expected.lo === actual.lo && (!isWide(expected.type) || expected.hi === actual.hi);
}

/** Returns whether the bits are a NaN of the floating type of that width. */
export function isNaNOf(type: Type, lo: number, hi: number): boolean {
  if (!isWide(type)) return (lo & 0x7fff_ffff) > 0x7f80_0000;
  const magnitude = hi & 0x7fff_ffff;
  return magnitude > 0x7ff0_0000 || (magnitude === 0x7ff0_0000 && lo !== 0);
}

/** The size of the tag and index words of one record, and its result. */
const HEAD_BYTES = 5 * 4;
const VALUE_BYTES = 8;

/**
 * Additional bytes in the bound of recorded bytes: a program records dead values, which the oracle
 * omits.
 */
const SLACK_BYTES = 1 << 16;

/**
 * Returns an upper bound of the bytes that an exported program records of an execution
 * (src/export/observation.ts). A subject that recorded more is wrong. A subject that ran out of
 * memory earlier may be right.
 */
const recordBytesMax = (outcome: Outcome): number => 2 * bytesOf(outcome) + SLACK_BYTES;

function bytesOf({ events, ending, calleeExits = [] }: Outcome): number {
  let bytes = HEAD_BYTES;
  for (const { args } of events) bytes += HEAD_BYTES + VALUE_BYTES * args.length;
  for (const exit of calleeExits) bytes += bytesOf({ events: [], ending: exit.ending });
  if (ending.kind !== "return" && ending.kind !== "exit") return bytes;
  bytes += ending.heap.bytes.length;
  if (ending.kind === "return") return bytes + VALUE_BYTES * (ending.further?.length ?? 0);
  for (const frame of ending.frames) bytes += frameBytes(frame);
  // An activation that exited records its return twice.
  for (const outcome of ending.resumed) bytes += 2 * bytesOf(outcome);
  return bytes;
}

function frameBytes({ slots }: FrameState): number {
  let bytes = 0;
  for (const slot of slots) {
    bytes += slot === null || isBits(slot) ? VALUE_BYTES : slot.bytes.length + VALUE_BYTES;
  }
  return bytes;
}
