// Prints values of executions with their bits, and lists the bits of the floats of an outcome.

import { printHex } from "../compare/describe-difference.js";
import { isBits, type ObservedBits, type Outcome } from "../ir/outcome.js";
import { printLiteral } from "../ir/text/literals.js";
import { Double, Float } from "../ir/types.js";

/** More floats of an outcome are not listed. */
const FLOATS_MAX = 8;

/** Returns the value and its bits: `-0.0 (0x80000000)`; the text of a NaN is its bits already. */
export function printNumber(bits: ObservedBits): string {
  const literal = printLiteral(bits.type, bits.lo, bits.hi);
  return literal.startsWith("nan:") ? literal : `${literal} (${printHex(bits)})`;
}

/** Returns the floats of the outcome, each once, as value and bits; a NaN shows its bits already. */
export function floatsOf(outcome: Outcome): string[] {
  const floats = valuesOf(outcome).filter(
    ({ type, anyNaN }) => (type === Float || type === Double) && !anyNaN,
  );
  const texts = new Set(floats.map(printNumber).filter((text) => !text.startsWith("nan:")));
  return [...texts].slice(0, FLOATS_MAX);
}

function valuesOf({ events, ending }: Outcome): ObservedBits[] {
  const ended =
    ending.kind === "return"
      ? [ending.result, ...(ending.further ?? [])]
      : ending.kind === "exit"
        ? ending.frames.flatMap(({ slots }) => slots)
        : [];
  const inner = ending.kind === "exit" ? ending.resumed.flatMap(valuesOf) : [];
  return [...ended.filter(isBits), ...inner, ...events.flatMap(({ args }) => args)];
}
