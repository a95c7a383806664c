// Which maker made which values: so that what a table of makers promises can be measured.

import type { Procedure } from "../ir/procedure.js";
import type { Maker } from "./maker.js";

/** Values of `proc` with ids from `from` up to `to` come from the maker of that name. */
export interface Span {
  readonly maker: string;
  readonly proc: Procedure;
  readonly from: number;
  readonly to: number;
}

/** One row of a table of makers. */
export interface Row {
  readonly name: string;
  /** Among the rows of its table. */
  readonly weight: number;
  readonly make: (maker: Maker) => void;
}

/** Runs a row, and notes what it made; what stands in another thing's body is of both. */
export function run(maker: Maker, { name, make }: Row): void {
  const { proc, context } = maker;
  const from = proc.valueIdEnd;
  make(maker);
  context.made.push({ maker: name, proc, from, to: proc.valueIdEnd });
}

/** Rows that one program uses, each as often as it weighs. */
export function lots(rows: readonly Row[]): readonly Row[] {
  return rows.flatMap((row) => new Array<Row>(row.weight).fill(row));
}
