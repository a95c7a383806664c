// Lists the aspects of two outcomes that are compared.

import type { Capabilities, Capability } from "../execute/subject.js";

/**
 * The aspects, in the order in which the first difference is reported, and the capability that a subject needs to show
 * each. `junk` is the agreement of a second run, in which every undefined bit of the machine has another value.
 */
// biome-ignore format: a table
const SHOWN_BY = {
  "ending":         null,
  "callee-saved":   "abi",
  "stack-pointer":  "abi",
  "guard-zone":     "abi",
  "exit-place":     "abi",
  "direction-flag": "abi",
  "rounding-mode":  "abi",
  "events":         "calls",
  "exit-number":    "exits",
  "slots":          "exits",
  "result":         "results",
  "heap":           "memory",
  "resumption":     "resumption",
  "junk":           null,
} as const satisfies Record<string, Capability | null>;
export type Aspect = keyof typeof SHOWN_BY;
// The names of all aspects, in the order of the table.
export const ASPECTS = Object.keys(SHOWN_BY) as Aspect[];

/** Returns the aspects that are not compared for a subject, because it cannot show them. */
export function notShownBy(capabilities: Capabilities): readonly Aspect[] {
  return ASPECTS.filter((aspect) => {
    const needed = SHOWN_BY[aspect];
    return needed !== null && !capabilities.has(needed);
  });
}
