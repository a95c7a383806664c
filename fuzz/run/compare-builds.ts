// Compares the figures of the same programs by two compilers.

import type { ProgramFigures } from "./against-child.js";

/** One program that the two compilers treat differently. */
export interface ChangedProgram {
  readonly seed: string;
  /** By subject: the verdict of the other compiler, then that of this one. */
  readonly verdicts: Readonly<Record<string, readonly [string, string]>>;
  /** By subject, in the same order. */
  readonly codeBytes: Readonly<Record<string, readonly [number, number]>>;
  /**
   * Processor seconds, in the same order; null unless they differ by a factor of SLOWER and by
   * SLOWER_SECONDS.
   */
  readonly seconds: readonly [number, number] | null;
}

/** The factor from which a change of time is listed; smaller changes are noise of one run. */
const SLOWER = 2;
const SLOWER_SECONDS = 0.05;

/** Returns null if nothing changed. `others` come from the other compiler. */
export function changeOf(others: ProgramFigures, own: ProgramFigures): ChangedProgram | null {
  const verdicts = pairsOf(verdictsOf(others), verdictsOf(own), "not judged");
  const codeBytes = pairsOf(others.codeBytes, own.codeBytes, 0);
  const [less, more] = [others.seconds, own.seconds].sort((x, y) => x - y);
  const isTimed = more > SLOWER * less && more - less > SLOWER_SECONDS;
  const seconds = isTimed ? ([others.seconds, own.seconds] as const) : null;
  const isSame =
    seconds === null && Object.keys(verdicts).length + Object.keys(codeBytes).length === 0;
  return isSame ? null : { seed: own.seed, verdicts, codeBytes, seconds };
}

/** Errors that belong to no subject count as one more verdict. */
const verdictsOf = ({ verdicts, errors }: ProgramFigures): Readonly<Record<string, string>> =>
  errors.length === 0 ? verdicts : { ...verdicts, program: errors.join("; ") };

function pairsOf<T>(
  others: Readonly<Record<string, T>>,
  own: Readonly<Record<string, T>>,
  missing: T,
): Record<string, readonly [T, T]> {
  const pairs: Record<string, readonly [T, T]> = {};
  for (const name of new Set([...Object.keys(others), ...Object.keys(own)])) {
    const pair = [others[name] ?? missing, own[name] ?? missing] as const;
    if (pair[0] !== pair[1]) pairs[name] = pair;
  }
  return pairs;
}
