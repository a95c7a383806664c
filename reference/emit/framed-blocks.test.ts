// Tests the placement of frames: once on each path, before the first block that needs one, and as
// late as possible.

import test from "ava";
import { SeedSource } from "../../src/support/source.js";
import { blockAt } from "../lir/indices.js";
import { Lir } from "../lir/lir.js";
import { Allocation } from "../regalloc/allocation.js";
import { FramedBlocks } from "./framed-blocks.js";

const PLAIN = 0;
const NEEDS = 1;
const ROWS = [
  { needsFrame: false, isCall: false },
  { needsFrame: true, isCall: false },
];

type Graph = readonly (readonly number[])[];

/**
 * Returns blocks of one instruction each, with these successors; those in `needing` need a frame.
 */
function lirOf(graph: Graph, needing: readonly number[]): Lir {
  const lir = new Lir();
  lir.reset();
  graph.forEach((successors, b) => {
    lir.beginBlock();
    for (const to of successors) lir.addSuccessor(blockAt(to));
    lir.endInstruction(needing.includes(b) ? NEEDS : PLAIN, 0, 0, -1);
    lir.endBlock();
  });
  return lir;
}

function place(graph: Graph, needing: readonly number[]): FramedBlocks {
  const framed = new FramedBlocks();
  framed.placeLate(lirOf(graph, needing), ROWS, new Allocation(), []);
  return framed;
}

/** Returns one word for each block. */
function shown(graph: Graph, needing: readonly number[]): string[] {
  const framed = place(graph, needing);
  return graph.map((_, b) => {
    if (framed.isMadeAtStartOf(b)) return "start";
    if (framed.isMadeAtEndOf(b)) return "end";
    return framed.isFramedIn(b) ? "framed" : "bare";
  });
}

test("a procedure has no frame if no block needs one", (t) => {
  t.deepEqual(shown([[1, 2], [3], [3], []], []), ["bare", "bare", "bare", "bare"]);
  t.is(place([[]], []).places, 0);
});

test("a path that returns before the frame is needed has none", (t) => {
  t.deepEqual(shown([[1, 2], [], [3], []], [3]), ["bare", "bare", "bare", "start"]);
});

test("where paths with and without a frame join, those without make it at their ends", (t) => {
  t.deepEqual(shown([[1, 2], [3], [3], []], [1]), ["bare", "start", "end", "framed"]);
});

test("a loop with a block that needs the frame has it as a whole", (t) => {
  // 0 -> 1 -> 2 <-> 3, 2 -> 4
  t.deepEqual(shown([[1], [2], [3, 4], [2], []], [3]), [
    "bare",
    "end",
    "framed",
    "framed",
    "framed",
  ]);
});

test("if the frame would be made in more than two places, it is made at the entry", (t) => {
  t.deepEqual(shown([[1, 2, 3], [], [], []], [1, 2]), ["bare", "start", "start", "bare"]);
  t.deepEqual(shown([[1, 2, 3], [], [], []], [1, 2, 3]), ["start", "framed", "framed", "framed"]);
});

/** Returns random successors, with a block on each critical edge. */
function randomGraph(random: SeedSource): Graph {
  const count = 1 + random.below(12);
  const graph = Array.from({ length: count }, () =>
    // The entry has no predecessors.
    Array.from({ length: count === 1 ? 0 : random.below(4) }, () => 1 + random.below(count - 1)),
  );
  const incoming = new Int32Array(count);
  for (const to of graph.flat()) incoming[to]++;
  for (let b = 0; b < count; b++) {
    graph[b].forEach((to, e) => {
      if (graph[b].length === 1 || incoming[to] === 1) return;
      graph[b][e] = graph.length;
      graph.push([to]);
    });
  }
  return graph;
}

test("on any graph each path makes the frame at most once, and before the first block that needs it", (t) => {
  const random = new SeedSource(11n);
  let later = 0;
  for (let round = 0; round < 2000; round++) {
    const graph = randomGraph(random);
    const needing = [...graph.keys()].filter(() => random.below(6) === 0);
    const framed = place(graph, needing);
    if (framed.places > 0 && !framed.isMadeAtStartOf(0)) later++;
    const reached = new Map<number, boolean>();
    const pending: [block: number, hasFrame: boolean][] = [[0, false]];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [b, hasFrame] = next;
      const known = reached.get(b);
      // Either all paths to a block have a frame, or none has.
      if (known !== undefined && known !== hasFrame)
        return t.fail(JSON.stringify({ graph, needing, b }));
      if (known !== undefined) continue;
      reached.set(b, hasFrame);
      if (hasFrame && framed.isMadeIn(b)) return t.fail(JSON.stringify({ graph, needing, b }));
      const within = hasFrame || framed.isMadeAtStartOf(b);
      if (within !== framed.isFramedIn(b)) return t.fail(JSON.stringify({ graph, needing, b }));
      if (needing.includes(b) && !within) return t.fail(JSON.stringify({ graph, needing, b }));
      for (const to of graph[b]) pending.push([to, within || framed.isMadeAtEndOf(b)]);
    }
  }
  t.true(later > 100, `${later}`);
});
