// Computes the dominators of the blocks of LIR, after Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm" (2001). Blocks may be in any layout. Every block dominates an unreachable
// block.

import { zeroedBytes, zeroedWords } from "../../src/support/program-arrays.js";
import type { Lir } from "./lir.js";

const UNREACHED = -1;

export class LirDominators {
  /** By block: the number of its predecessors. */
  readonly predecessorCount: Int32Array;
  /** By block: its index in reverse postorder, or UNREACHED. */
  private readonly place: Int32Array;
  /** By block: its immediate dominator; itself for block 0. */
  private readonly immediateDominator: Int32Array;

  constructor(lir: Lir) {
    const { blockCount } = lir;
    this.predecessorCount = zeroedWords(blockCount);
    this.place = zeroedWords(blockCount).fill(UNREACHED);
    this.immediateDominator = zeroedWords(blockCount).fill(UNREACHED);
    for (let e = 0; e < lir.successorStart[blockCount]; e++) {
      this.predecessorCount[lir.successors[e]]++;
    }
    const order = this.number(lir);
    this.immediateDominator[0] = 0;
    for (let changed = true; changed; ) {
      changed = false;
      for (let k = 0; k < order.length; k++) if (this.lift(lir, order[k])) changed = true;
    }
  }

  /** Returns whether every path to `b` passes `a`. */
  dominates(a: number, b: number): boolean {
    if (this.place[b] === UNREACHED) return true;
    let at = b;
    while (this.place[at] > this.place[a] && at !== 0) at = this.immediateDominator[at];
    return at === a;
  }

  /** Returns a reverse postorder, and fills `place`. */
  private number({ blockCount, successorStart, successors }: Lir): Int32Array {
    const next = successorStart.slice(0, blockCount + 1);
    const stack = zeroedWords(blockCount + 1);
    const order = zeroedWords(blockCount);
    let [depth, first] = [1, blockCount];
    const seen = zeroedBytes(blockCount);
    seen[0] = 1;
    while (depth > 0) {
      const b = stack[depth - 1];
      if (next[b] === successorStart[b + 1]) {
        order[--first] = b;
        depth--;
        continue;
      }
      const to = successors[next[b]++];
      if (seen[to] === 1) continue;
      seen[to] = 1;
      stack[depth++] = to;
    }
    const reached = order.subarray(first);
    for (let k = 0; k < reached.length; k++) this.place[reached[k]] = k;
    return reached;
  }

  /**
   * Moves the dominators of b's successors up to the nearest one in common with b; returns true if
   * one has changed.
   */
  private lift({ successorStart, successors }: Lir, b: number): boolean {
    let changed = false;
    for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
      const to = successors[e];
      if (to === 0) continue;
      const known = this.immediateDominator[to];
      const common = known === UNREACHED ? b : this.common(known, b);
      if (common === known) continue;
      this.immediateDominator[to] = common;
      changed = true;
    }
    return changed;
  }

  private common(x: number, y: number): number {
    let [a, b] = [x, y];
    while (a !== b) {
      while (this.place[a] > this.place[b]) a = this.immediateDominator[a];
      while (this.place[b] > this.place[a]) b = this.immediateDominator[b];
    }
    return a;
  }
}
