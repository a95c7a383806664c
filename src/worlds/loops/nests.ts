// Makes worlds of nested loops, with three accesses of the world's cell: before the inner loop, in
// it, and after it. Memory that one loop does not change, the other may change. The inner loop runs
// zero, one or two times in an iteration of the outer loop.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64 } from "../../ir/types.js";
import { type CountedValue, choice, product, sequence } from "../counted.js";
import { kindOf, type WorldKind, type WorldSite } from "../world.js";
import {
  ACCESS_WIDTHS,
  ACCESSES_BEFORE_LOOP,
  ACCESSES_EACH,
  access,
  type IterationValues,
  invariantValues,
  LOOP_ACCESSES,
  type LoopAccess,
  loadAtEnd,
} from "./accesses.js";

/** Iterations of the outer loop: one or two plus a bit of an operand, or a number. */
const OUTER: readonly ((site: WorldSite) => Value)[] = [
  (site) => plus(site, bitOf(site, 1), 1),
  (site) => plus(site, bitOf(site, 1), 2),
  ({ maker }) => maker.integer(Int32, 3),
];
/**
 * Iterations of the inner loop, at most two: invariant in both loops, or computed from the outer
 * counter.
 */
const INNER: readonly ((site: WorldSite, counter: Value) => Value)[] = [
  (site) => bitOf(site, 2),
  (site) => plus(site, bitOf(site, 2), 1),
  ({ maker }) => maker.integer(Int32, 1),
  ({ maker }) => maker.integer(Int32, 2),
  (_site, counter) => counter,
];

const plus = ({ maker }: WorldSite, x: Value, more: number): Value =>
  maker.append(Op.Add, Int32, x, maker.integer(Int32, more));
const bitOf = ({ maker, operands }: WorldSite, operand: number): Value =>
  maker.append(Op.BitAnd, Int32, operands[Int32][operand], maker.integer(Int32, 1));

/** The index in the inner loop: its own counter, the outer counter, or both. */
const INDICES: readonly ((site: WorldSite, outer: Value, inner: Value) => Value)[] = [
  (_site, _outer, inner) => inner,
  (_site, outer) => outer,
  ({ maker }, outer, inner) => maker.append(Op.Add, Int64, outer, inner),
];

const POSITIONS = ["before", "within", "after"] as const;

const WORLDS = product({
  outerTimes: choice(OUTER),
  innerTimes: choice(INNER),
  indexOf: choice(INDICES),
  first: choice(ACCESSES_BEFORE_LOOP),
  width: choice(ACCESS_WIDTHS),
  places: sequence(ACCESSES_EACH, choice(POSITIONS)),
  accesses: sequence(ACCESSES_EACH, LOOP_ACCESSES),
});

function make(world: CountedValue<typeof WORLDS>, site: WorldSite): Value {
  const { outerTimes, innerTimes, indexOf, first, width, places, accesses } = world;
  const { maker, operands } = site;
  const { proc } = maker;
  const times = outerTimes(site);
  const all = invariantValues(site, width);
  const { cell, scale } = all;
  const [pointer, sum] = [proc.newValue(Op.Phi, Int64), proc.newValue(Op.Phi, Int64)];
  const append = (iteration: IterationValues, some: readonly LoopAccess[]): Value =>
    some.reduce((sum, one) => access({ ...iteration, sum }, one), iteration.sum);
  const accessesAt = (place: (typeof POSITIONS)[number]): LoopAccess[] =>
    accesses.filter((_, a) => places[a] === place);

  const before: IterationValues = {
    ...all,
    index: maker.integer(Int64, 0),
    pointer: cell,
    sum: operands[Int64][2],
  };
  maker.upsilon(append(before, first), sum);
  maker.upsilon(cell, pointer);
  const outer = enterLoop(site, times, [pointer, sum]);
  const iteration: IterationValues = { ...all, index: outer.index, pointer, sum };
  const innerSum = proc.newValue(Op.Phi, Int64);
  maker.upsilon(append(iteration, accessesAt("before")), innerSum);
  const inner = enterLoop(site, innerTimes(site, outer.counter), [innerSum]);
  const index = indexOf(site, outer.index, inner.index);
  maker.upsilon(append({ ...iteration, index, sum: innerSum }, accessesAt("within")), innerSum);
  inner.leave();
  maker.upsilon(append({ ...iteration, sum: innerSum }, accessesAt("after")), sum);
  maker.upsilon(maker.append(Op.Add, Int64, pointer, maker.integer(Int64, scale)), pointer);
  outer.leave();

  return maker.append(Op.BitXor, Int64, sum, loadAtEnd(site, cell));
}

interface OpenLoop {
  readonly counter: Value;
  /** The counter, extended to 64 bits. */
  readonly index: Value;
  /** Ends the body, and continues after the loop. */
  readonly leave: () => void;
}

/** Begins a loop that counts from 0; the following code is its body. */
function enterLoop({ maker }: WorldSite, times: Value, phis: readonly Value[]): OpenLoop {
  const { proc } = maker;
  const counter = proc.newValue(Op.Phi, Int32);
  const [header, body, exit] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.upsilon(maker.integer(Int32, 0), counter);
  maker.jump(header);
  maker.block = header;
  for (const phi of [counter, ...phis]) maker.place(phi, false);
  maker.branch(maker.append(Op.LessThan, Int32, counter, times), body, exit);
  maker.block = body;
  const index = maker.append(Op.ZExt32, Int64, counter);
  const leave = (): void => {
    maker.upsilon(maker.append(Op.Add, Int32, counter, maker.integer(Int32, 1)), counter);
    maker.jump(header);
    maker.block = exit;
  };
  return { counter, index, leave };
}

export const NESTS: readonly WorldKind[] = [
  kindOf(
    "nest",
    "a nested loop, and three stores or loads before the inner loop, in it or after it",
    WORLDS,
    make,
    { perProgram: 4 },
  ),
];
