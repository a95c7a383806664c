// Lists the forms in which values in halves occur. Lowering counts them, so that a campaign can
// name those that never occurred. A form is a row; the code that lowers it counts it:
// `builder.countHalf("phi")`.

import { forEachOperand, type Snapshot, type Value } from "../../src/ir/procedure.js";

export const HALF_FORMS = [
  "value", // every value in halves
  "parameter",
  "stack-parameter",
  "phi",
  "constant", // two constants, inputs of a value in halves
  "select",
  "load",
  "slot-load",
  "store",
  "slot-store",
  "argument",
  "stack-argument",
  "call-result",
  "return",
  "stitch",
  "opaque",
  "trunc",
  "trunc-high",
  "leaf", // a leaf of a guard, once per guard
  "exit-block", // an operand in an exit block
  "slot", // a slot of a snapshot, in the innermost frame
  "outer-slot", // a slot in another frame
  "field", // a field in a slot that consists of fields
] as const;
type HalfForm = (typeof HALF_FORMS)[number];

/**
 * The index of each form in the counts. The cast holds because each name becomes a key; fromEntries
 * loses the names.
 */
export const HALF_FORM = Object.fromEntries(HALF_FORMS.map((name, index) => [name, index])) as {
  readonly [F in HalfForm]: number;
};

/**
 * Counts the values in halves in a snapshot.
 *
 * @param inHalves by value id
 */
export function countShown(snapshot: Snapshot, inHalves: Uint8Array, counts: Int32Array): void {
  const { values, frames } = snapshot;
  const count = (value: Value, form: HalfForm): void => {
    if (inHalves[value.id] !== 0) counts[HALF_FORM[form]]++;
  };
  for (let i = 0; i < values.length; i++) {
    forEachOperand(values[i], (operand) => count(operand, "exit-block"));
  }
  for (let f = 0; f < frames.length; f++) {
    const { slots } = frames[f];
    for (let s = 0; s < slots.length; s++) {
      const slot = slots[s];
      if (slot.kind === "value") count(slot.value, f === 0 ? "slot" : "outer-slot");
      else if (slot.kind === "fields") for (const { value } of slot.fields) count(value, "field");
    }
  }
}

/** Returns the name of a form in campaigns. */
export const halfName = (form: HalfForm): string => `halves: ${form}`;

/** Returns the names of the forms that were counted. */
export const halvesOf = (counts: Int32Array): string[] =>
  HALF_FORMS.filter((_, f) => counts[f] > 0).map(halfName);

/** Returns the counts by name, without zeroes. */
export const halfCountsOf = (counts: Int32Array): Record<string, number> =>
  Object.fromEntries(
    HALF_FORMS.map((form, f) => [form, counts[f]] as const).filter(([, count]) => count > 0),
  );
