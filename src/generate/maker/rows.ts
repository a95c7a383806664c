// Which maker made which values, so that what a table of makers promises can be measured; and of
// which choices, so that they can be dropped together.

import type { Procedure } from "../../ir/procedure.js";
import { within } from "../../support/source.js";
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
  context.source.begin(name);
  make(maker);
  context.source.end();
  context.made.push({ maker: name, proc, from, to: proc.valueIdEnd });
}

/** Makes so many pieces of something, or as many as there are choices for. */
export function repeat({ source }: Maker, count: number, make: () => void): void {
  for (let left = count; left > 0 && source.has("piece"); left--) within(source, "piece", make);
}

/** Rows of a table, to be drawn by their weights. */
export interface Lots {
  readonly rows: readonly Row[];
  /** By row: its weight and those of the rows before it. */
  readonly sums: readonly number[];
}

export function lotsOf(rows: readonly Row[]): Lots {
  const sums: number[] = [];
  let sum = 0;
  for (let i = 0; i < rows.length; i++) {
    sum += rows[i].weight;
    sums.push(sum);
  }
  return { rows, sums };
}

/** Runs one of the rows. */
export function runOne(maker: Maker, { rows, sums }: Lots): void {
  const roll = maker.below(sums[sums.length - 1]);
  let at = 0;
  while (sums[at] <= roll) at++;
  run(maker, rows[at]);
}
