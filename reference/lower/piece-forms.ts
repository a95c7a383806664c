// What happens to values in pieces: counted as it is lowered, so that a campaign can say what never
// happened. A form is a row; the code that lowers it counts it: `builder.countPiece("phi")`.

export const PIECE_FORMS = [
  "value", // each that is in pieces
  "parameter",
  "stack-parameter",
  "phi",
  "constant", // two constants, because a value in pieces is chosen from it
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
  "snapshot", // each time that a guard shows one
] as const;
export type PieceForm = (typeof PIECE_FORMS)[number];

/** The index of each form in the counts. */
export const PIECE_FORM = Object.fromEntries(PIECE_FORMS.map((name, index) => [name, index])) as {
  readonly [F in PieceForm]: number;
};

/** What is counted, as campaigns name it. */
export const pieceName = (form: PieceForm): string => `pieces: ${form}`;

/** Names of those that were counted. */
export const piecesOf = (counts: Int32Array): string[] =>
  PIECE_FORMS.filter((_, f) => counts[f] > 0).map(pieceName);

/** Counts by name; those of nothing are left out. */
export const pieceCountsOf = (counts: Int32Array): Record<string, number> =>
  Object.fromEntries(
    PIECE_FORMS.map((form, f) => [form, counts[f]] as const).filter(([, count]) => count > 0),
  );
