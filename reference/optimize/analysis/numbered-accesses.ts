// Accesses of a procedure by number, for phases whose dataflow has a bit for each.
//
// An access is compared one by one with those whose numbers are near its own place (NEAR). Of the
// others only their space (the heap, or a slot) is looked at, for all of it at once: so the work
// for one access does not grow with the procedure, and neither does a row beyond ACCESSES_MAX.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { CALLS, EFFECTS, EXITS, READS_MEMORY, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";
import { LIMITS } from "../edit/limits.js";
import type { Aliases } from "./alias.js";
import { clearBit, setBit, wordsFor } from "./bit-rows.js";

const NEAR = LIMITS["near accesses"];
/** Later accesses have no number. */
const ACCESSES_MAX = 4096;
/** Spaces with more accesses than this have a row of their own. */
const MEMBERS_MAX = 64;

export class NumberedAccesses {
  /** In the order of blocks, which have been told to their values. */
  readonly all: Value[] = [];
  /** Words of a row with a bit for each. */
  readonly words: number;
  /** Numbers near the last place that was given to `lookFrom`: from here to before `to`. */
  from = 0;
  to = 0;
  /** By id of an access: its number plus 1; 0 for none. */
  private readonly numbers: Int32Array;
  /** By id of a value with effects: how many accesses come before it. */
  private readonly places: Int32Array;
  /** By space: how many it has, and the last of them plus 1; `older` goes on. */
  private readonly sizes: Int32Array;
  private readonly newest: Int32Array;
  private readonly older: Int32Array;
  /** By large space: its row; null until one is asked for. */
  private rows: Map<number, Int32Array> | null = null;
  private readonly scratch: Int32Array;

  /** @param effects those of the accesses that get a number */
  constructor(
    proc: Procedure,
    { order }: ControlFlow,
    aliases: Aliases,
    context: OptimizeContext,
    effects: number,
  ) {
    const spaces = proc.slots.length + 1;
    this.numbers = context.table(proc.valueIdEnd);
    this.places = context.table(proc.valueIdEnd);
    this.sizes = context.table(spaces);
    this.newest = context.table(spaces);
    this.older = context.table(ACCESSES_MAX + 1);
    for (let b = 0; b < order.length; b++) {
      const { values } = order[b];
      for (let i = 0; i < values.length; i++) {
        values[i].block = order[b];
        this.number(values[i], aliases, effects);
      }
    }
    this.words = wordsFor(this.all.length);
    this.scratch = context.table(this.words);
  }

  /** True if some are not compared one by one. */
  get isLimited(): boolean {
    return this.all.length > NEAR;
  }

  /** The number of an access; -1 if it has none. */
  numberOf({ id }: Value): number {
    return this.numbers[id] - 1;
  }

  private number(value: Value, aliases: Aliases, wanted: number): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & (READS_MEMORY | WRITES_MEMORY | EXITS | CALLS)) === 0) return;
    this.places[value.id] = this.all.length;
    if ((effects & wanted) === 0 || this.all.length === ACCESSES_MAX) return;
    const space = aliases.space[value.id];
    this.all.push(value);
    this.numbers[value.id] = this.all.length;
    this.sizes[space]++;
    this.older[this.all.length] = this.newest[space];
    this.newest[space] = this.all.length;
  }

  /** Sets `from` and `to` to what is near an access, a guard or a call. */
  lookFrom({ id }: Value): void {
    this.from = Math.max(0, this.places[id] - NEAR);
    this.to = Math.min(this.all.length, this.places[id] + NEAR);
  }

  /** The accesses of a space that are not near, as a row to be read at once; null if all are near. */
  beyond(space: number): Int32Array | null {
    const { from, to, words, scratch } = this;
    if (from === 0 && to === this.all.length) return null;
    this.copyRow(space);
    const [first, last] = [from >>> 5, (to - 1) >>> 5];
    for (let w = first; w <= last && w < words; w++) {
      const low = w === first ? -1 << (from & 31) : -1;
      const high = w === last && (to & 31) !== 0 ? ~(-1 << (to & 31)) : -1;
      scratch[w] &= ~(low & high);
    }
    return scratch;
  }

  /** Clears all of a space in a row. */
  clearSpace(rows: Int32Array, start: number, space: number): void {
    if (this.sizes[space] <= MEMBERS_MAX) {
      for (let n = this.newest[space]; n !== 0; n = this.older[n]) clearBit(rows, start, n - 1);
      return;
    }
    const row = this.rowOf(space);
    for (let w = 0; w < this.words; w++) rows[start + w] &= ~row[w];
  }

  /** Sets all of a space in a row. */
  setSpace(rows: Int32Array, start: number, space: number): void {
    if (this.sizes[space] <= MEMBERS_MAX) {
      for (let n = this.newest[space]; n !== 0; n = this.older[n]) setBit(rows, start, n - 1);
      return;
    }
    const row = this.rowOf(space);
    for (let w = 0; w < this.words; w++) rows[start + w] |= row[w];
  }

  private copyRow(space: number): void {
    this.scratch.fill(0, 0, this.words);
    this.setSpace(this.scratch, 0, space);
  }

  /** All of a space, as a row that must not be changed. */
  rowOf(space: number): Int32Array {
    this.rows ??= new Map();
    let row = this.rows.get(space);
    if (row === undefined) {
      row = new Int32Array(this.words);
      for (let n = this.newest[space]; n !== 0; n = this.older[n]) setBit(row, 0, n - 1);
      this.rows.set(space, row);
    }
    return row;
  }
}
