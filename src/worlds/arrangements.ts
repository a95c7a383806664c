// Enumerates the leaves of an expression. Each place holds an operand of the world, or one of
// `others` (constants, loads). Operands are numbered in the order of their first use, so renaming
// them gives the same arrangement. The two places of a commuting operation are unordered.

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

/** A single place, or two places that commute. */
export type LeafPosition = "one" | "pair";

/**
 * The code of a leaf: below OPERANDS the number of an operand; above, a constant or load of the
 * leaf set.
 */
export type ArrangementCode = number;

/**
 * The choices of codes for one place that introduce the same number of operands not used before.
 */
interface PositionChoices {
  readonly codes: CountedSet<ArrangementCode[]>;
  readonly introduced: number;
}

/** Returns the arrangements of places, with this many leaves other than operands. */
export function arrangementsOf(
  others: number,
): (places: readonly LeafPosition[]) => CountedSet<ArrangementCode[]> {
  const known = new Map<string, CountedSet<ArrangementCode[]>>();
  /** @param used the number of operands that occurred before */
  const after = (used: number, places: readonly LeafPosition[]): CountedSet<ArrangementCode[]> => {
    if (places.length === 0) return choice([[]]);
    const key = `${places.join()} ${used}`;
    const arranged =
      known.get(key) ??
      sumOver(choicesAt(places[0], used, others), ({ codes, introduced }) =>
        map(list([codes, after(used + introduced, places.slice(1))]), (parts) => parts.flat()),
      );
    known.set(key, arranged);
    return arranged;
  };
  const each = OPERANDS + others;
  const widthOf = (place: LeafPosition): number => (place === "pair" ? 2 : 1);
  return (places) =>
    withNames(after(0, places), each ** places.reduce((all, place) => all + widthOf(place), 0));
}

function choicesAt(place: LeafPosition, used: number, others: number): PositionChoices[] {
  const old = map(below(used + others), (k) => (k < used ? k : OPERANDS + k - used));
  const fresh = (codes: CountedSet<ArrangementCode[]>, introduced: number): PositionChoices[] =>
    used + introduced <= OPERANDS ? [{ codes, introduced }] : [];
  if (place === "one") {
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
