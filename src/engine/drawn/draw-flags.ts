// Draws flags from a seed, and parses and prints names with flags: `llvm-O2+regalloc=basic+nsw`.

import { SeedSource } from "../../support/source.js";
import { type EngineWithFlags, type FlagTableRow, RARE } from "./flag-table.js";
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
/** Flags of RARE are drawn this many times less. */
const RARER = 4;

interface FlaggedRow {
  readonly row: EngineWithFlags;
  readonly flags: readonly string[];
}

export const nameWith = (base: string, flags: readonly string[]): string =>
  [base, ...flags].join(SEPARATOR);

/**
 * Draws flags of the row. A flag that the compiler lacks does not change the choice of the others.
 */
export function flagsOfSeed(row: EngineWithFlags, seed: bigint): FlaggedRow {
  const flags = drawnOf(row, seed).filter((flag) => hasFlag(row, flag));
  return { row, flags };
}

function drawnOf(row: FlagTableRow, seed: bigint): string[] {
  const source = new SeedSource(seed >> SHARED_BITS, `flags ${row.name}`);
  const numbered = (flag: string): string =>
    flag.replace(/#(\d+)/, (_, count: string) => String(source.below(Number(count))));
  if (row.isSequence === true) {
    const count = 1 + source.below(STEPS_MAX);
    return Array.from({ length: count }, () => row.flags[source.below(row.flags.length)][0]);
  }
  const odds = ODDS[source.below(ODDS.length)];
  return row.flags.flatMap((alternatives) => {
    const { length } = alternatives;
    const isRare = RARE.has(alternatives[0]);
    if (source.below(isRare ? odds * RARER : odds) !== 0) return [];
    return [numbered(alternatives[source.below(length)])];
  });
}

/** Splits a name into the row and its flags. */
export function namesOf(name: string): readonly [base: string, flags: readonly string[]] {
  const [base, ...flags] = name.split(SEPARATOR);
  return [base, flags];
}

/** Returns a pattern for a flag of the table with any number in place of `#N`. */
export const patternOf = (flag: string): RegExp =>
  new RegExp(`^${flag.replace(/[.*+?^$()|[\]\\{}]/g, "\\$&").replace(/#\d+/, "\\d+")}$`);
