// The condition codes of comparisons, on numbers.

import { CONDITION_NAMES, type ConditionName } from "../../target/conditions.js";

type ConditionTest = <V extends number | bigint>(x: V, y: V, unsigned: (value: V) => V) => boolean;
/** For floats: false for a NaN, except for `fne`, `fequ` and the negations of orders. */
// biome-ignore format: a table
const CONDITION_TESTS: { readonly [C in ConditionName]: ConditionTest } = {
  eq:         (x, y) => x === y,
  ne:         (x, y) => x !== y,
  lt:         (x, y) => x < y,
  gt:         (x, y) => x > y,
  le:         (x, y) => x <= y,
  ge:         (x, y) => x >= y,
  above:      (x, y, unsigned) => unsigned(x) > unsigned(y),
  below:      (x, y, unsigned) => unsigned(x) < unsigned(y),
  aboveEqual: (x, y, unsigned) => unsigned(x) >= unsigned(y),
  belowEqual: (x, y, unsigned) => unsigned(x) <= unsigned(y),
  feq:        (x, y) => x === y,
  fne:        (x, y) => x !== y,
  flt:        (x, y) => x < y,
  fgt:        (x, y) => x > y,
  fle:        (x, y) => x <= y,
  fge:        (x, y) => x >= y,
  fequ:       (x, y) => !(x < y || x > y),
  fnlt:       (x, y) => !(x < y),
  fngt:       (x, y) => !(x > y),
  fnle:       (x, y) => !(x <= y),
  fnge:       (x, y) => !(x >= y),
  fone:       (x, y) => x < y || x > y,
};
/** The test of each condition code, by its number. */
export const CONDITIONS: readonly ConditionTest[] = CONDITION_NAMES.map(
  (name) => CONDITION_TESTS[name],
);

/** The second representation of floats, which have no sign apart. */
export const same = <V>(value: V): V => value;
