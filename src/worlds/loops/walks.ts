// Makes worlds of loops with three consecutive accesses of the world's cell. An access is at the
// counter, next to it, by a moving pointer, or at a fixed address. An iteration may read a value
// that it wrote itself, or that the previous iteration, an earlier one, or the code before the loop
// wrote. In half of the worlds all accesses have one width, because values are forwarded only
// between accesses of equal width.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type } from "../../ir/types.js";
import { type CountedValue, choice, product, sequence } from "../counted.js";
import { kindOf, type WorldKind, type WorldSite } from "../world.js";
import {
  ACCESS_WIDTHS,
  ACCESSES_BEFORE_LOOP,
  ACCESSES_EACH,
  access,
  INDEX_MAX,
  type IterationValues,
  invariantValues,
  LOOP_ACCESSES,
  type LoopAccess,
  loadAtEnd,
} from "./accesses.js";

/** The number of iterations: low bits of an operand plus one, or a number. */
const TIMES: readonly (number | null)[] = [null, null, 2, 4];
const TIMES_MASK = INDEX_MAX - 1;

/** The type of the counter, and its conversion to a distance. */
const COUNTERS: readonly (readonly [Type, typeof Op.ZExt32 | typeof Op.SExt32])[] = [
  [Int32, Op.ZExt32],
  [Int32, Op.SExt32],
  [Int64, Op.ZExt32],
];
/** The directions of the walk: up from offset 0, or down to it. */
const DIRECTIONS = [1, -1];
/** Accesses before the loop's test: none, one, or all of an iteration. */
const BEFORE_TEST = [0, 1, ACCESSES_EACH];

const WORLDS = product({
  times: choice(TIMES),
  counted: choice(COUNTERS),
  by: choice(DIRECTIONS),
  before: choice(BEFORE_TEST),
  first: choice(ACCESSES_BEFORE_LOOP),
  width: choice(ACCESS_WIDTHS),
  accesses: sequence(ACCESSES_EACH, LOOP_ACCESSES),
});

function make(world: CountedValue<typeof WORLDS>, site: WorldSite): Value {
  const { times, counted, by, before, first, width, accesses } = world;
  const [type, extend] = counted;
  const { maker, operands } = site;
  const { proc } = maker;
  const count = countOf(site, type, times);
  const zero = maker.integer(type, 0);
  const start = by > 0 ? zero : count;
  const all = invariantValues(site, width);
  const { cell, scale } = all;
  const counter = proc.newValue(Op.Phi, type);
  const [pointer, sum] = [proc.newValue(Op.Phi, Int64), proc.newValue(Op.Phi, Int64)];
  const [header, body, exit] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  const wideOf = (value: Value): Value =>
    type === Int64 ? value : maker.append(extend, Int64, value);
  const operand = operands[Int64][2];
  const beforeLoop = {
    ...all,
    index: wideOf(start),
    pointer: cell,
    sum: operand,
  };
  const given = first.reduce((sum, one) => access({ ...beforeLoop, sum }, one), operand);
  maker.upsilon(start, counter);
  maker.upsilon(cell, pointer);
  maker.upsilon(given, sum);
  maker.jump(header);
  maker.block = header;
  for (const phi of [counter, pointer, sum]) maker.place(phi, false);
  let iteration: IterationValues = { ...beforeLoop, index: wideOf(counter), pointer, sum };
  const append = (each: readonly LoopAccess[]): void => {
    for (const one of each) iteration = { ...iteration, sum: access(iteration, one) };
  };
  append(accesses.slice(0, before));
  const sumAtExit = iteration.sum;
  const continues =
    by > 0
      ? maker.append(Op.LessThan, Int32, counter, count)
      : maker.append(Op.GreaterThan, Int32, counter, zero);
  maker.branch(continues, body, exit);
  maker.block = body;
  append(accesses.slice(before));
  maker.upsilon(iteration.sum, sum);
  maker.upsilon(maker.append(Op.Add, Int64, pointer, maker.integer(Int64, scale)), pointer);
  maker.upsilon(maker.append(Op.Add, type, counter, maker.integer(type, by)), counter);
  maker.jump(header);
  maker.block = exit;
  return maker.append(Op.BitXor, Int64, sumAtExit, loadAtEnd(site, cell));
}

function countOf({ maker, operands }: WorldSite, type: Type, times: number | null): Value {
  if (times !== null) return maker.integer(type, times);
  const some = maker.append(Op.BitAnd, type, operands[type][1], maker.integer(type, TIMES_MASK));
  return maker.append(Op.Add, type, some, maker.integer(type, 1));
}

export const WALKS: readonly WorldKind[] = [
  kindOf(
    "walk",
    "a loop of up to four iterations, each with three stores or loads, some of which move",
    WORLDS,
    make,
    { perProgram: 4 },
  ),
];
