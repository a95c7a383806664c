// A binary heap of pieces or slots by position. Among equal keys the smaller value comes first, so
// that the order never depends on history.

import { type IndexArray, newColumn } from "../lir/indices.js";
import { widen } from "./arenas.js";

export class PositionHeap<Value extends number> {
  private keys = new Int32Array(128);
  private values: IndexArray<Value> = newColumn(128);
  count = 0;

  /** Returns the key of the first entry. The heap must not be empty. */
  firstKey(): number {
    return this.keys[0];
  }

  push(key: number, value: Value): void {
    if (this.count === this.keys.length) {
      this.keys = widen(this.keys);
      this.values = widen(this.values);
    }
    const { keys, values } = this;
    let at = this.count++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] < key || (keys[parent] === key && values[parent] <= value)) break;
      keys[at] = keys[parent];
      values[at] = values[parent];
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Removes the first entry and returns its value. The heap must not be empty. */
  pop(): Value {
    const { keys, values } = this;
    const first = values[0];
    const count = --this.count;
    const key = keys[count];
    const value = values[count];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      const right = child + 1;
      if (
        right < count &&
        (keys[right] < keys[child] ||
          (keys[right] === keys[child] && values[right] < values[child]))
      ) {
        child = right;
      }
      if (key < keys[child] || (key === keys[child] && value <= values[child])) break;
      keys[at] = keys[child];
      values[at] = values[child];
      at = child;
    }
    keys[at] = key;
    values[at] = value;
    return first;
  }
}
