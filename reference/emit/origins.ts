// Records the origin map of an image: for every byte of code the part of a procedure that it was
// written for, in the order of the code. A LIR instruction has the value that it comes from, and
// its operands have the values' locations (`Lir.origin`, `Lir.vregValue`, `Lir.location`). So an
// offset leads to values and their locations. Parts are labels while code is written, since
// branches that become long move the code after them.
//
// The map is recorded on request only.

import type { CodeBuffer } from "./code-buffer.js";

export const CodePart = {
  Prologue: 0,
  /** One single move in the gap before instruction `index`: the `step`-th that is written in it. */
  Move: 1,
  /** Instruction `index` of the procedure. */
  Instruction: 2,
  /** Jump tables and constants after the code, and padding of lines. */
  Data: 3,
  /** The stub of exit `index` of the image. */
  Stub: 4,
  /** The code that all stubs share. */
  CommonStub: 5,
} as const;
export type CodePart = (typeof CodePart)[keyof typeof CodePart];

/** The procedure of stubs, which belong to no procedure of the module. */
export const NO_PROCEDURE = -1;

const CELLS = 5; // part, procedure, index, step, label and then offset

export class CodeOrigins {
  count = 0;
  /** Bytes of the image. */
  size = 0;
  private cells = new Int32Array(CELLS * 64);

  reset(): void {
    this.count = 0;
    this.size = 0;
  }

  /**
   * Assigns the code from here on to that part.
   *
   * @param procedure its index in the module
   */
  mark(code: CodeBuffer, part: CodePart, procedure: number, index: number, step: number): void {
    const at = CELLS * this.count++;
    if (at === this.cells.length) {
      const larger = new Int32Array(2 * this.cells.length);
      larger.set(this.cells);
      this.cells = larger;
    }
    const label = code.newLabel();
    code.bind(label);
    this.cells[at] = part;
    this.cells[at + 1] = procedure;
    this.cells[at + 2] = index;
    this.cells[at + 3] = step;
    this.cells[at + 4] = label;
  }

  /** Replaces labels by offsets, after the code is resolved. */
  resolve(code: CodeBuffer): void {
    const { cells, count } = this;
    for (let at = 4; at < CELLS * count; at += CELLS) cells[at] = code.offsetOf(cells[at]);
    this.size = code.size;
  }

  partOf(k: number): CodePart {
    return this.cells[CELLS * k] as CodePart; // `mark` writes no other values there
  }

  procedureOf(k: number): number {
    return this.cells[CELLS * k + 1];
  }

  indexOf(k: number): number {
    return this.cells[CELLS * k + 2];
  }

  stepOf(k: number): number {
    return this.cells[CELLS * k + 3];
  }

  /**
   * Returns the offset in bytes from the start of the image. Parts are half-open, and empty if no
   * code was needed.
   */
  startOf(k: number): number {
    return this.cells[CELLS * k + 4];
  }

  endOf(k: number): number {
    return k + 1 < this.count ? this.startOf(k + 1) : this.size;
  }
}
