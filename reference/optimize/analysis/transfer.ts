// What a transfer function reads and writes: one object for many values, so that none is allocated.

import { Int32 } from "../../../src/ir/types.js";
import { type Width, widthOf } from "./bounds.js";

/** The ranges of a value's operands, and the range of its result as far as it is computed. */
export class Transfer {
  /** Of the result. */
  width: Width = widthOf(Int32);
  /** Of the first operand. */
  from: Width = widthOf(Int32);
  xMin = 0;
  xMax = 0;
  yMin = 0;
  yMax = 0;
  low = 0;
  high = 0;

  /** The result may be any of its type. */
  any(): void {
    this.low = this.width.least;
    this.high = this.width.greatest;
  }

  put(low: number, high: number): void {
    this.low = low;
    this.high = high;
  }

  /** The result may be in this range as well. */
  join(low: number, high: number): void {
    this.low = Math.min(this.low, low);
    this.high = Math.max(this.high, high);
  }

  /** True if the bounds just computed leave the type: the operation may wrap, or exit. */
  get mayOverflow(): boolean {
    return this.low < this.width.least || this.high > this.width.greatest;
  }
}
