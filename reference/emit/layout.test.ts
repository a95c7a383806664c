// Tests the order of blocks: each block once, the entry first, loops tested at their end.

import test from "ava";
import { SeedSource } from "../../src/support/source.js";
import { blockAt } from "../lir/indices.js";
import { Lir } from "../lir/lir.js";
import { BlockLayout } from "./layout.js";

/** Returns blocks of one instruction each, with these successors. */
function blocks(successors: readonly (readonly number[])[]): Lir {
  const lir = new Lir();
  lir.reset();
  for (const each of successors) {
    lir.beginBlock();
    for (const to of each) lir.addSuccessor(blockAt(to));
    lir.endInstruction(0, 0, 0, -1);
    lir.endBlock();
  }
  return lir;
}

function orderOf(successors: readonly (readonly number[])[], leftOut: readonly number[] = []) {
  const layout = new BlockLayout();
  const target = Int32Array.from(successors, (each, b) => (leftOut.includes(b) ? each[0] : b));
  layout.compute(blocks(successors), target);
  return [...layout.order.subarray(0, layout.count)];
}

test("a loop that is tested at its head is written with the head last", (t) => {
  //                0 -> 1 <-> 2, 1 -> 3
  t.deepEqual(orderOf([[1], [2, 3], [1], []]), [0, 2, 1, 3]);
});

test("in nested loops the inner one is laid out first", (t) => {
  //   0 -> 1 -> 2 <-> 3, 2 -> 4 -> 1, 1 -> 5
  const order = orderOf([[1], [2, 5], [3, 4], [2], [1], []]);
  t.deepEqual(order, [0, 3, 2, 4, 1, 5]);
});

test("a choice within a loop follows its head, and the code outside the loop follows last", (t) => {
  //   0 -> 1 -> 2 -> 3 -> 4 -> 1, 2 -> 4, 1 -> 5
  t.deepEqual(orderOf([[1], [2, 5], [3, 4], [4], [1], []]), [0, 2, 3, 4, 1, 5]);
});

test("straight code keeps its order, without the omitted blocks", (t) => {
  t.deepEqual(orderOf([[1, 2], [3], [3], []]), [0, 1, 3, 2]);
  t.deepEqual(orderOf([[1, 2], [3], [4], [4], []], [1]), [0, 3, 2, 4]);
});

test("on any graph every block is written once, after block 0", (t) => {
  const random = new SeedSource(7n);
  for (let round = 0; round < 500; round++) {
    const count = 1 + random.below(20);
    const graph = Array.from({ length: count }, () =>
      Array.from({ length: random.below(4) }, () => random.below(count)),
    );
    const order = orderOf(graph);
    t.is(order[0], 0);
    t.deepEqual(
      [...order].sort((a, b) => a - b),
      graph.map((_, b) => b),
    );
  }
});
