// Draws and runs rows of the tables of makers. Each run is recorded. The record of its values
// serves to measure the distribution over makers. Its choices form one structure, so that a
// shrinker can drop them together.

import { within } from "../../support/source.js";
import type { MakerRow, ProcedureMaker, WeightedRows } from "./maker.js";

/** Returns an element of the list, each with equal probability. */
export const oneOf = <T>(maker: ProcedureMaker, list: readonly T[]): T =>
  list[maker.below(list.length)];

/** Runs a row and records its values; those of a nested row belong to both. */
export function run(maker: ProcedureMaker, { name, make }: MakerRow): void {
  const { proc, context } = maker;
  const from = proc.valueIdEnd;
  context.source.begin(name);
  make(maker);
  context.source.end();
  context.made.push({ maker: name, proc, from, to: proc.valueIdEnd });
}

/** Runs `make` `count` times, or until the choices are exhausted. */
export function repeat({ source }: ProcedureMaker, count: number, make: () => void): void {
  for (let left = count; left > 0 && source.has("piece"); left--) within(source, "piece", make);
}

export function weightedRows(rows: readonly MakerRow[]): WeightedRows {
  const sums: number[] = [];
  let sum = 0;
  for (let i = 0; i < rows.length; i++) {
    sum += rows[i].weight;
    sums.push(sum);
  }
  return { rows, sums };
}

/** Runs one of the rows. */
export function runOne(maker: ProcedureMaker, { rows, sums }: WeightedRows): void {
  const roll = maker.below(sums[sums.length - 1]);
  let at = 0;
  while (sums[at] <= roll) at++;
  run(maker, rows[at]);
}
