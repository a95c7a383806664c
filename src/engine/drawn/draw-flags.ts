// Which flags a seed draws, and subjects by name with their flags: `llvm-O2+regalloc=basic+nsw`.

import { SeedSource } from "../../support/source.js";
import { DRAWN_ROWS, type DrawnRow } from "./flag-table.js";
import { hasFlag } from "./known-flags.js";

/** In front of each flag in a name. */
const BEHIND = "+";
/** Seeds that differ in so many low bits alone draw the same: what keeps a process open is started once for them. */
const SHARED_BITS = 4n;
/** Of the alternatives of a row one is drawn in so many; which, is drawn first. */
const ODDS = [2, 4, 12, 30];
const STEPS_MAX = 8;

/** A row of an engine with flags. */
export interface Flagged {
  readonly row: DrawnRow;
  readonly flags: readonly string[];
}

export const nameWith = ({ row, flags }: Flagged): string => [row.base, ...flags].join(BEHIND);

/** Whether a compiler has a flag does not change which others are drawn. */
export function flagsOfSeed(row: DrawnRow, seed: bigint): Flagged {
  const flags = drawnOf(row, seed).filter((flag) => hasFlag(row, flag));
  return { row, flags };
}

function drawnOf(row: DrawnRow, seed: bigint): string[] {
  const source = new SeedSource(seed >> SHARED_BITS, `flags ${row.name}`);
  const numbered = (flag: string): string =>
    flag.replace(/#(\d+)/, (_, count: string) => String(source.below(Number(count))));
  if (row.isSequence === true) {
    const count = 1 + source.below(STEPS_MAX);
    return Array.from({ length: count }, () => row.flags[source.below(row.flags.length)][0]);
  }
  const odds = ODDS[source.below(ODDS.length)];
  return row.flags.flatMap((alternatives) =>
    source.below(odds) === 0 ? [numbered(alternatives[source.below(alternatives.length)])] : [],
  );
}

/** Null if the name has no flags, or if one of them is none of the row's. */
export function flaggedNamed(name: string): Flagged | null {
  const [base, ...flags] = name.split(BEHIND);
  const row = DRAWN_ROWS.find((one) => one.base === base);
  if (row === undefined || flags.length === 0) return null;
  const known = row.flags.flat().map(patternOf);
  const isKnown = (flag: string): boolean => known.some((pattern) => pattern.test(flag));
  return flags.every(isKnown) ? { row, flags } : null;
}

const patternOf = (flag: string): RegExp =>
  new RegExp(`^${flag.replace(/[.*+?^$()|[\]\\{}]/g, "\\$&").replace(/#\d+/, "\\d+")}$`);
