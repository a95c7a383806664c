// Computes the virtual registers that are live on entry to each block: backward dataflow on bit
// sets, for any control flow graph.
//
// Input: LIR in which each virtual register has one definition that dominates its uses.
//
// Rows of bits are long, and mostly empty. Each row records which of its words are not zero, and
// the range of these words, so that neither walking a row nor clearing it costs its length.

import { assert } from "../../src/support/assert.js";
import {
  type Block,
  FIRST_BLOCK,
  type IndexArray,
  type IndexFlags,
  newColumn,
  newFlags,
  type VirtualRegister,
} from "../lir/indices.js";
import { type Lir, OperandRole, roleOf, vregOf } from "../lir/lir.js";
import { NONE, sized } from "./arenas.js";

export class Liveness {
  // Predecessors of block b: predecessors[predecessorStart[b] .. predecessorStart[b + 1]).
  predecessorStart = new Int32Array(64);
  predecessors: IndexArray<Block> = newColumn(128);

  // Only registers that live across an edge (globals) take part in the dataflow. They are numbered
  // by the block that defines them: those of block b are [globalStart[b], globalStart[b + 1]). So
  // registers that are live together are mostly near each other.
  private globalOf: IndexArray<number, VirtualRegister> = newColumn(128);
  globals: IndexArray<VirtualRegister> = newColumn(128);
  private globalStart = new Int32Array(64);
  private definingBlock: IndexArray<Block, VirtualRegister> = newColumn(128);
  /** Words per row of the bit sets. */
  words = 0;
  /** A row of bits over globals for each block: live on entry, Phis not included. */
  liveIn = new Uint32Array(256);
  /** A row of bits over the words of each row of `liveIn`: 1 for each word that is not zero. */
  marks = new Uint32Array(16);
  /** Words per row of `marks`. */
  markWords = 0;
  /** The number of rows that may contain anything but zeroes. */
  private rowCount = 0;
  /** The words of a block's row that are not zero are in [firstWord, endWord). */
  firstWord: IndexArray<number, Block> = newColumn(64);
  endWord: IndexArray<number, Block> = newColumn(64);
  /** 1 if a successor's row has grown since the block was visited. */
  private isStale: IndexFlags<Block> = newFlags(64);

  compute(lir: Lir): void {
    this.clearRows();
    this.reserve(lir);
    this.collectPredecessors(lir);
    this.findGlobals(lir);
    this.solve(lir);
  }

  private reserve({ vregCount, blockCount }: Lir): void {
    if (this.globalOf.length < vregCount) {
      this.globalOf = sized(this.globalOf, vregCount);
      this.globals = sized(this.globals, vregCount);
      this.definingBlock = sized(this.definingBlock, vregCount);
    }
    this.globalOf.fill(NONE, 0, vregCount);
    // All have the same length, so the length of one decides for all.
    if (this.globalStart.length < blockCount + 2) {
      this.predecessorStart = sized(this.predecessorStart, blockCount + 2);
      this.globalStart = sized(this.globalStart, blockCount + 2);
      this.firstWord = sized(this.firstWord, blockCount + 2);
      this.endWord = sized(this.endWord, blockCount + 2);
      this.isStale = newFlags(this.globalStart.length);
    }
  }

  /**
   * Clears only the words that were written: the size of all rows is quadratic in the procedure.
   */
  private clearRows(): void {
    const { liveIn, words, marks, markWords } = this;
    for (let b = 0; b < this.rowCount; b++) {
      for (let s = 0; s < markWords; s++) {
        let marked = marks[b * markWords + s];
        marks[b * markWords + s] = 0;
        for (; marked !== 0; marked &= marked - 1) {
          liveIn[b * words + 32 * s + 31 - Math.clz32(marked & -marked)] = 0;
        }
      }
    }
    this.rowCount = 0;
  }

  private collectPredecessors(lir: Lir): void {
    const { blockCount, successors, successorStart } = lir;
    const edgeCount = successorStart[blockCount];
    if (this.predecessors.length < edgeCount) {
      this.predecessors = sized(this.predecessors, edgeCount);
    }
    const start = this.predecessorStart;
    start.fill(0, 0, blockCount + 2);
    for (let e = 0; e < edgeCount; e++) start[successors[e] + 1]++;
    for (let b = 0; b < blockCount; b++) start[b + 1] += start[b];
    for (let b = lir.lastBlock; b >= 0; b--) {
      for (let e = successorStart[b + 1] - 1; e >= successorStart[b]; e--) {
        // each start moves down to its final value, one index ahead
        this.predecessors[--start[successors[e] + 1]] = b;
      }
    }
    start.copyWithin(0, 1, blockCount + 1);
    start[blockCount] = edgeCount;
  }

  private findGlobals(lir: Lir): void {
    const { blockCount, blockStart, operandStart, operand, phis, phiStart, vregRoot } = lir;
    const definingBlock = this.definingBlock;
    definingBlock.fill(NONE, 0, lir.vregCount);
    for (let b = FIRST_BLOCK; b < blockCount; b++) {
      for (let k = phiStart[b]; k < phiStart[b + 1]; k++) definingBlock[phis[k]] = b;
      const end = operandStart[blockStart[b + 1]];
      for (let o = operandStart[blockStart[b]]; o < end; o++) {
        if (roleOf(operand[o]) >= OperandRole.Definition) definingBlock[vregOf(operand[o])] = b;
      }
    }
    this.globalStart.fill(0, 0, blockCount + 1);
    for (let b = FIRST_BLOCK; b < blockCount; b++) {
      const end = operandStart[blockStart[b + 1]];
      for (let o = operandStart[blockStart[b]]; o < end; o++) {
        const vreg = vregRoot[vregOf(operand[o])];
        if (definingBlock[vreg] !== b) this.markGlobal(vreg);
      }
      for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
        const input = vregRoot[lir.phiInputs[k]];
        if (definingBlock[input] !== b) this.markGlobal(input);
      }
    }
    this.numberGlobals(lir);
  }

  private markGlobal(vreg: VirtualRegister): void {
    const block = this.definingBlock[vreg];
    assert(block !== NONE, () => `v${vreg} is used, but defined nowhere`);
    if (this.globalOf[vreg] !== NONE) return;
    this.globalOf[vreg] = 0;
    this.globalStart[block + 1]++;
  }

  private numberGlobals({ blockCount, lastVreg }: Lir): void {
    const { globalStart, globalOf, globals, definingBlock } = this;
    for (let b = 0; b < blockCount; b++) globalStart[b + 1] += globalStart[b];
    const count = globalStart[blockCount];
    this.words = (count + 31) >>> 5;
    for (let v = lastVreg; v >= 0; v--) {
      if (globalOf[v] === NONE) continue;
      // each start moves down to its final value, one index ahead
      const g = --globalStart[definingBlock[v] + 1];
      globalOf[v] = g;
      globals[g] = v;
    }
    globalStart.copyWithin(0, 1, blockCount + 1);
    globalStart[blockCount] = count;
  }

  // liveIn(b) = used(b) + (liveIn of successors - defined(b)). A use outside the defining block is
  // always upward exposed at the block's start, as definitions dominate uses.
  private solve(lir: Lir): void {
    const { blockCount, blockStart, operandStart, operand, vregRoot } = lir;
    const { words, globalOf } = this;
    if (this.liveIn.length < words * blockCount) {
      this.liveIn = new Uint32Array(2 * words * blockCount);
    }
    this.markWords = (words + 31) >>> 5;
    if (this.marks.length < this.markWords * blockCount) {
      this.marks = new Uint32Array(2 * this.markWords * blockCount);
    }
    this.firstWord.fill(words, 0, blockCount);
    this.endWord.fill(0, 0, blockCount);
    this.isStale.fill(1, 0, blockCount);
    this.rowCount = blockCount;
    if (words === 0) return;
    for (let b = FIRST_BLOCK; b < blockCount; b++) {
      const end = operandStart[blockStart[b + 1]];
      for (let o = operandStart[blockStart[b]]; o < end; o++) {
        const g = globalOf[vregRoot[vregOf(operand[o])]];
        if (g !== NONE) this.expose(b, g);
      }
      for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
        const g = globalOf[vregRoot[lir.phiInputs[k]]];
        if (g !== NONE) this.expose(b, g);
      }
    }
    while (this.propagate(lir)) {} // ends: bits are only added
  }

  /** Makes the global live on entry to b, unless b defines it. */
  private expose(b: Block, g: number): void {
    if (g >= this.globalStart[b] && g < this.globalStart[b + 1]) return;
    const word = g >> 5;
    this.liveIn[b * this.words + word] |= 1 << g;
    this.mark(b, word);
  }

  /** Runs one round in backward order; returns true if another round may add bits. */
  private propagate(lir: Lir): boolean {
    const { isStale, predecessorStart, predecessors } = this;
    let again = false;
    for (let b = lir.lastBlock; b >= 0; b--) {
      if (isStale[b] === 0) continue;
      isStale[b] = 0;
      let changed = false;
      for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
        if (this.addLiveIn(b, lir.successors[e])) changed = true;
      }
      if (!changed) continue;
      for (let k = predecessorStart[b]; k < predecessorStart[b + 1]; k++) {
        isStale[predecessors[k]] = 1;
        if (predecessors[k] >= b) again = true;
      }
    }
    return again;
  }

  /**
   * Adds the live-in set of `successor` to that of b, without the globals that b defines. Returns
   * true if the set of b grows.
   */
  private addLiveIn(b: Block, successor: Block): boolean {
    const { liveIn, words, globalStart } = this;
    const [from, to] = [successor * words, b * words];
    const [firstDefined, endDefined] = [globalStart[b], globalStart[b + 1]];
    const [first, end] = [this.firstWord[successor], this.endWord[successor]];
    let isNews = false;
    for (let s = first >>> 5; 32 * s < end; s++) {
      let marks = this.marks[successor * this.markWords + s];
      for (; marks !== 0; marks &= marks - 1) {
        const w = 32 * s + 31 - Math.clz32(marks & -marks);
        let bits = liveIn[from + w] & ~liveIn[to + w];
        const base = 32 * w;
        if (base < endDefined && base + 32 > firstDefined) {
          bits &= ~bitsBetween(firstDefined - base, endDefined - base);
        }
        if (bits === 0) continue;
        liveIn[to + w] |= bits;
        this.mark(b, w);
        isNews = true;
      }
    }
    return isNews;
  }

  /** Marks word w of the block's row as not zero. */
  private mark(b: Block, w: number): void {
    this.marks[b * this.markWords + (w >>> 5)] |= 1 << w;
    if (w < this.firstWord[b]) this.firstWord[b] = w;
    if (w >= this.endWord[b]) this.endWord[b] = w + 1;
  }
}

/** Returns the bits [first, end) of a word; either bound may be outside of it. */
function bitsBetween(first: number, end: number): number {
  const below = first <= 0 ? 0 : (1 << first) - 1;
  return (end >= 32 ? -1 : (1 << end) - 1) & ~below;
}
