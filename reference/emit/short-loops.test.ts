// Short loops lie within a line: where a gap stands, and how wide it is.

import test from "ava";
import { Lir } from "../lir/lir.js";
import { Layout } from "./layout.js";
import { ShortLoops } from "./short-loops.js";

const LINE = 64;

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

/** By place in the order: the gap where the code before ends at `offset` of a line. */
function gapsOf(lir: Lir, offset: number): number[] {
  const layout = new Layout();
  const target = Int32Array.from({ length: lir.blockCount }, (_, b) => b);
  layout.compute(lir, target);
  const loops = new ShortLoops();
  loops.compute(lir, layout.order, layout.count, target, LINE);
  return Array.from({ length: layout.count }, (_, place) =>
    loops.gapBefore(place, 3 * LINE + offset, LINE),
  );
}

// 0 -> 1 <-> 2, 1 -> 3; written 0, 2, 1, 3, and a jump stands in front of 2.
const tested = (inside: number): Lir =>
  blocks([
    [1, [1]],
    [2, [2, 3]],
    [inside, [1]],
    [1, []],
  ]);

test("a loop that would leave its line begins the next one", (t) => {
  t.deepEqual(gapsOf(tested(5), 36), [0, 0, 0, 0]);
  t.deepEqual(gapsOf(tested(5), 37), [0, 27, 0, 0]);
  t.deepEqual(gapsOf(tested(5), 63), [0, 1, 0, 0]);
});

test("a loop that fills more than a line lies anywhere", (t) => {
  t.deepEqual(gapsOf(tested(14), 1), [0, 63, 0, 0]);
  t.deepEqual(gapsOf(tested(15), 1), [0, 0, 0, 0]);
});

test("nothing is left out where the code before runs into the loop", (t) => {
  //   0 -> 1 -> 1, 2: the loop is tested at its end already
  const lir = blocks([
    [1, [1]],
    [3, [1, 2]],
    [1, []],
  ]);
  t.deepEqual(gapsOf(lir, 63), [0, 0, 0]);
});
