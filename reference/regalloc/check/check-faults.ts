// Faults of an allocation, as text, by block: a block that is walked again is judged again.

import {
  isRemat,
  isSlot,
  isVector,
  type Lir,
  REMAT,
  roleOf,
  SLOT,
  VECTOR,
  vregOf,
} from "../../lir/lir.js";

const NONE = -1;

export class CheckFaults {
  private readonly texts: string[] = [];
  private readonly blockOf: number[] = [];
  /** By fault: the operand that is not where it is read; NONE of other faults. */
  private readonly lackedBy: number[] = [];
  private block = NONE;

  /** Forgets everything; what follows is of no block. */
  reset(): void {
    this.texts.length = 0;
    this.blockOf.length = 0;
    this.lackedBy.length = 0;
    this.block = NONE;
  }

  /** What follows is of block `b`, and what was found there before is not true any more. */
  beginBlock(b: number): void {
    const { texts, blockOf, lackedBy } = this;
    let kept = 0;
    for (let k = 0; k < texts.length; k++) {
      if (blockOf[k] === b) continue;
      texts[kept] = texts[k];
      lackedBy[kept] = lackedBy[k];
      blockOf[kept++] = blockOf[k];
    }
    texts.length = kept;
    blockOf.length = kept;
    lackedBy.length = kept;
    this.block = b;
  }

  add(text: string): void {
    this.texts.push(text);
    this.blockOf.push(this.block);
    this.lackedBy.push(NONE);
  }

  /** A fault of operand `o`, an index of the whole LIR, which is one of instruction `i`. */
  addOperand(lir: Lir, i: number, o: number, expected: string, found: string): void {
    const vreg = vregOf(lir.operand[o]);
    const role = ROLE_NAMES[roleOf(lir.operand[o])];
    const operand = o - lir.operandStart[i];
    this.add(
      `instruction ${i}, operand ${operand} (${role} of v${vreg}): ` +
        `expected ${expected}, found ${found}`,
    );
  }

  /** A fault of operand `o`, which reads what is not there. */
  addLack(lir: Lir, i: number, o: number, expected: string, found: string): void {
    this.addOperand(lir, i, o, expected, found);
    this.lackedBy[this.lackedBy.length - 1] = o;
  }

  all(): string[] {
    return this.texts.slice();
  }

  /** Operands, as indexes of the whole LIR, that read what is not there. */
  lacking(): number[] {
    return this.lackedBy.filter((o) => o !== NONE);
  }
}
const ROLE_NAMES = ["use", "late use", "definition", "temp"];

/** A location in words. */
export function nameOf(location: number): string {
  if (location < 0) return "nowhere";
  if (isRemat(location)) return `what instruction ${location - REMAT} makes`;
  if (isSlot(location)) return `slot ${location - SLOT}`;
  return isVector(location) ? `vector ${location - VECTOR}` : `general ${location}`;
}
