// Which loops may be moved to a line of their own, and where they end.

import test from "ava";
import { Lir } from "../lir/lir.js";
import { Layout } from "./layout.js";
import { ShortLoops } from "./short-loops.js";

/** Blocks of so many instructions, with these successors. */
function blocks(each: readonly (readonly [count: number, successors: readonly number[]])[]): Lir {
  const lir = new Lir();
  lir.reset();
  for (const [count, successors] of each) {
    lir.beginBlock();
    for (const to of successors) lir.addSuccessor(to);
    for (let i = 0; i < count; i++) lir.endInstruction(0, 0, 0, -1);
    lir.endBlock();
  }
  return lir;
}

/** By place in the order: -1, or the place at which the loop ends that begins there. */
function lastOf(lir: Lir): number[] {
  const layout = new Layout();
  const target = Int32Array.from({ length: lir.blockCount }, (_, b) => b);
  layout.compute(lir, target);
  const loops = new ShortLoops();
  loops.compute(lir, layout.order, layout.count, target);
  const places = Array.from({ length: layout.count }, (_, place) => place);
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
  return last;
}

test("a loop behind a jump may be moved, to its last block", (t) => {
  //   0 -> 1 <-> 2, 1 -> 3; written 0, 2, 1, 3, and a jump stands in front of 2
  const lir = blocks([
    [1, [1]],
    [2, [2, 3]],
    [5, [1]],
    [1, []],
  ]);
  t.deepEqual(lastOf(lir), [-1, 2, -1, -1]);
});

test("loops that end at one place have one label there", (t) => {
  //   0 -> 1 -> 2 <-> 3, 2 -> 1, 4; written 0, 3, 2, 1, 4
  const lir = blocks([
    [1, [2]],
    [1, [2]],
    [1, [3, 1]],
    [1, [2, 4]],
    [1, []],
  ]);
  const last = lastOf(lir);
  t.true(last.some((place) => place > 0));
});

test("one into which the code before runs may not", (t) => {
  //   0 -> 1 -> 1, 2: the loop is tested at its end already
  const lir = blocks([
    [1, [1]],
    [3, [1, 2]],
    [1, []],
  ]);
  t.deepEqual(lastOf(lir), [-1, -1, -1]);
});
