// How many programs of a remote subject were effective: compiled as is wanted, run, and compared. A subject that
// quietly runs nothing looks like one that is never wrong, so there is a floor.

import type { EffectiveCounts, Tally } from "./tally.js";

/**
 * Of the programs that a subject was given and can show one execution of; what the oracle does not judge counts
 * against it.
 */
const FLOOR = 0.8;
/** Of all programs: one that shows results alone cannot follow where each execution leaves by an exit. */
const UNSHOWN_MAX = 0.5;
/** Of fewer programs the share says little. */
const PROGRAMS_ENOUGH = 50;

interface EffectiveRow extends EffectiveCounts {
  readonly subject: string;
  readonly floor: number;
}

export const effectiveRowsOf = ({ effective = {} }: Pick<Tally, "effective">): EffectiveRow[] =>
  Object.entries(effective).map(([subject, counts]) => ({ subject, ...counts, floor: FLOOR }));

export const isIneffective = ({ programs, effective, unshown = 0, floor }: EffectiveRow): boolean =>
  programs >= PROGRAMS_ENOUGH &&
  (effective < floor * (programs - unshown) || unshown > UNSHOWN_MAX * programs);
