// Lists the phases and rules of the optimizer that a campaign has reached. Separate from
// figures.ts, because it loads the compiler.

import { RULES } from "../../../reference/optimize/rules/rules.js";
import { PHASES } from "../../../reference/pipeline.js";
import type { Tally } from "./tally.js";

interface AppliedNames {
  readonly phases: readonly string[];
  readonly rules: readonly string[];
}

const names = (rows: readonly { readonly name: string }[]): string[] =>
  rows.map(({ name }) => name);

/** All optional phases and all rules, in the order of the tables. */
export const APPLICABLE: AppliedNames = {
  phases: names(PHASES.filter(({ required }) => required !== true)),
  rules: names(RULES),
};

/** Returns the phases and rules that no program of a campaign has reached. */
export function neverApplied({ applied }: Pick<Tally, "applied">): AppliedNames {
  const isZero = (name: string): boolean => (applied[name] ?? 0) === 0;
  return { phases: APPLICABLE.phases.filter(isZero), rules: APPLICABLE.rules.filter(isZero) };
}
