// Makes worlds of windows: two tests whether an operand is in a range of numbers. Compilers combine
// two such tests if the ranges fit, as for upper-case and lower-case letters. That depends on the
// exact ends of the ranges, so the operand is at each of the four ends, and next to it.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, type Type } from "../ir/types.js";
import { bitsOf, wordsOf } from "../ir/words.js";
import type { ChoiceSource } from "../support/source.js";
import { branchAndJoin } from "./control.js";
import { type CountedValue, choice, product } from "./counted.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

/** Numbers from the first to the last, inclusive, modulo the width of the type. */
interface NumberWindow {
  readonly first: bigint;
  readonly last: bigint;
}
const lengthOf = ({ first, last }: NumberWindow): bigint => last - first;

const TYPES: readonly Type[] = [Int32, Int64];

const constant = ({ maker }: WorldSite, type: Type, number: bigint): Value =>
  maker.constantOf(type, ...wordsOf(type, number));

/** Compares with a number. */
const compare = (site: WorldSite, opcode: Opcode, value: Value, number: bigint): Value =>
  site.maker.append(opcode, Int32, value, constant(site, value.type, number));

const from = (site: WorldSite, value: Value, number: bigint): Value =>
  site.maker.append(Op.Add, value.type, value, constant(site, value.type, -number));

const both = ({ maker }: WorldSite, x: Value, y: Value): Value =>
  maker.append(Op.BitAnd, Int32, x, y);

/**
 * Tests whether a value is in the window, or outside of it. The last form is correct for windows
 * that a mask describes, and is another test for the others.
 */
const RANGE_TESTS: readonly ((site: WorldSite, value: Value, window: NumberWindow) => Value)[] = [
  (site, value, window) =>
    compare(site, Op.BelowEqual, from(site, value, window.first), lengthOf(window)),
  (site, value, window) =>
    compare(site, Op.Below, from(site, value, window.first), lengthOf(window) + 1n),
  (site, value, window) =>
    compare(site, Op.Above, from(site, value, window.first), lengthOf(window)),
  (site, value, { first, last }) =>
    both(
      site,
      compare(site, Op.GreaterEqual, value, first),
      compare(site, Op.LessEqual, value, last),
    ),
  (site, value, { first, last }) =>
    both(
      site,
      compare(site, Op.AboveEqual, value, first),
      compare(site, Op.BelowEqual, value, last),
    ),
  (site, value, window) => {
    const mask = ~lengthOf(window);
    const { type } = value;
    const masked = site.maker.append(Op.BitAnd, type, value, constant(site, type, mask));
    return compare(site, Op.Equal, masked, window.first & mask);
  },
];

/** Combines the results of two tests. */
const COMBINATIONS: readonly ((site: WorldSite, x: Value, y: () => Value) => Value)[] = [
  ({ maker }, x, y) => maker.append(Op.BitOr, Int32, x, y()),
  ({ maker }, x, y) => maker.append(Op.BitAnd, Int32, x, y()),
  ({ maker }, x, y) => maker.append(Op.BitXor, Int32, x, y()),
  ({ maker }, x, y) => maker.append(Op.Select, Int32, x, maker.integer(Int32, 1), y()),
  ({ maker }, x, y) => maker.append(Op.Select, Int32, x, y(), maker.integer(Int32, 0)),
  (site, x, y) => branchAndJoin(site, Int32, x, () => site.maker.integer(Int32, 1), y),
  (site, x, y) => branchAndJoin(site, Int32, x, y, () => site.maker.integer(Int32, 0)),
];

/** Functions that return the second window, near the first one. */
const SECOND_WINDOWS: readonly ((source: ChoiceSource, window: NumberWindow) => NumberWindow)[] = [
  (source, window) => moved(window, 1n << BigInt(source.below(12))),
  (source, window) => moved(window, BigInt(1 + source.below(40))),
  (_source, window) => moved(window, powerNear(lengthOf(window))),
  (_source, window) => moved(window, lengthOf(window) + 1n),
  (_source, window) => moved(window, lengthOf(window)),
  (_source, window) => moved(window, lengthOf(window) + 2n),
  (source, { first }) => startingAt(first, source),
  (source, { last }) => ({ first: last - drawLength(source), last }),
  (source, { first }) => startingAt(first + BigInt(source.below(400) - 200), source),
];

const moved = ({ first, last }: NumberWindow, by: bigint): NumberWindow => ({
  first: first + by,
  last: last + by,
});
const startingAt = (first: bigint, source: ChoiceSource): NumberWindow => ({
  first,
  last: first + drawLength(source),
});

/** Returns the least power of two that is not below the length. */
function powerNear(length: bigint): bigint {
  let power = 1n;
  while (power < length) power *= 2n;
  return power;
}

/** Draws the length minus one: small, or a power of two and its neighbours. */
function drawLength(source: ChoiceSource): bigint {
  if (source.below(2) === 0) return BigInt(source.below(34));
  return (1n << BigInt(source.below(9))) + BigInt(source.below(3) - 1);
}

/** Draws a small number, or one near an end of the type or of its low half. */
function drawFirst(source: ChoiceSource, type: Type): bigint {
  const width = type === Int64 ? 64 : 32;
  const ends = [0n, 0n, 64n, 1n << BigInt(width - 1), 1n << BigInt(width / 2), 1n << BigInt(width)];
  return ends[source.below(ends.length)] + BigInt(source.below(80) - 40);
}

const WORLDS = product({
  type: choice(TYPES),
  first: choice(RANGE_TESTS),
  second: choice(RANGE_TESTS),
  joined: choice(COMBINATIONS),
  other: choice(SECOND_WINDOWS),
});

function make(world: CountedValue<typeof WORLDS>, site: WorldSite): Value {
  const { type, first, second, joined, other } = world;
  const { maker, operands, source, bounds } = site;
  const window = startingAt(drawFirst(source, type), source);
  const otherWindow = other(source, window);
  const bound = bitsOf(type, ...bounds[type][0]);
  let sum: Value = maker.integer(Int64, 0);
  for (const end of [window.first, window.last, otherWindow.first, otherWindow.last]) {
    // The operand is at the bound, or next to it.
    const moved = constant(site, type, end - bound);
    const value = maker.append(Op.Add, type, operands[type][0], moved);
    const flag = joined(site, first(site, value, window), () => second(site, value, otherWindow));
    const rotated = maker.append(Op.RotL, Int64, sum, maker.integer(Int32, 3));
    sum = maker.append(Op.BitXor, Int64, rotated, maker.append(Op.ZExt32, Int64, flag));
  }
  return sum;
}

export const WINDOWS: readonly WorldKind[] = [
  kindOf("windows", "two tests whether an operand is between two numbers, combined", WORLDS, make, {
    perProgram: 8,
    isAtBounds: true,
  }),
];
