// Tests the order of blocks in LIR: reverse postorder, with the blocks of each loop contiguous.

import test from "ava";
import { analyzeControlFlow } from "../../src/ir/control-flow.js";
import type { Procedure } from "../../src/ir/procedure.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { SeedSource } from "../../src/support/source.js";
import { analyzeLoops, isInLoop } from "../optimize/analysis/loops.js";
import { blockOrder } from "./block-order.js";

/** Returns a procedure whose blocks have these successors: none, one or two each. */
function procedureOf(successors: readonly (readonly number[])[]): Procedure {
  const ends = successors.map(([first, second]) => {
    if (first === undefined) return "Return(@0)";
    return second === undefined ? `Jump(#${first})` : `Branch(@0, #${first}, #${second})`;
  });
  const blocks = ends.map((end, b) => `#${b}:\n  Void @${b + 1} = ${end}\n`);
  const text = `touchstone 1\nproc f(Int32 @0) -> Int32\n${blocks.join("")}`;
  return parseModule(text).entry;
}

const idsOf = (proc: Procedure): number[] => blockOrder(proc).order.map(({ id }) => id);

test("a loop comes before the blocks after it", (t) => {
  // Reverse postorder puts the exit 3 before or after the body 2, depending on the order of the
  // branch.
  t.deepEqual(idsOf(procedureOf([[1], [2, 3], [1], []])), [0, 1, 2, 3]);
  t.deepEqual(idsOf(procedureOf([[1], [3, 2], [1], []])), [0, 1, 2, 3]);
});

test("on any graph loops are contiguous, and dominators come first", (t) => {
  const source = new SeedSource(11n);
  let loopCount = 0;
  for (let round = 0; round < 400; round++) {
    const count = 2 + source.below(14);
    const graph = Array.from({ length: count }, () =>
      Array.from({ length: source.below(3) }, () => 1 + source.below(count - 1)),
    );
    const proc = procedureOf(graph);
    const flow = analyzeControlFlow(proc);
    const { order, position } = blockOrder(proc);
    t.is(order[0], proc.blocks[0]);
    t.is(order.length, flow.order.length);
    t.true(flow.order.every((block) => order.includes(block)));
    flow.order.forEach((block, at) => {
      const dominator = flow.order[flow.dominator[at]];
      if (at > 0) t.true(position[dominator.index] < position[block.index]);
    });
    const loops = analyzeLoops(proc);
    for (const loop of loops.all) {
      loopCount++;
      const blocks = flow.order.filter((block) => isInLoop(loops, loop, block));
      const places = blocks.map(({ index }) => position[index]);
      t.is(Math.max(...places) - Math.min(...places), blocks.length - 1);
    }
  }
  t.true(loopCount > 200, `${loopCount} loops`);
});
