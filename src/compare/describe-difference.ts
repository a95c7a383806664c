// Describes a difference in one line, for people.

import type { ObservedBits, SlotBits } from "../ir/outcome.js";
import { isBits } from "../ir/outcome.js";
import { isWide } from "../ir/types.js";
import { firstLineOf, messageLineOf } from "./crash-message.js";
import {
  type Difference,
  type DifferencePlace,
  type DifferentBytes,
  type EndingSummary,
  type Mismatch,
  outermostAspect,
  type PathStep,
} from "./difference.js";

/** Prints a value of an execution. */
type BitsPrinter = (bits: ObservedBits) => string;

/**
 * Describes a difference after the comparison that found it: `resumption: continuation 0 as x64-O1: heap: at 8: ...`.
 */
export const describeWithComparison = (difference: Difference, print?: BitsPrinter): string =>
  `${outermostAspect(difference)}: ${describeDifference(difference, print)}`;

/**
 * Describes a difference without the comparison of `outermostAspect`: `continuation 0 as x64-O1: heap: at 8: expected 01, got
 * 00`.
 */
export function describeDifference(
  { path, aspect, place, mismatch }: Difference,
  print: BitsPrinter = printHex,
): string {
  let text = `${describePlace(place)}${describeMismatch(mismatch, print)}`;
  let comparison: string = aspect;
  for (const step of path.toReversed()) {
    text = `${describeStep(step, comparison)}: ${text}`;
    if (step.kind === "continuation") comparison = "resumption";
  }
  return text;
}

function describeStep(step: PathStep, seen: string): string {
  switch (step.kind) {
    case "other-junk":
      return `with other junk: ${seen}`;
    case "callee-exit":
      return `exit ${step.index} in a callee`;
    case "continuation":
      return `continuation ${step.index}${step.by === null ? "" : ` as ${step.by}`}: ${seen}`;
  }
}

function describePlace(place: DifferencePlace | null): string {
  if (place === null) return "";
  const { index } = place;
  switch (place.kind) {
    case "event":
      return place.argument === null
        ? `event ${index}: `
        : `event ${index}, ${place.name}, argument ${place.argument}: `;
    case "volatile-load":
      return `volatile load ${index}: `;
    case "fence":
      return `fence ${index}: `;
    case "frame":
      return `frame ${index}: ${place.slot === null ? "" : `slot ${place.slot}: `}`;
  }
}

function describeMismatch(mismatch: Mismatch, print: BitsPrinter): string {
  switch (mismatch.kind) {
    case "ending":
      return versus(mismatch.expected, describeEnding(mismatch.got));
    case "convention":
      return mismatch.says;
    case "count":
      return describeCount(mismatch);
    case "order":
      return `expected after ${mismatch.expected} ${mismatch.of}, got ${mismatch.got}`;
    case "call":
    case "fence":
      return versus(mismatch.expected, mismatch.got);
    case "exit":
      return `expected exit ${mismatch.expected}, got ${mismatch.got}`;
    case "frame": {
      const { expected, got } = mismatch;
      return versus(`${expected.name}@${expected.point}`, `${got.name}@${got.point}`);
    }
    case "value":
      return versus(describeSlot(mismatch.expected, print), describeSlot(mismatch.got, print));
    case "bytes":
      return mismatch.ranges.map(describeRange).join("; ");
    case "nan":
      return `at ${mismatch.offset}: ${versus("a NaN", print(mismatch.got))}`;
  }
}

const versus = (expected: string, got: string): string => `expected ${expected}, got ${got}`;

function describeCount({ of, expected, got }: Extract<Mismatch, { kind: "count" }>): string {
  if (of === "continuations") return `expected ${expected} continuations to run, ${got} did`;
  return `expected ${expected} ${of}, got ${got}`;
}

function describeEnding(ended: EndingSummary): string {
  switch (ended.kind) {
    case "fault":
      return `${ended.fault} at 0x${ended.address.toString(16)}, code offset ${ended.codeOffset}`;
    case "undefined":
      return `undefined (${ended.rule}, @${ended.value})`;
    case "escaped":
      return `escaped to 0x${ended.pc.toString(16)}`;
    case "compile-error":
      return `compile error: ${messageLineOf(ended.message)}`;
    case "exit":
      return `exit ${ended.exit}`;
    case "crash":
    case "hang":
      return `${ended.kind}: ${messageLineOf(ended.evidence)}`;
    case "garbage":
      return `garbage: ${firstLineOf(ended.evidence)}`;
    case "no-room":
      return `more than ${ended.bytes} bytes of records`;
    default:
      return ended.kind;
  }
}

function describeSlot(slot: SlotBits, print: BitsPrinter): string {
  if (slot === null) return "nothing";
  if (!isBits(slot)) return `contents of ${slot.bytes.length} bytes`;
  return slot.anyNaN ? "a NaN" : print(slot);
}

export function printHex({ type, lo, hi }: ObservedBits): string {
  const low = (lo >>> 0).toString(16).padStart(8, "0");
  return isWide(type) ? `0x${(hi >>> 0).toString(16).padStart(8, "0")}${low}` : `0x${low}`;
}

const describeRange = ({ offset, expected, got }: DifferentBytes): string =>
  `at ${offset}: ${versus(hexBytes(expected), hexBytes(got))}`;

const hexBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
