// Defines the operands and the result of a transfer function. One object serves many values, to
// avoid allocations.

import { Int32 } from "../../../src/ir/types.js";
import { type IntegerWidth, widthOf } from "./bounds.js";

/** The ranges of a value's operands, and the range of its result. */
export class TransferRanges {
  /** The width of the result. */
  width: IntegerWidth = widthOf(Int32);
  /** The width of the first operand. */
  from: IntegerWidth = widthOf(Int32);
  xMin = 0;
  xMax = 0;
  yMin = 0;
  yMax = 0;
  low = 0;
  high = 0;

  /** Sets the result to the whole range of its type. */
  any(): void {
    this.low = this.width.least;
    this.high = this.width.greatest;
  }

  put(low: number, high: number): void {
    this.low = low;
    this.high = high;
  }

  /** Extends the result by a range. */
  join(low: number, high: number): void {
    this.low = Math.min(this.low, low);
    this.high = Math.max(this.high, high);
  }

  /** True if the computed bounds exceed the type: the operation may wrap, or exit. */
  get mayOverflow(): boolean {
    return this.low < this.width.least || this.high > this.width.greatest;
  }
}
