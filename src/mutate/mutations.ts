// Lists the mutations. Each changes a valid module into another valid one, or changes nothing; then
// `apply` returns false.

import { duplicate } from "./duplicate.js";
import { changeType, perturbConstant, replaceOperand, swapOperands } from "./edit-values.js";
import { insertGuard } from "./insert-guard.js";
import { merge } from "./merge.js";
import type { MutationInput } from "./mutant.js";
import { outline } from "./outline.js";
import { splice } from "./splice.js";
import { wrapInLoop } from "./wrap-in-loop.js";

export interface MutationRow {
  readonly name: string;
  /** The weight of the mutation, relative to the others. */
  readonly weight: number;
  readonly apply: (mutant: MutationInput) => boolean;
}

// biome-ignore format: a table
export const MUTATIONS: readonly MutationRow[] = [
  { name: "replace-operand",  weight: 8, apply: replaceOperand },
  { name: "swap-operands",    weight: 4, apply: swapOperands },
  { name: "perturb-constant", weight: 6, apply: perturbConstant },
  { name: "change-type",      weight: 4, apply: changeType },
  { name: "duplicate",        weight: 4, apply: duplicate },
  { name: "insert-guard",     weight: 4, apply: insertGuard },
  { name: "wrap-in-loop",     weight: 4, apply: wrapInLoop },
  { name: "outline",          weight: 4, apply: outline },
  { name: "splice",           weight: 6, apply: splice },
  { name: "merge",            weight: 1, apply: merge },
];
