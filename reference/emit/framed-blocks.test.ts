// Where frames are made: on each way once, before what needs one, and where nothing else is possible.

import test from "ava";
import { SeedSource } from "../../src/support/source.js";
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

/** Blocks of one instruction each, with these successors; some need a frame. */
function lirOf(graph: Graph, needing: readonly number[]): Lir {
  const lir = new Lir();
  lir.reset();
  graph.forEach((successors, b) => {
    lir.beginBlock();
    for (const to of successors) lir.addSuccessor(to);
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

/** In words, by block. */
function shown(graph: Graph, needing: readonly number[]): string[] {
  const framed = place(graph, needing);
  return graph.map((_, b) => {
    if (framed.isMadeAtStartOf(b)) return "start";
    if (framed.isMadeAtEndOf(b)) return "end";
    return framed.isFramedIn(b) ? "framed" : "bare";
  });
}

test("where no block needs a frame there is none", (t) => {
  t.deepEqual(shown([[1, 2], [3], [3], []], []), ["bare", "bare", "bare", "bare"]);
  t.is(place([[]], []).places, 0);
});

test("a way that returns before the frame is needed has none", (t) => {
  t.deepEqual(shown([[1, 2], [], [3], []], [3]), ["bare", "bare", "bare", "start"]);
});

test("where ways with and without a frame meet, those without make it at their ends", (t) => {
  t.deepEqual(shown([[1, 2], [3], [3], []], [1]), ["bare", "start", "end", "framed"]);
});

test("a loop in which it is needed has it as a whole", (t) => {
  // 0 -> 1 -> 2 <-> 3, 2 -> 4
  t.deepEqual(shown([[1], [2], [3, 4], [2], []], [3]), [
    "bare",
    "end",
    "framed",
    "framed",
    "framed",
  ]);
});

test("where it would be made in more than two places, it is made at the entry", (t) => {
  t.deepEqual(shown([[1, 2, 3], [], [], []], [1, 2]), ["bare", "start", "start", "bare"]);
  t.deepEqual(shown([[1, 2, 3], [], [], []], [1, 2, 3]), ["start", "framed", "framed", "framed"]);
});

/** Random successors, with a block on each edge that is critical. */
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

test("on each way it is made once at most, and before what needs it, whatever the graph", (t) => {
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
      // All ways to a block come with a frame, or none does.
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
