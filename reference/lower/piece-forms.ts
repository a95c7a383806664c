// Lists the forms in which values in pieces occur. Lowering counts them, so that a campaign can
// name those that never occurred. A form is a row; the code that lowers it counts it:
// `builder.countPiece("phi")`.

import { forEachOperand, type Snapshot, type Value } from "../../src/ir/procedure.js";

export const PIECE_FORMS = [
  "value", // every value in pieces
  "parameter",
  "stack-parameter",
  "phi",
  "constant", // two constants, inputs of a value in pieces
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
type PieceForm = (typeof PIECE_FORMS)[number];

/**
 * The index of each form in the counts. The cast holds because each name becomes a key; fromEntries
 * loses the names.
 */
export const PIECE_FORM = Object.fromEntries(PIECE_FORMS.map((name, index) => [name, index])) as {
  readonly [F in PieceForm]: number;
};

/**
 * Counts the values in pieces in a snapshot.
 *
 * @param inPieces by value id
 */
export function countShown(snapshot: Snapshot, inPieces: Uint8Array, counts: Int32Array): void {
  const { values, frames } = snapshot;
  const count = (value: Value, form: PieceForm): void => {
    if (inPieces[value.id] !== 0) counts[PIECE_FORM[form]]++;
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
export const pieceName = (form: PieceForm): string => `pieces: ${form}`;

/** Returns the names of the forms that were counted. */
export const piecesOf = (counts: Int32Array): string[] =>
  PIECE_FORMS.filter((_, f) => counts[f] > 0).map(pieceName);

/** Returns the counts by name, without zeroes. */
export const pieceCountsOf = (counts: Int32Array): Record<string, number> =>
  Object.fromEntries(
    PIECE_FORMS.map((form, f) => [form, counts[f]] as const).filter(([, count]) => count > 0),
  );
