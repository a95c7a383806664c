// Tracks the contents of the flags while code is written: the comparison, and its registers, whose
// result they contain. So the same comparison need not be written again: several Selects by one
// condition compare once.
//
// A row that writes flags clears this state, unless its table marks that it preserves them
// (EmittedRow.keepsFlags). A write to a register that was compared clears it, too. A block with one
// predecessor starts with the state at the end of that predecessor: jumps and moves write no flags.

import { type Lir, NOWHERE, OperandRole, roleOf, VECTOR } from "../lir/lir.js";

const NONE = -1;
/** Words of a state: the comparison, its registers, its immediate. */
const SIZE = 4;

export class FlagsTracker {
  private comparison = NONE;
  private x: number = NOWHERE;
  private y: number = NOWHERE;
  private immediate = 0;
  /** By block: the state at its end. */
  private ends = new Int32Array(64 * SIZE);
  /** By block: its predecessor; NONE if it has several, or none. */
  private predecessors = new Int32Array(64);
  private isUsed = false;

  /**
   * Starts a procedure.
   *
   * @param isUsed whether comparisons may be omitted
   */
  begin(lir: Lir, isUsed: boolean): void {
    this.isUsed = isUsed;
    this.clear();
    if (!isUsed) return;
    const { blockCount, successors, successorStart } = lir;
    if (this.predecessors.length < blockCount) {
      this.predecessors = new Int32Array(2 * blockCount);
      this.ends = new Int32Array(2 * blockCount * SIZE);
    }
    for (let b = 0; b < blockCount; b++) {
      this.predecessors[b] = NONE;
      this.ends[b * SIZE] = NONE;
    }
    const seen = this.ends;
    for (let b = 0; b < blockCount; b++) {
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        const to = successors[e];
        // Until a block is written, the entry for its end is free to serve as a counter.
        this.predecessors[to] = seen[to * SIZE]++ === NONE ? b : NONE;
      }
    }
    for (let b = 0; b < blockCount; b++) seen[b * SIZE] = NONE;
  }

  clear(): void {
    this.comparison = NONE;
  }

  /**
   * Returns whether the flags contain the result of that comparison; afterwards they do.
   *
   * @param comparison number of its kind
   * @param y NOWHERE if it has one register
   */
  containResult(comparison: number, x: number, y: number, immediate: number): boolean {
    if (!this.isUsed || x >= VECTOR || y >= VECTOR) {
      this.clear();
      return false;
    }
    if (this.comparison === comparison && this.x === x && this.y === y) {
      if (this.immediate === immediate) return true;
    }
    this.comparison = comparison;
    this.x = x;
    this.y = y;
    this.immediate = immediate;
    return false;
  }

  /** Records that the location has another content now. */
  wrote(location: number): void {
    if (location === this.x || location === this.y) this.clear();
  }

  /** Records the definitions of the instruction, and the locations that it destroys. */
  wroteDefinitions({ operand, operandStart, location }: Lir, i: number): void {
    for (let o = operandStart[i]; o < operandStart[i + 1]; o++) {
      const role = roleOf(operand[o]);
      if (role === OperandRole.Definition || role === OperandRole.Temp) this.wrote(location[o]);
    }
  }

  beginBlock(b: number): void {
    this.clear();
    const p = this.isUsed && b > 0 ? this.predecessors[b] : NONE;
    if (p === NONE) return;
    const { ends } = this;
    const at = p * SIZE;
    this.comparison = ends[at];
    this.x = ends[at + 1];
    this.y = ends[at + 2];
    this.immediate = ends[at + 3];
  }

  endBlock(b: number): void {
    if (!this.isUsed) return;
    const { ends } = this;
    const at = b * SIZE;
    ends[at] = this.comparison;
    ends[at + 1] = this.x;
    ends[at + 2] = this.y;
    ends[at + 3] = this.immediate;
  }
}
