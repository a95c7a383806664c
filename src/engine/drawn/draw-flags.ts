// Draws flags from a seed, and parses and prints names with flags: `llvm-O2+regalloc=basic+nsw`.

import { SeedSource } from "../../support/source.js";
import { DRAWN_ROWS, type DrawnRow } from "./flag-table.js";
import { hasFlag } from "./known-flags.js";

/** The separator before each flag in a name. */
const SEPARATOR = "+";
/**
 * Seeds that differ only in this many low bits draw the same flags, so that they can share one open
 * process.
 */
const SHARED_BITS = 4n;
/** The odds of drawing an alternative of a row, one in N; N is drawn first. */
const ODDS = [2, 4, 12, 30];
const STEPS_MAX = 8;

/** A row of an engine with flags. */
export interface FlaggedRow {
  readonly row: DrawnRow;
  readonly flags: readonly string[];
}

export const nameWith = ({ row, flags }: FlaggedRow): string =>
  [row.base, ...flags].join(SEPARATOR);

/**
 * Draws flags of the row. A flag that the compiler lacks does not change the choice of the others.
 */
export function flagsOfSeed(row: DrawnRow, seed: bigint): FlaggedRow {
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

/** Returns null if the name has no flags, or if the row lacks one of them. */
export function flaggedNamed(name: string): FlaggedRow | null {
  const [base, ...flags] = name.split(SEPARATOR);
  const row = DRAWN_ROWS.find((one) => one.base === base);
  if (row === undefined || flags.length === 0) return null;
  const known = row.flags.flat().map(patternOf);
  const isKnown = (flag: string): boolean => known.some((pattern) => pattern.test(flag));
  return flags.every(isKnown) ? { row, flags } : null;
}

const patternOf = (flag: string): RegExp =>
  new RegExp(`^${flag.replace(/[.*+?^$()|[\]\\{}]/g, "\\$&").replace(/#\d+/, "\\d+")}$`);
