// Compares two executions of one function: the later behavior must be one that the earlier text allows (LangRef, "Undefined
// Values", "Poison Values", "Undefined Behavior").
//
// Open are: an earlier execution that is undefined, results and bytes that are poison in it, the bits of NaNs, and
// addresses of variables and of objects that the program allocates.

import {
  HEAP_BASE,
  type HostEvent,
  type MemoryImage,
  type ObservedBits,
  type Outcome,
} from "../../ir/outcome.js";
import { Double, Float, nameOfType } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { ABSENT_DIGEST, RESULT_NAME } from "./import-llvm.js";
import { BYTE_STATES, type LlvmLayout } from "./layout.js";
import { numberOfName } from "./observe.js";
import { ruleAt } from "./rules.js";
import type { LlvmSubject } from "./subject.js";

type RefinementResult =
  | { readonly kind: "equal" }
  | { readonly kind: "open"; readonly reason: string }
  | { readonly kind: "different"; readonly difference: string };

/** How an execution ended, in the words of LLVM IR. */
type LlvmEnding =
  | { readonly kind: "returned" }
  | { readonly kind: "ended" | "undefined" | "open"; readonly rule: string; readonly line: number }
  | { readonly kind: "endless" };

export function endingOf({ ending }: Outcome): LlvmEnding {
  if (ending.kind === "return") return { kind: "returned" };
  if (ending.kind === "out-of-fuel") return { kind: "endless" };
  if (ending.kind === "nan-bits") return { kind: "open", rule: "the bits of a NaN", line: 0 };
  if (ending.kind !== "exit") return { kind: "open", rule: ending.kind, line: 0 };
  const [frame] = ending.frames;
  const [slot] = frame?.slots ?? [];
  const index = slot !== null && slot !== undefined && "lo" in slot ? slot.lo : -1;
  const { rule, exit } = ruleAt(index);
  return { kind: exit, rule, line: frame?.point ?? 0 };
}

/** Whether a later execution can be compared with this one. */
export function isComparable(outcome: Outcome): boolean {
  const { kind } = endingOf(outcome);
  return kind === "returned" || kind === "ended";
}

/** Whether an execution is defined, and no byte that other code can read is poison at its end. */
export function leavesNoPoison(
  subject: LlvmSubject,
  layout: LlvmLayout,
  outcome: Outcome,
): boolean {
  const { ending } = outcome;
  if (!isComparable(outcome) || !("heap" in ending)) return false;
  return visibleRanges(subject, layout).every(({ at, size }) => {
    const from = at + layout.states;
    return !ending.heap.bytes.subarray(from, from + size).includes(BYTE_STATES.poison);
  });
}

/** Compares the execution of a text before a pass with that of the text after it. */
export function refines(
  subject: LlvmSubject,
  layout: LlvmLayout,
  before: Outcome,
  after: Outcome,
): RefinementResult {
  const [expected, got] = [endingOf(before), endingOf(after)];
  if (expected.kind === "endless") return open("out of fuel");
  if (expected.kind === "undefined" || expected.kind === "open") return open(expected.rule);
  if (got.kind === "endless") return different(`expected ${describe(expected)}, got no end`);
  if (got.kind === "open") return open(got.rule);
  if (got.kind === "undefined")
    return different(
      `expected ${describe(expected)}, got undefined behavior: ${got.rule}, line ${got.line}`,
    );
  const difference =
    eventsDifference(layout, before.events, after.events) ??
    (describe(expected) === describe(got)
      ? null
      : `expected ${describe(expected)}, got ${describe(got)}`) ??
    memoryDifference(subject, layout, before, after);
  return difference === null ? { kind: "equal" } : different(difference);
}

const open = (reason: string): RefinementResult => ({ kind: "open", reason });
const different = (difference: string): RefinementResult => ({ kind: "different", difference });

const describe = (ending: LlvmEnding): string =>
  ending.kind === "returned" ? "a return" : "rule" in ending ? ending.rule : "no end";

/** Returns the number of the name that begins a row; null for a scalar of the row. */
const nameIn = ({ name, args: [only] }: HostEvent): number | null =>
  name === "logInt" ? only.lo : null;

function eventsDifference(
  layout: LlvmLayout,
  before: readonly HostEvent[],
  after: readonly HostEvent[],
): string | null {
  let of = "";
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const [expected, got] = [before[i], after[i]];
    const number = nameIn(expected ?? got);
    if (number !== null)
      of =
        number === numberOfName(RESULT_NAME)
          ? "the result"
          : `a call or volatile access, event ${i}`;
    if (expected === undefined) return `${of}: expected none`;
    if (got === undefined) return `${of}: expected one, got none`;
    if (nameIn(expected) !== nameIn(got)) return `event ${i}: expected another call`;
    if (number !== null) continue;
    const difference = scalarDifference(layout, expected.args, got.args);
    if (difference !== null) return `${of}: ${difference}`;
  }
  return null;
}

function scalarDifference(
  layout: LlvmLayout,
  expected: readonly ObservedBits[],
  got: readonly ObservedBits[],
): string | null {
  const [, , { lo: poison }] = expected;
  const [, , { lo: other }] = got;
  if (poison !== 0 || other === ABSENT_DIGEST) return null;
  if (other !== 0)
    return `expected ${expected.map(print).filter(isShown).join() || "0"}, got poison`;
  for (const [k, each] of expected.entries()) {
    const { lo, hi } = got[k];
    if (each.lo === lo && each.hi === hi) continue;
    if (layout.isPrivate(distanceOf(each.lo, each.hi))) continue;
    return `expected ${print(each)}, got ${print(got[k])}`;
  }
  return null;
}

const isShown = (text: string): boolean => !/^(?:(?:Double|Float) )?0$/.test(text);
const distanceOf = (lo: number, hi: number): number =>
  Number(BigInt.asIntN(64, wideBits(lo, hi) - HEAP_BASE));

function print({ type, lo, hi }: ObservedBits): string {
  const view = new DataView(new ArrayBuffer(8));
  if (type === Float) {
    view.setInt32(0, lo);
    return `${nameOfType(type)} ${view.getFloat32(0)}`;
  }
  if (type !== Double) return String(wideBits(lo, hi));
  view.setInt32(0, hi);
  view.setInt32(4, lo);
  return `${nameOfType(type)} ${view.getFloat64(0)}`;
}

/** A range of the heap that other code can read, with a name for messages. */
interface VisibleRange {
  readonly name: string;
  readonly at: number;
  readonly size: number;
}

function visibleRanges({ visibleGlobals }: LlvmSubject, layout: LlvmLayout): VisibleRange[] {
  const ranges = layout.objects.map((place, object) => ({ name: `object ${object}`, ...place }));
  const globals = visibleGlobals.flatMap((name) => {
    const place = layout.globals.get(name);
    return place === undefined ? [] : [{ name: `@${name}`, ...place }];
  });
  return [...ranges, ...globals];
}

function memoryDifference(
  subject: LlvmSubject,
  layout: LlvmLayout,
  { ending: before }: Outcome,
  { ending: after }: Outcome,
): string | null {
  if (!("heap" in before) || !("heap" in after)) return null;
  const [expected, got] = [before.heap, after.heap];
  const isOpen = openBytesOf(expected, layout);
  for (const { name, at, size } of visibleRanges(subject, layout)) {
    // A later text may have removed the global.
    if (got.bytes[at + layout.states] === BYTE_STATES.absent) continue;
    for (let i = at; i < at + size; i++) {
      const state = got.bytes[i + layout.states];
      const isSame = state !== BYTE_STATES.poison && expected.bytes[i] === got.bytes[i];
      if (isSame || isOpen(i)) continue;
      const shown = state === BYTE_STATES.poison ? "poison" : got.bytes[i];
      return `byte ${i - at} of ${name}: expected ${expected.bytes[i]}, got ${shown}`;
    }
  }
  return null;
}

/** Whether the byte belongs to an address that may differ between texts. */
function isPrivateWord(bytes: Uint8Array, at: number, isPrivate: DistanceTest): boolean {
  const begin = at & -8;
  const view = new DataView(bytes.buffer, bytes.byteOffset + begin, 8);
  return isPrivate(Number(BigInt.asIntN(64, view.getBigInt64(0, true) - HEAP_BASE)));
}

/** A test for distances from the begin of the heap. */
type DistanceTest = (distance: number) => boolean;

/**
 * Returns a test for the bytes of a heap that are not compared: poison, NaNs, and private addresses.
 * @param isPrivate whether the address may differ between the two sides
 */
export function openBytesOf(
  { bytes, anyNaN }: MemoryImage,
  layout: LlvmLayout,
  isPrivate: DistanceTest = layout.isPrivate,
): (at: number) => boolean {
  const isOpen = new Set<number>();
  for (let i = 0; i < anyNaN.length; i += 2) {
    for (let k = 0; k < anyNaN[i + 1]; k++) isOpen.add(anyNaN[i] + k);
  }
  return (at) =>
    bytes[at + layout.states] !== BYTE_STATES.defined ||
    isOpen.has(at) ||
    isPrivateWord(bytes, at, isPrivate);
}
