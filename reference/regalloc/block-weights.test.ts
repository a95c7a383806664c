// Tests loops and weights, on graphs written as lists of successors, and against dominators on
// random graphs.

import test from "ava";
import { SeedSource } from "../../src/support/source.js";
import { type Block, blockAt, FIRST_BLOCK } from "../lir/indices.js";
import { Lir } from "../lir/lir.js";
import { BlockWeights, TRIPS } from "./block-weights.js";

const lir = new Lir();
const weights = new BlockWeights();

function compute(graph: readonly (readonly number[])[]): void {
  lir.reset();
  for (const successors of graph) {
    lir.beginBlock();
    lir.endInstruction(0, 0, 0, -1);
    for (const to of successors) lir.addSuccessor(blockAt(to));
    lir.endBlock();
  }
  weights.compute(lir);
}

const column = (of: { [B in Block]: number }): number[] =>
  Array.from({ length: lir.blockCount }, (_, b) => of[blockAt(b)]);

test("a loop in a loop", (t) => {
  compute([[1], [2, 5], [3], [2, 4], [1], []]);
  t.deepEqual(column(weights.depth), [0, 1, 2, 2, 1, 0]);
  t.deepEqual(column(weights.head), [-1, 1, 2, 2, 1, -1]);
  t.is(weights.outer[blockAt(2)], blockAt(1));
  t.deepEqual(column(weights.weight), [1, 8, 56, 56, 7, 1]);
  t.is(TRIPS, 8);
});

test("a loop of one block, and the block after it", (t) => {
  compute([[1], [1, 2], []]);
  t.deepEqual(column(weights.depth), [0, 1, 0]);
  t.deepEqual(column(weights.weight), [1, TRIPS, 1]);
});

test("the layout does not matter", (t) => {
  compute([[4], [], [3], [2, 4], [2, 1]]); // the head of the outer loop is last in the layout
  t.deepEqual(column(weights.depth), [0, 0, 2, 2, 1]);
});

test("a loop with two entries has one head, and is marked", (t) => {
  compute([[1, 2], [2], [1, 3], []]);
  t.deepEqual(column(weights.depth), [0, 1, 1, 0]);
  t.deepEqual(column(weights.isIrreducible), [0, 1, 0, 0]);
});

test("a loop that is entered in the middle from a loop outside of it", (t) => {
  // Blocks 1 .. 5 form a loop; 2 and 3 form a loop inside it, entered at 2 by 1 and at 3 by 4.
  compute([[1], [2, 4], [3], [2, 5], [3], [1, 6], []]);
  t.deepEqual(column(weights.depth), [0, 1, 2, 2, 1, 1, 0]);
  t.is(weights.isIrreducible[weights.head[blockAt(2)]], 1);
  t.is(weights.isIrreducible[blockAt(1)], 0);
});

test("an unreachable block has weight 0", (t) => {
  compute([[], [2], [1]]);
  t.deepEqual(column(weights.weight), [1, 0, 0]);
  t.deepEqual(column(weights.depth), [0, 0, 0]);
});

test("loop numbers decide which blocks are inside a loop, in any graph", (t) => {
  const source = new SeedSource(5n, "graphs");
  let [inside, outside] = [0, 0];
  for (let round = 0; round < 500; round++) {
    const count = 2 + source.below(10);
    compute(Array.from({ length: count }, () => drawn(source, count)));
    const { head, outer } = weights;
    for (let b = FIRST_BLOCK; b < count; b++) {
      for (let loop = FIRST_BLOCK; loop < count; loop++) {
        if (head[loop] !== loop) continue;
        let at = head[b];
        while (at !== -1 && at !== loop) at = outer[at];
        t.is(weights.isInside(b, loop), at === loop);
        if (at === loop) inside++;
        else outside++;
      }
    }
  }
  t.true(inside > 500 && outside > 500, `${inside} inside, ${outside} outside`);
});

const drawn = (source: SeedSource, count: number): number[] =>
  Array.from({ length: source.below(3) }, () => source.below(count));

// Finds the natural loops in another way, by removing blocks: a dominates b if b cannot be reached
// without a.
function naturalLoops(graph: readonly (readonly number[])[]): { depth: number[]; heads: boolean } {
  const count = graph.length;
  const reachedWithout = (removed: number): Set<number> => {
    const seen = new Set<number>(removed === 0 ? [] : [0]);
    for (const b of seen) for (const to of graph[b]) if (to !== removed) seen.add(to);
    return seen;
  };
  const reached = reachedWithout(-1);
  const without = graph.map((_, b) => reachedWithout(b));
  const dominates = (a: number, b: number): boolean => !without[a].has(b);
  const depth = new Array<number>(count).fill(0);
  for (let head = 0; head < count; head++) {
    const body = new Set<number>();
    for (const [b, to] of graph.entries()) {
      if (reached.has(b) && to.includes(head) && dominates(head, b)) body.add(b);
    }
    if (body.size === 0) continue;
    body.add(head);
    for (const b of body) {
      if (b === head) continue;
      for (const [p, to] of graph.entries()) if (reached.has(p) && to.includes(b)) body.add(p);
    }
    for (const b of body) depth[b]++;
  }
  const order = weights.order.subarray(weights.orderStart, weights.orderEnd);
  const place = new Map([...order].map((b, k) => [b, k]));
  const isBack = (from: number, to: number) =>
    (place.get(blockAt(to)) ?? 0) <= (place.get(blockAt(from)) ?? 0);
  const heads = graph.every(
    (to, b) => !reached.has(b) || to.every((s) => !isBack(b, s) || dominates(s, b)),
  );
  return { depth, heads };
}

test("on random reducible graphs these are the natural loops", (t) => {
  const source = new SeedSource(3n, "graphs");
  let reducible = 0;
  let looped = 0;
  for (let round = 0; round < 3000; round++) {
    const count = 2 + source.below(8);
    const graph = Array.from({ length: count }, () => drawn(source, count));
    compute(graph);
    const { depth, heads } = naturalLoops(graph);
    if (!heads) continue; // irreducible
    reducible++;
    if (depth.some((d) => d > 1)) looped++;
    t.deepEqual(column(weights.depth), depth, JSON.stringify(graph));
    t.true(
      column(weights.isIrreducible).every((mark) => mark === 0),
      JSON.stringify(graph),
    );
  }
  t.true(reducible > 1000 && looped > 100, `${reducible} reducible, ${looped} with nests`);
});

test("ten thousand loops in a row, and a nest of two hundred", (t) => {
  const row = Array.from({ length: 10_000 }, (_, b) => [b, b + 1]);
  compute([...row, []]);
  t.is(Math.max(...column(weights.depth)), 1);
  // Heads 0 .. 199, then the back edges from the innermost loop outward.
  const nest = Array.from({ length: 400 }, (_, b) => (b < 200 ? [b + 1] : [399 - b, b + 1]));
  compute([...nest, []]);
  t.is(weights.depth[blockAt(200)], 200);
  t.true(weights.weight[blockAt(200)] < Number.POSITIVE_INFINITY);
});
