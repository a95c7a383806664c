// Collects the constants that are placed after the code of a procedure. A short search removes
// duplicates.

import { type CodeBuffer, offsetText } from "./code-buffer.js";

/** The number of recent constants that are searched for an equal one. */
const SEARCH_LENGTH = 32;

interface PooledConstant {
  readonly label: number;
  readonly lo: number;
  readonly hi: number;
  readonly isWide: boolean;
}

export class ConstantPool {
  private readonly constants: PooledConstant[] = [];

  get isEmpty(): boolean {
    return this.constants.length === 0;
  }

  /** Returns the label of the four bytes `lo`, or of eight bytes. */
  labelOf(code: CodeBuffer, lo: number, hi: number, isWide: boolean): number {
    const { constants } = this;
    for (let k = constants.length - 1; k >= 0 && k >= constants.length - SEARCH_LENGTH; k--) {
      const known = constants[k];
      const isEqual = known.lo === lo && (known.hi === hi || !isWide);
      if (isEqual && known.isWide === isWide) return known.label;
    }
    const label = code.newLabel();
    constants.push({ label, lo, hi, isWide });
    return label;
  }

  write(code: CodeBuffer): void {
    for (const { label, lo, hi, isWide } of this.constants) {
      code.bind(label);
      this.word(code, lo);
      if (isWide) this.word(code, hi);
    }
  }

  private word(code: CodeBuffer, word: number): void {
    const offset = offsetText(code.size);
    code.listing?.push(`${offset}  .long 0x${(word >>> 0).toString(16)}`);
    code.word(word);
  }
}
