// Everything observable of one execution, and whether a pass may turn one into another.

import { bitsOfFloat } from "./scalars.js";
import { type LlvmValue, POISON, printValue } from "./values.js";

/** Bytes that other code can read; null for a byte whose value is open. */
export interface VisibleBytes {
  readonly name: string;
  readonly bytes: readonly (number | null)[];
}

/** A call of a function that another module defines, a volatile access, or a call that does not return. */
export interface LlvmEvent {
  readonly name: string;
  readonly operands: readonly LlvmValue[];
  readonly memory: readonly VisibleBytes[];
}

/** The reason of an execution that took too many steps. */
export const OUT_OF_FUEL = "out of fuel";

export interface LlvmOutcome {
  readonly ending: "return" | "trap" | "exit" | "undefined" | "unjudged";
  /** The reason of an execution that is undefined or unjudged. */
  readonly reason: string | null;
  readonly value: LlvmValue | null;
  readonly events: readonly LlvmEvent[];
  /** At the end. */
  readonly memory: readonly VisibleBytes[];
  readonly steps: number;
}

type RefinementResult =
  | { readonly kind: "equal" }
  | { readonly kind: "open"; readonly reason: string }
  | { readonly kind: "wrong"; readonly detail: string };

const EQUAL: RefinementResult = { kind: "equal" };
const wrong = (detail: string): RefinementResult => ({ kind: "wrong", detail });

/**
 * Compares the code before a pass with the code after it: each behavior after must be one that the code before allows.
 * @param before an execution where undefined bytes and `undef` are poison
 * @param after an execution where they are zero, which is one of the choices
 */
export function refines(before: LlvmOutcome, after: LlvmOutcome): RefinementResult {
  if (before.ending === "undefined") return { kind: "open", reason: before.reason ?? "undefined" };
  if (before.ending === "unjudged") return { kind: "open", reason: before.reason ?? "unjudged" };
  if (after.reason === OUT_OF_FUEL)
    return wrong(
      `expected ${describe(before)} after ${before.steps} steps, got ${after.steps} steps without an end`,
    );
  if (after.ending === "unjudged") return { kind: "open", reason: after.reason ?? "unjudged" };
  if (after.ending === "undefined")
    return wrong(`expected ${describe(before)}, got undefined behavior: ${after.reason}`);
  return (
    differentEvents(before, after) ??
    differentEnd(before, after) ??
    differentMemory(before.memory, after.memory) ??
    EQUAL
  );
}

const describe = ({ ending, value }: LlvmOutcome): string =>
  ending === "return" ? (value === null ? "a return" : printValue(value)) : ending;

function differentEvents(before: LlvmOutcome, after: LlvmOutcome): RefinementResult | null {
  const count = Math.max(before.events.length, after.events.length);
  for (let i = 0; i < count; i++) {
    const [expected, got] = [before.events[i], after.events[i]];
    const which = `event ${i}`;
    if (expected === undefined) return wrong(`${which}: expected none, got ${got.name}`);
    if (got === undefined) return wrong(`${which}: expected ${expected.name}, got none`);
    if (expected.name !== got.name || expected.operands.length !== got.operands.length)
      return wrong(`${which}: expected ${expected.name}, got ${got.name}`);
    for (const [k, operand] of expected.operands.entries()) {
      if (!isAllowed(operand, got.operands[k])) {
        const values = `expected ${printValue(operand)}, got ${printValue(got.operands[k])}`;
        return wrong(`${which}, operand ${k} of ${expected.name}: ${values}`);
      }
    }
    const memory = differentMemory(expected.memory, got.memory);
    if (memory?.kind === "wrong") return wrong(`${which}, ${expected.name}: ${memory.detail}`);
  }
  return null;
}

function differentEnd(before: LlvmOutcome, after: LlvmOutcome): RefinementResult | null {
  if (before.ending !== after.ending)
    return wrong(`expected ${describe(before)}, got ${describe(after)}`);
  if (before.value === null || after.value === null || isAllowed(before.value, after.value))
    return null;
  return wrong(`expected ${printValue(before.value)}, got ${printValue(after.value)}`);
}

function differentMemory(
  before: readonly VisibleBytes[],
  after: readonly VisibleBytes[],
): RefinementResult | null {
  const byName = new Map(after.map((each) => [each.name, each.bytes]));
  for (const { name, bytes } of before) {
    const got = byName.get(name);
    if (got === undefined) continue; // a pass has removed a global that nothing reads
    const at = bytes.findIndex((byte, i) => byte !== null && byte !== (got[i] ?? null));
    if (at >= 0)
      return wrong(
        `byte ${at} of ${name}: expected ${bytes[at]}, got ${got[at] ?? "an open value"}`,
      );
  }
  return null;
}

const DOUBLE = { kind: "double" } as const;

/** Whether a value may stand for the one before: poison allows each value, and the bits of a NaN are open. */
function isAllowed(before: LlvmValue, after: LlvmValue): boolean {
  if (before === POISON) return true;
  if (Array.isArray(before)) {
    return Array.isArray(after) && before.every((part, i) => isAllowed(part, after[i]));
  }
  if (typeof before === "number" && typeof after === "number") {
    return Number.isNaN(before)
      ? Number.isNaN(after)
      : bitsOfFloat(DOUBLE, before) === bitsOfFloat(DOUBLE, after);
  }
  return before === after;
}
