// Computes the locations of accesses in a loop: sums of values from outside, of one counter of the
// loop (extended and scaled), and of a constant. Two locations of the same form are at a known
// distance.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import { isInLoop, type Loop, type LoopForest } from "../analysis/loops.js";
import { writtenIn } from "../edit/upsilons.js";

/** The maximum numbers of values in a sum, and of nested sums. */
const TERMS_MAX = 4;
const DEPTH_MAX = 6;
const SHIFT_MAX = 3;
/**
 * The maximum initial value of a counter: from here, no counter reaches the limits of 32 bits
 * within the heap.
 */
const START_MAX = 2 ** 29;
const STEP_MAX = 2 ** 20;

export interface AccessLocation {
  /** Values from outside of the loop, in the order of their ids. */
  readonly terms: readonly Value[];
  /** A Phi of the loop's header; null if the location is the same in all iterations. */
  readonly counter: Value | null;
  /** The opcode that extends the counter; Nop for none. */
  readonly extension: Opcode;
  readonly scale: number;
  readonly offset: number;
}

/** True if both are the same sum except for the constant. */
function areOfOneForm(x: AccessLocation, y: AccessLocation): boolean {
  if (x.counter !== y.counter || x.extension !== y.extension || x.scale !== y.scale) return false;
  return x.terms.length === y.terms.length && x.terms.every((term, i) => term === y.terms[i]);
}

export const isSameLocation = (x: AccessLocation, y: AccessLocation): boolean =>
  x.offset === y.offset && areOfOneForm(x, y);

/** True if two accesses of these sizes have no byte in common in one iteration. */
export const areApart = (
  x: AccessLocation,
  sizeOfX: number,
  y: AccessLocation,
  sizeOfY: number,
): boolean =>
  areOfOneForm(x, y) && (x.offset + sizeOfX <= y.offset || y.offset + sizeOfY <= x.offset);

/** A sum under construction. */
interface AddressSum {
  readonly terms: Value[];
  counter: Value | null;
  extension: Opcode;
  scale: number;
  offset: number;
}

export class AccessLocations {
  private readonly loops: LoopForest;
  private readonly loop: Loop;
  private readonly preheader: BasicBlock;

  constructor(loops: LoopForest, loop: Loop, preheader: BasicBlock) {
    this.loops = loops;
    this.loop = loop;
    this.preheader = preheader;
  }

  /** Returns the location of a load or store; null if its address is not such a sum. */
  of(access: Value): AccessLocation | null {
    const sum = { terms: [], counter: null, extension: Op.Nop, scale: 0, offset: access.offset };
    return this.add(sum, access.address, 0) ? finished(sum) : null;
  }

  /** Returns the distance from the location in one iteration to that in the next. */
  growthOf({ counter, scale }: AccessLocation): number {
    return counter === null ? 0 : scale * (this.stepOf(counter) ?? 0);
  }

  /** Returns the location in the first iteration, without a counter. */
  firstOf({ terms, counter, scale, offset }: AccessLocation): AccessLocation | null {
    const start = counter === null ? null : writtenIn(this.preheader, counter);
    if (start === null) return null;
    const sum = { terms: terms.slice(), counter: null, extension: Op.Nop, scale: 0, offset };
    if (start.isConstant) {
      sum.offset += scale * start.constantLow;
      return finished(sum);
    }
    return scale === 1 && this.add(sum, start, 0) ? finished(sum) : null;
  }

  private add(sum: AddressSum, value: Value, depth: number): boolean {
    const { opcode, a, b } = value;
    if (opcode === Op.Const64) {
      sum.offset += value.constantLow;
      return value.constantHigh === value.constantLow >> 31;
    }
    if (opcode === Op.Add && a !== null && b !== null && depth < DEPTH_MAX) {
      return this.add(sum, a, depth + 1) && this.add(sum, b, depth + 1);
    }
    if (value.block === null || !isInLoop(this.loops, this.loop, value.block)) {
      sum.terms.push(value);
      return sum.terms.length <= TERMS_MAX;
    }
    return this.addCounter(sum, value);
  }

  private addCounter(sum: AddressSum, value: Value): boolean {
    const { opcode, a, b } = value;
    const isScaled =
      opcode === Op.Shl &&
      b?.isConstant === true &&
      b.constantLow >= 0 &&
      b.constantLow <= SHIFT_MAX;
    const extended = isScaled ? a : value;
    if (extended === null || sum.counter !== null) return false;
    const isExtension = extended.opcode === Op.ZExt32 || extended.opcode === Op.SExt32;
    const counter = isExtension ? extended.a : extended;
    if (counter === null || !this.counts(counter, isExtension ? extended.opcode : Op.Nop)) {
      return false;
    }
    sum.counter = counter;
    sum.extension = isExtension ? extended.opcode : Op.Nop;
    sum.scale = isScaled ? 2 ** (b?.constantLow ?? 0) : 1;
    return true;
  }

  /**
   * True if the value is a counter whose extension grows by the step while its locations are in the
   * heap.
   */
  private counts(counter: Value, extension: Opcode): boolean {
    const step = this.stepOf(counter);
    const start = step === null ? null : writtenIn(this.preheader, counter);
    if (step === null || start === null) return false;
    const isNear =
      start.isConstant && start.constantHigh === 0 && Math.abs(start.constantLow) <= START_MAX;
    if (extension === Op.Nop) return isNear || !start.isConstant;
    if (!isNear) return false;
    return extension === Op.SExt32 || (step > 0 && start.constantLow >= 0);
  }

  /**
   * Returns the constant that each back edge adds to a Phi of the header; null if there is no small
   * constant.
   */
  private stepOf(phi: Value): number | null {
    const { header, latches } = this.loop;
    if (phi.opcode !== Op.Phi || phi.block !== header) return null;
    if (phi.type !== Int32 && phi.type !== Int64) return null;
    let step: number | null = null;
    for (const latch of latches) {
      const next = writtenIn(latch, phi);
      if (next === null || next.opcode !== Op.Add) return null;
      const { a, b } = next;
      if (a !== phi || b === null || !b.isConstant || Math.abs(b.constantLow) > STEP_MAX)
        return null;
      if (b.type === Int64 && b.constantHigh !== b.constantLow >> 31) return null;
      if (step !== null && step !== b.constantLow) return null;
      step = b.constantLow;
    }
    return step === 0 ? null : step;
  }
}

function finished({ terms, counter, extension, scale, offset }: AddressSum): AccessLocation {
  const sorted = terms.slice().sort((x, y) => x.id - y.id);
  return { terms: sorted, counter, extension, scale, offset };
}
