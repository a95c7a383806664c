// Counts the effective programs of a remote subject: really compiled, run, and compared. A subject
// that silently runs nothing would look correct, so their share has a floor.

import type { EffectiveCounts, Tally } from "./tally.js";

/**
 * The floor of effective programs, as a share of those with at least one execution that the subject
 * can show. Executions that the oracle does not judge count against the subject.
 */
const FLOOR = 0.8;
/**
 * The largest share of all programs that a subject cannot show. One that shows only results cannot
 * follow a program whose every execution ends in an exit.
 */
const UNSHOWN_MAX = 0.5;
/** The number of programs from which the share of effective ones is significant. */
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
