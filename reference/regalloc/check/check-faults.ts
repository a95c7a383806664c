// Collects the faults of an allocation, as text, by block. If a block is walked again, its faults
// are replaced.

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

export class CheckerFaults {
  private readonly texts: string[] = [];
  private readonly blockOf: number[] = [];
  private block = NONE;

  /** Removes all faults; faults that follow belong to no block. */
  reset(): void {
    this.texts.length = 0;
    this.blockOf.length = 0;
    this.block = NONE;
  }

  /** Assigns the faults that follow to block `b`, and removes earlier faults of that block. */
  beginBlock(b: number): void {
    const { texts, blockOf } = this;
    let kept = 0;
    for (let k = 0; k < texts.length; k++) {
      if (blockOf[k] === b) continue;
      texts[kept] = texts[k];
      blockOf[kept++] = blockOf[k];
    }
    texts.length = kept;
    blockOf.length = kept;
    this.block = b;
  }

  add(text: string): void {
    this.texts.push(text);
    this.blockOf.push(this.block);
  }

  /**
   * Adds a fault of operand `o` of instruction `i`; `o` is an index into all operands of the LIR.
   */
  addOperand(lir: Lir, i: number, o: number, expected: string, found: string): void {
    const vreg = vregOf(lir.operand[o]);
    const role = ROLE_NAMES[roleOf(lir.operand[o])];
    const operand = o - lir.operandStart[i];
    this.add(
      `instruction ${i}, operand ${operand} (${role} of v${vreg}): ` +
        `expected ${expected}, found ${found}`,
    );
  }

  all(): string[] {
    return this.texts.slice();
  }
}
const ROLE_NAMES = ["use", "late use", "definition", "temp"];

/** Returns the name of a location in messages. */
export function nameOf(location: number): string {
  if (location < 0) return "nowhere";
  if (isRemat(location)) return `the result of instruction ${location - REMAT}`;
  if (isSlot(location)) return `slot ${location - SLOT}`;
  return isVector(location) ? `vector ${location - VECTOR}` : `general ${location}`;
}
