// Which phases and rules of the optimizer a campaign has reached. Apart from figures.ts, because it
// loads the compiler.

import { RULES } from "../../reference/optimize/rules.js";
import { PHASES } from "../../reference/pipeline.js";
import type { Tally } from "./tally.js";

export interface Applied {
  readonly phases: readonly string[];
  readonly rules: readonly string[];
}

const names = (rows: readonly { readonly name: string }[]): string[] =>
  rows.map(({ name }) => name);

/** All that could be applied, in the order of the tables. */
export const APPLICABLE: Applied = {
  phases: names(PHASES.filter(({ required }) => required !== true)),
  rules: names(RULES),
};

/** Those that no program of a campaign has reached. */
export function neverApplied({ applied }: Pick<Tally, "applied">): Applied {
  const isZero = (name: string): boolean => (applied[name] ?? 0) === 0;
  return { phases: APPLICABLE.phases.filter(isZero), rules: APPLICABLE.rules.filter(isZero) };
}
