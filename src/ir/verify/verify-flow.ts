// Computes control flow for the verifier, from the lists of successors only, and by another algorithm than
// control-flow.ts: the verifier must not depend on code that phases use. All algorithms are nearly linear on any graph,
// because programs may be arbitrary input.

import { zeroedWords } from "../../support/program-arrays.js";

/** The number of a block that no path from the entry reaches. */
const UNREACHABLE = -1;

/** Neighbors by index of block; those of block b are at [start[b], start[b + 1]) in `target`. */
export interface NeighborLists {
  readonly start: Int32Array;
  readonly target: Int32Array;
}

export interface BlockGraph {
  readonly successors: NeighborLists;
  readonly predecessors: NeighborLists;
  /** Indices of the reachable blocks, each after its dominators. */
  readonly order: Int32Array;
  /** By index of block: its number in the preorder of the dominator tree, or UNREACHABLE. */
  readonly first: Int32Array;
  /** By index of block: the largest such number in its subtree. */
  readonly last: Int32Array;
}

/** Returns whether every path from the entry to block b passes block a. Both are reachable. */
export const dominatesBlock = (flow: BlockGraph, a: number, b: number): boolean =>
  flow.first[a] <= flow.first[b] && flow.first[b] <= flow.last[a];

function reverseEdges(edges: NeighborLists): NeighborLists {
  const count = edges.start.length - 1;
  const start = zeroedWords(count + 1);
  const target = zeroedWords(edges.target.length);
  for (let e = 0; e < edges.target.length; e++) start[edges.target[e] + 1]++;
  for (let b = 0; b < count; b++) start[b + 1] += start[b];
  const next = start.slice(0, count);
  for (let b = 0; b < count; b++) {
    for (let e = edges.start[b]; e < edges.start[b + 1]; e++) target[next[edges.target[e]]++] = b;
  }
  return { start, target };
}

/**
 * Computes the flow of blocks.
 * @param successors the edges of at least one block; block 0 is the entry
 */
export function analyzeFlow(successors: NeighborLists): BlockGraph {
  const blockCount = successors.start.length - 1;
  const predecessors = reverseEdges(successors);
  // Numbers of the depth-first search; `parent` is a number, by number.
  const number = zeroedWords(blockCount).fill(UNREACHABLE);
  const parent = zeroedWords(blockCount);
  const order = zeroedWords(blockCount);
  const count = searchDepthFirst(successors, number, parent, order);
  const dominator = findDominators(predecessors, number, parent, order, count);
  // A dominator has a smaller number, so a backward pass sums the sizes of subtrees, and a forward pass assigns
  // preorder numbers.
  const size = zeroedWords(count).fill(1);
  for (let n = count - 1; n > 0; n--) size[dominator[n]] += size[n];
  const next = zeroedWords(count);
  const first = zeroedWords(blockCount).fill(UNREACHABLE);
  const last = zeroedWords(blockCount).fill(UNREACHABLE);
  for (let n = 0; n < count; n++) {
    const at = n === 0 ? 0 : next[dominator[n]];
    if (n > 0) next[dominator[n]] += size[n];
    next[n] = at + 1;
    first[order[n]] = at;
    last[order[n]] = at + size[n] - 1;
  }
  return { successors, predecessors, order: order.subarray(0, count), first, last };
}

function searchDepthFirst(
  { start, target }: NeighborLists,
  number: Int32Array,
  parent: Int32Array,
  order: Int32Array,
): number {
  const next = start.slice();
  let count = 1;
  let at = 0; // the block
  number[0] = 0;
  for (;;) {
    if (next[at] < start[at + 1]) {
      const successor = target[next[at]++];
      if (number[successor] !== UNREACHABLE) continue;
      number[successor] = count;
      parent[count] = number[at];
      order[count++] = successor;
      at = successor;
    } else {
      if (at === 0) return count;
      at = order[parent[number[at]]];
    }
  }
}

// Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), the simple version: O(m log n).
// All arrays except `number` and `order` contain numbers and are indexed by numbers.
function findDominators(
  { start, target }: NeighborLists,
  number: Int32Array,
  parent: Int32Array,
  order: Int32Array,
  count: number,
): Int32Array {
  const dominator = zeroedWords(count);
  const semi = zeroedWords(count);
  const best = zeroedWords(count);
  const ancestor = zeroedWords(count).fill(-1);
  const bucket = zeroedWords(count).fill(-1);
  const nextInBucket = zeroedWords(count);
  const path = zeroedWords(count);
  for (let n = 0; n < count; n++) semi[n] = best[n] = n;
  for (let n = count - 1; n > 0; n--) {
    const block = order[n];
    for (let e = start[block]; e < start[block + 1]; e++) {
      const predecessor = number[target[e]];
      if (predecessor === UNREACHABLE) continue;
      const reached = semi[bestAbove(predecessor, ancestor, semi, best, path)];
      if (reached < semi[n]) semi[n] = reached;
    }
    nextInBucket[n] = bucket[semi[n]];
    bucket[semi[n]] = n;
    const above = parent[n];
    ancestor[n] = above;
    for (let v = bucket[above]; v >= 0; v = nextInBucket[v]) {
      const u = bestAbove(v, ancestor, semi, best, path);
      dominator[v] = semi[u] < semi[v] ? u : above;
    }
    bucket[above] = -1;
  }
  for (let n = 1; n < count; n++) {
    if (dominator[n] !== semi[n]) dominator[n] = dominator[dominator[n]];
  }
  return dominator;
}

/** Returns the node of least semidominator on the path to the forest's root; compresses the path. */
function bestAbove(
  from: number,
  ancestor: Int32Array,
  semi: Int32Array,
  best: Int32Array,
  path: Int32Array,
): number {
  if (ancestor[from] < 0) return from;
  let length = 0;
  for (let n = from; ancestor[ancestor[n]] >= 0; n = ancestor[n]) path[length++] = n;
  while (length > 0) {
    const n = path[--length];
    const above = ancestor[n];
    if (semi[best[above]] < semi[best[n]]) best[n] = best[above];
    ancestor[n] = ancestor[above];
  }
  return best[from];
}

/** An Upsilon: the index of its block, and its position in the block. */
export interface UpsilonPosition {
  readonly block: number;
  readonly position: number;
}
/** A Phi in a reachable block, and the Upsilons that write it. */
export interface PhiReader extends UpsilonPosition {
  readonly id: number;
  readonly writers: UpsilonPosition[];
}

/** The greatest number of edge visits for the Phis of a procedure that are not obviously written. */
const SEARCH_STEPS_MAX = 1 << 25;
const CHUNK = 32;

/**
 * Returns the ids of the Phis that some path reaches before any Upsilon to them; null if the search exceeds
 * SEARCH_STEPS_MAX.
 */
export function findUnwrittenPhis(
  flow: BlockGraph,
  readers: readonly PhiReader[],
): number[] | null {
  const hard = readers.filter((reader) => !isObviouslyWritten(flow, reader));
  const unwritten: number[] = [];
  if (hard.length === 0) return unwritten;
  const blockCount = flow.first.length;
  // Bit i of a block: in `reached`, Phi i of the chunk may be unwritten at its head; in `writes`, the block writes it.
  const reached = zeroedWords(blockCount);
  const writes = zeroedWords(blockCount);
  let steps = 0;
  for (let from = 0; from < hard.length && steps <= SEARCH_STEPS_MAX; from += CHUNK) {
    const chunk = hard.slice(from, from + CHUNK);
    chunk.forEach((reader, bit) => {
      for (const { block } of reader.writers) writes[block] |= 1 << bit;
    });
    const visited = propagateUnwritten(flow.successors, reached, writes, SEARCH_STEPS_MAX - steps);
    steps += visited.steps;
    chunk.forEach((reader, bit) => {
      for (const { block } of reader.writers) writes[block] = 0;
      if (((reached[reader.block] >>> bit) & 1) !== 0) unwritten.push(reader.id);
    });
    for (let i = 0; i < visited.blocks.length; i++) reached[visited.blocks[i]] = 0;
  }
  return steps > SEARCH_STEPS_MAX ? null : unwritten;
}

// Returns whether an Upsilon is above the Phi in its block, or in each predecessor: the usual forms, as after
// canonicalize-phis. Other Phis need the search. If there are fewer Upsilons than predecessors, the predecessors are
// not visited, so the Upsilons bound the cost.
function isObviouslyWritten(flow: BlockGraph, { block, position, writers }: PhiReader): boolean {
  if (writers.some((writer) => writer.block === block && writer.position < position)) return true;
  const { start, target } = flow.predecessors;
  if (block === 0 || writers.length < start[block + 1] - start[block]) return false;
  const blocks = new Set(writers.map((writer) => writer.block));
  for (let e = start[block]; e < start[block + 1]; e++) {
    if (flow.first[target[e]] !== UNREACHABLE && !blocks.has(target[e])) return false;
  }
  return true;
}

/**
 * Propagates "may be unwritten" from the entry along all paths.
 * @returns the blocks that it reaches, some more than once, and the number of edges that it follows
 */
function propagateUnwritten(
  { start, target }: NeighborLists,
  reached: Int32Array,
  writes: Int32Array,
  stepsMax: number,
): { blocks: number[]; steps: number } {
  const blocks = [0];
  let steps = 0;
  reached[0] = -1;
  for (let i = 0; i < blocks.length && steps <= stepsMax; i++) {
    const block = blocks[i];
    const leaving = reached[block] & ~writes[block];
    for (let e = start[block]; e < start[block + 1]; e++) {
      steps++;
      const successor = target[e];
      const fresh = leaving & ~reached[successor];
      if (fresh === 0) continue;
      reached[successor] |= fresh;
      blocks.push(successor);
    }
  }
  return { blocks, steps };
}
