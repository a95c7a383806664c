// Encloses the loops of a procedure in C by statements: `for (;;)`, or `do` and `while` if the last
// block of the loop decides about its repetition. A loop is a range of blocks in their order, from
// the target of a backward jump to its last source. Other jumps stay `goto`.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock } from "../../ir/procedure.js";

interface LoopExtent {
  readonly header: BasicBlock;
  /** The position of the last block. */
  last: number;
}

export class LoopForms {
  private readonly blocks: readonly BasicBlock[];
  /** The loops, by position of the header. */
  private readonly loops = new Map<number, LoopExtent>();

  /** @param blocks in reverse postorder; none for a procedure without such statements */
  constructor(blocks: readonly BasicBlock[]) {
    this.blocks = blocks;
    for (const [source, { successors }] of blocks.entries()) {
      for (const header of successors) {
        const at = blocks.indexOf(header);
        if (at <= source) this.loops.set(at, { header, last: source });
      }
    }
    this.nest();
  }

  /** Extends each loop to the end of the loops that begin inside of it. */
  private nest(): void {
    for (let at = this.blocks.length - 1; at >= 0; at--) {
      const loop = this.loops.get(at);
      for (let inner = at + 1; loop !== undefined && inner <= loop.last; inner++) {
        loop.last = Math.max(loop.last, this.loops.get(inner)?.last ?? 0);
      }
    }
  }

  beginOf(block: BasicBlock): string[] {
    const loop = this.loops.get(this.blocks.indexOf(block));
    if (loop === undefined) return [];
    return [this.repeatedBy(this.blocks[loop.last]) === block ? "do {" : "for (;;) {"];
  }

  /** Returns the closing braces after a block; `repeatedBy` has closed a loop that it returns. */
  endOf(block: BasicBlock): string[] {
    const own = this.repeatedBy(block);
    return this.endingAt(block).flatMap(({ header }) => (header === own ? [] : ["}"]));
  }

  /**
   * Returns the header of the innermost loop that ends at the block, if its branch decides between
   * this header and another block; otherwise null.
   */
  repeatedBy(block: BasicBlock): BasicBlock | null {
    const innermost = this.endingAt(block)[0]?.header ?? null;
    const { last, successors } = block;
    if (innermost === null || last.opcode !== Op.Branch) return null;
    const [taken, missed] = successors;
    return taken !== missed && successors.includes(innermost) ? innermost : null;
  }

  /** Returns the loops that end at the block, the innermost first. */
  private endingAt(block: BasicBlock): LoopExtent[] {
    const at = this.blocks.indexOf(block);
    return [...this.loops]
      .filter(([, { last }]) => last === at && at >= 0)
      .sort(([x], [y]) => y - x)
      .map(([, loop]) => loop);
  }
}
