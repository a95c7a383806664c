// Tests the selection of loops that may be moved to a line of their own, and their ends.

import test from "ava";
import { blockAt } from "../lir/indices.js";
import { Lir } from "../lir/lir.js";
import { BlockLayout } from "./layout.js";
import { ShortLoops } from "./short-loops.js";

/** Returns blocks of this many instructions, with these successors. */
function blocks(each: readonly (readonly [count: number, successors: readonly number[]])[]): Lir {
  const lir = new Lir();
  lir.reset();
  for (const [count, successors] of each) {
    lir.beginBlock();
    for (const to of successors) lir.addSuccessor(blockAt(to));
    for (let i = 0; i < count; i++) lir.endInstruction(0, 0, 0, -1);
    lir.endBlock();
  }
  return lir;
}

/** Returns the order of layout, or that of the block numbers. */
function orderOf(lir: Lir, target: Int32Array, isLaidOut: boolean): Int32Array {
  if (!isLaidOut) return target;
  const layout = new BlockLayout();
  layout.compute(lir, target);
  return layout.order.slice(0, layout.count);
}

/**
 * Returns by position in the order: -1, or the position of the end of the loop that begins there.
 */
function lastOf(lir: Lir, isLaidOut = true): { last: number[]; labels: number } {
  const target = Int32Array.from({ length: lir.blockCount }, (_, b) => b);
  const order = orderOf(lir, target, isLaidOut);
  const loops = new ShortLoops();
  loops.compute(lir, order, order.length, target);
  const places = Array.from(order, (_, place) => place);
  const ends = new Map<number, number>();
  const last = places.map(() => -1);
  let label = 0;
  for (const place of places) {
    if (loops.beginsAt(place))
      ends.set(
        place,
        loops.endOf(place, () => label++),
      );
    const ended = loops.endsAt(place);
    for (const [head, end] of ends) if (end === ended) last[head] = place;
  }
  return { last, labels: label };
}

test("a loop after a jump may be moved, up to its last block", (t) => {
  // 0 -> 1 <-> 2, 1 -> 3; written 0, 2, 1, 3, with a jump before 2
  const lir = blocks([
    [1, [1]],
    [2, [2, 3]],
    [5, [1]],
    [1, []],
  ]);
  t.deepEqual(lastOf(lir), { last: [-1, 2, -1, -1], labels: 1 });
});

test("loops with the same end share a label", (t) => {
  // 0, 1 and 2 go to 3, and 3 goes back to 1 and 2; written in the order of their numbers
  const lir = blocks([
    [1, [3]],
    [1, [3]],
    [1, [3]],
    [1, [1, 2]],
  ]);
  t.deepEqual(lastOf(lir, false), { last: [-1, 3, 3, -1], labels: 1 });
});

test("a loop into which the code before it falls through may not be moved", (t) => {
  //   0 -> 1 -> 1, 2: the loop is tested at its end already
  const lir = blocks([
    [1, [1]],
    [3, [1, 2]],
    [1, []],
  ]);
  t.deepEqual(lastOf(lir), { last: [-1, -1, -1], labels: 0 });
});
