// Numbers the accesses of a procedure, for phases whose dataflow has a bit for each.
//
// An access is compared one by one with the accesses whose numbers are near its own (NEAR). For the
// others only the space (the heap, or a slot) is compared, for the whole space at once. So the work
// for one access does not grow with the procedure. ACCESSES_MAX limits the length of a row.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { CALLS, EFFECTS, EXITS, READS_MEMORY, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";
import { LIMITS } from "../edit/limits.js";
import type { AliasAnalysis } from "./alias.js";
import { clearBit, setBit, wordsFor } from "./bit-rows.js";

const NEAR = LIMITS["near accesses"];
/** The maximum number of accesses that get a number; later ones are not compared. */
const ACCESSES_MAX = 4096;
/** A space with more accesses than this has its own row. */
const MEMBERS_MAX = 64;

export class NumberedAccesses {
  /** All numbered accesses, in block order. The constructor also sets `block` of each value. */
  readonly all: Value[] = [];
  /** The number of words of a row with a bit for each access. */
  readonly words: number;
  /**
   * The range of numbers near the last position given to `selectNear`, from `from` to before `to`.
   */
  from = 0;
  to = 0;
  /** By id of an access: its number plus 1; 0 if it has none. */
  private readonly numbers: Int32Array;
  /** By id of a value with effects: the number of accesses before it. */
  private readonly positions: Int32Array;
  /**
   * By space: its number of accesses, and the last access's number plus 1. `older` links to earlier
   * ones.
   */
  private readonly sizes: Int32Array;
  private readonly newest: Int32Array;
  private readonly older: Int32Array;
  /** The rows of large spaces; each is created at its first use. */
  private rows: Map<number, Int32Array> | null = null;
  private readonly scratch: Int32Array;

  /**
   * Numbers the accesses of a procedure.
   * @param effects the effects of accesses that get a number
   */
  constructor(
    proc: Procedure,
    { order }: ControlFlow,
    aliases: AliasAnalysis,
    context: OptimizeContext,
    effects: number,
  ) {
    const spaces = proc.slots.length + 1;
    this.numbers = context.table(proc.valueIdEnd);
    this.positions = context.table(proc.valueIdEnd);
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

  /** True if some accesses are not compared one by one. */
  get isLimited(): boolean {
    return this.all.length > NEAR;
  }

  /** Returns the number of an access; -1 if it has none. */
  numberOf({ id }: Value): number {
    return this.numbers[id] - 1;
  }

  private number(value: Value, aliases: AliasAnalysis, numberedEffects: number): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & (READS_MEMORY | WRITES_MEMORY | EXITS | CALLS)) === 0) return;
    this.positions[value.id] = this.all.length;
    if ((effects & numberedEffects) === 0 || this.all.length === ACCESSES_MAX) return;
    const space = aliases.space[value.id];
    this.all.push(value);
    this.numbers[value.id] = this.all.length;
    this.sizes[space]++;
    this.older[this.all.length] = this.newest[space];
    this.newest[space] = this.all.length;
  }

  /** Sets `from` and `to` to the numbers near an access, a guard or a call. */
  selectNear({ id }: Value): void {
    this.from = Math.max(0, this.positions[id] - NEAR);
    this.to = Math.min(this.all.length, this.positions[id] + NEAR);
  }

  /**
   * Returns a row of the accesses of a space that are not near; null if all are near. The next call
   * overwrites it.
   */
  farRow(space: number): Int32Array | null {
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

  /** Removes all accesses of a space from a row. */
  clearSpace(rows: Int32Array, start: number, space: number): void {
    if (this.sizes[space] <= MEMBERS_MAX) {
      for (let n = this.newest[space]; n !== 0; n = this.older[n]) clearBit(rows, start, n - 1);
      return;
    }
    const row = this.rowOf(space);
    for (let w = 0; w < this.words; w++) rows[start + w] &= ~row[w];
  }

  /** Adds all accesses of a space to a row. */
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

  /** Returns a row of all accesses of a space, which the caller must not change. */
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
