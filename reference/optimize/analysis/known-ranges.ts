// Tracks the facts about integers at one position: the range of each, and the order of pairs. A
// branch or a guard narrows them (`assume`, `limit`), and `leave` undoes that.
//
// Each method that narrows returns false if no value satisfies the facts. The position is then
// unreachable.

import { Op } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import { isInteger } from "../../../src/ir/types.js";
import { above, below, widthOf } from "./bounds.js";
import {
  ANY_ORDER,
  casesOf,
  casesOfRanges,
  exchanged,
  SAME,
  SIGNED_GREATER,
  SIGNED_LESS,
  UNSIGNED_LESS,
} from "./relations.js";

/** The number of facts that are searched for a pair, newest first. */
const FACTS_SEARCHED = 16;
/** The maximum depth of conditions within conditions. */
const IMPLIED_DEPTH_MAX = 6;

export class KnownRanges {
  /** The least known value of each integer, by id; `max` has the greatest. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  // The ranges before each narrowing, newest last. The lists keep their length when the counts
  // decrease, because shortening them would cause new allocations.
  private readonly trail: number[] = [];
  private readonly trailMin: number[] = [];
  private readonly trailMax: number[] = [];
  private trailCount = 0;
  private readonly facts: number[] = []; // triples: two ids and their cases
  private factsEnd = 0;
  private readonly marks: number[] = [];

  constructor(min: Float64Array, max: Float64Array) {
    this.min = min;
    this.max = max;
  }

  /** Starts a scope: `leave` undoes all later narrowing. */
  enter(): void {
    this.marks.push(this.trailCount, this.factsEnd);
  }

  /** Returns the cases in which the two integers may be at the current position. */
  relation(x: Value, y: Value): number {
    if (x === y) return SAME;
    const { min, max, facts, factsEnd } = this;
    let cases = casesOfRanges(min[x.id], max[x.id], min[y.id], max[y.id]);
    const last = Math.max(0, factsEnd - 3 * FACTS_SEARCHED);
    for (let f = factsEnd - 3; f >= last; f -= 3) {
      if (facts[f] === x.id && facts[f + 1] === y.id) cases &= facts[f + 2];
      else if (facts[f] === y.id && facts[f + 1] === x.id) cases &= exchanged(facts[f + 2]);
    }
    return cases;
  }

  /** Undoes all narrowing since the last `enter`. */
  leave(): void {
    this.factsEnd = this.marks.pop() ?? 0;
    const mark = this.marks.pop() ?? 0;
    for (let t = this.trailCount - 1; t >= mark; t--) {
      this.min[this.trail[t]] = this.trailMin[t];
      this.max[this.trail[t]] = this.trailMax[t];
    }
    this.trailCount = mark;
  }

  /** Records that the condition is not zero (`isTrue`) or zero in this scope. */
  assume(condition: Value, isTrue: boolean, depth: number): boolean {
    const { min, max } = this;
    const { id } = condition;
    if (!isTrue) return this.limit(condition, 0, 0, depth);
    const low = min[id] === 0 ? 1 : min[id];
    const high = max[id] === 0 ? -1 : max[id];
    const wasOpen = min[id] <= 0 && max[id] >= 0;
    if (!this.limit(condition, low, high, depth)) return false;
    // The condition is known to be nonzero now. If its range cannot express that, narrow its
    // operands; if it was known before, nothing new follows.
    return !wasOpen || (min[id] <= 0 && max[id] >= 0 ? this.imply(condition, true, depth) : true);
  }

  /** Records that the value is in the range in this scope. */
  limit(value: Value, low: number, high: number, depth: number): boolean {
    const { min, max } = this;
    const { id, opcode, a } = value;
    const oldLow = min[id];
    const oldHigh = max[id];
    if (low <= oldLow && high >= oldHigh) return true;
    const t = this.trailCount++;
    this.trail[t] = id;
    this.trailMin[t] = oldLow;
    this.trailMax[t] = oldHigh;
    min[id] = Math.max(low, oldLow);
    max[id] = Math.min(high, oldHigh);
    if (min[id] > max[id]) return false;
    if (depth > IMPLIED_DEPTH_MAX) return true;
    if (a !== null && (opcode === Op.SExt32 || (opcode === Op.ZExt32 && max[id] < 2 ** 31))) {
      // A value below 2^31 is unchanged by the extension.
      if (!this.limit(a, min[id], max[id], depth + 1)) return false;
    }
    if (oldLow > 0 || oldHigh < 0) return true;
    if (min[id] === 0 && max[id] === 0) return this.imply(value, false, depth + 1);
    return min[id] > 0 || max[id] < 0 ? this.imply(value, true, depth + 1) : true;
  }

  // Records the facts that a zero or non-zero condition implies.
  private imply({ opcode, a, b }: Value, isTrue: boolean, depth: number): boolean {
    if (a === null || depth > IMPLIED_DEPTH_MAX || !isInteger(a.type)) return true;
    const cases = casesOf(opcode);
    if (cases !== 0 && b !== null) {
      return this.relate(a, b, isTrue ? cases : ANY_ORDER & ~cases, depth);
    }
    if (opcode === Op.ZExt32 || opcode === Op.SExt32) return this.assume(a, isTrue, depth + 1);
    const isBoth = (opcode === Op.BitAnd && isTrue) || (opcode === Op.BitOr && !isTrue);
    if (!isBoth || b === null) return true;
    return this.assume(a, isTrue, depth + 1) && this.assume(b, isTrue, depth + 1);
  }

  // Records that the two integers are in one of the cases in this scope.
  private relate(x: Value, y: Value, cases: number, depth: number): boolean {
    const f = this.factsEnd;
    this.facts[f] = x.id;
    this.facts[f + 1] = y.id;
    this.facts[f + 2] = cases;
    this.factsEnd = f + 3;
    const known = this.relation(x, y);
    if (known === 0) return false;
    if (!this.order(x, y, known, depth) || !this.order(y, x, exchanged(known), depth)) return false;
    if (known !== SAME) return true;
    const { min, max } = this;
    return (
      this.limit(x, min[y.id], max[y.id], depth + 1) &&
      this.limit(y, min[x.id], max[x.id], depth + 1)
    );
  }

  // Limits the range of x by the cases.
  private order(x: Value, y: Value, cases: number, depth: number): boolean {
    const { min, max } = this;
    const width = widthOf(x.type);
    let low = width.least;
    let high = width.greatest;
    if (isWithin(cases, SIGNED_LESS)) high = below(width, max[y.id]);
    else if (isWithin(cases, SIGNED_LESS | SAME)) high = max[y.id];
    if (isWithin(cases, SIGNED_GREATER)) low = above(width, min[y.id]);
    else if (isWithin(cases, SIGNED_GREATER | SAME)) low = min[y.id];
    if (min[y.id] >= 0 && isWithin(cases, UNSIGNED_LESS | SAME)) {
      low = Math.max(low, 0);
      const isStrict = isWithin(cases, UNSIGNED_LESS);
      high = Math.min(high, isStrict ? below(width, max[y.id]) : max[y.id]);
    }
    if ((cases & SAME) === 0 && min[y.id] === max[y.id]) {
      if (min[x.id] === min[y.id]) low = Math.max(low, above(width, min[x.id]));
      if (max[x.id] === max[y.id]) high = Math.min(high, below(width, max[x.id]));
    }
    return this.limit(x, low, high, depth + 1);
  }
}

const isWithin = (cases: number, set: number): boolean => (cases & ~set) === 0;
