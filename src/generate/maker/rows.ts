// Which maker made which values, so that what a table of makers promises can be measured; and of
// which choices, so that they can be dropped together.

import { within } from "../../support/source.js";
import type { Lots, Maker, Row } from "./maker.js";

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
