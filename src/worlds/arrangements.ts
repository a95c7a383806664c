// Enumerates the leaves of an expression. Each position has an operand of the world, or one of
// `others` (constants, loads). Operands are numbered in the order of their first use, so renaming
// them gives the same arrangement. The two positions of a commuting operation are unordered.

import {
  below,
  type CountedSet,
  choice,
  list,
  map,
  sumOver,
  symmetricPair,
  withNames,
} from "./counted.js";
import { OPERANDS } from "./world.js";

/** A single position, or two positions that commute. */
export type LeafPosition = "one" | "pair";

/**
 * The code of a leaf: below OPERANDS the number of an operand; above, a constant or load of the
 * leaf set.
 */
export type ArrangementCode = number;

/**
 * The choices of codes for one position that introduce the same number of operands not used before.
 */
interface PositionChoices {
  readonly codes: CountedSet<ArrangementCode[]>;
  readonly introduced: number;
}

/** Returns the arrangements of positions, with this many leaves other than operands. */
export function arrangementsOf(
  others: number,
): (positions: readonly LeafPosition[]) => CountedSet<ArrangementCode[]> {
  const known = new Map<string, CountedSet<ArrangementCode[]>>();
  /** @param used the number of operands that occurred before */
  const after = (used: number, rest: readonly LeafPosition[]): CountedSet<ArrangementCode[]> => {
    if (rest.length === 0) return choice([[]]);
    const key = `${rest.join()} ${used}`;
    const arranged =
      known.get(key) ??
      sumOver(choicesAt(rest[0], used, others), ({ codes, introduced }) =>
        map(list([codes, after(used + introduced, rest.slice(1))]), (parts) => parts.flat()),
      );
    known.set(key, arranged);
    return arranged;
  };
  const codeCount = OPERANDS + others;
  const widthOf = (position: LeafPosition): number => (position === "pair" ? 2 : 1);
  return (positions) => {
    const length = positions.reduce((sum, position) => sum + widthOf(position), 0);
    return withNames(after(0, positions), codeCount ** length);
  };
}

function choicesAt(position: LeafPosition, used: number, others: number): PositionChoices[] {
  const old = map(below(used + others), (k) => (k < used ? k : OPERANDS + k - used));
  const fresh = (codes: CountedSet<ArrangementCode[]>, introduced: number): PositionChoices[] =>
    used + introduced <= OPERANDS ? [{ codes, introduced }] : [];
  if (position === "one") {
    return [{ codes: map(old, (code) => [code]), introduced: 0 }, ...fresh(choice([[used]]), 1)];
  }
  return [
    { codes: symmetricPair(old), introduced: 0 },
    ...fresh(
      map(old, (code) => [used, code]),
      1,
    ),
    ...fresh(choice([[used, used]]), 1),
    ...fresh(choice([[used, used + 1]]), 2),
  ];
}
