// Where the stack slots of a procedure lie: two share bytes if neither is written while the other is needed.
//
// A slot is needed where some path goes on to read it: by a load, a patchpoint that takes its address, or
// an exit that shows its contents. What is not written first on such a path the program may not read, or
// the exit does not compare. A store to an anonymous slot ends what it held before, whole; to a locked
// one only if it writes all of it.
//
// A slot whose address a host function keeps has bytes of its own: what is done through the address is not
// seen here.
//
// Lowering may move a load down to its user, and then no write of memory stands between: so the order of
// the program decides here too.

import { TAKEN_ADDRESS } from "../../src/ir/host-functions.js";
import { EFFECTS, EXITS, Op, READS_MEMORY, WRITES_MEMORY } from "../../src/ir/opcodes.js";
import {
  accessSize,
  type BasicBlock,
  type Procedure,
  type Snapshot,
  type StackSlot,
  type Value,
} from "../../src/ir/procedure.js";
import { NO_SLOTS, type SlotPlaces } from "../lir/lir.js";
import { clearBit, hasBit, setBit, wordsFor } from "../optimize/analysis/bit-rows.js";

/** Of more, each has a place of its own: the table of conflicts grows with the square. */
const PACKED_MAX = 512;
const ALIGNMENT = 8;

/**
 * @param order the blocks that are reached
 * @param mayShare false: each slot has a place of its own
 */
export function packSlots(
  proc: Procedure,
  order: readonly BasicBlock[],
  mayShare: boolean,
): SlotPlaces {
  const { slots } = proc;
  if (slots.length === 0) return NO_SLOTS;
  // Locked slots lie next to the saved registers, and anonymous ones next to the spills.
  const sorted = [true, false].flatMap((isLocked) =>
    slots.filter((slot) => slot.isLocked === isLocked),
  );
  const isPacked = mayShare && slots.length > 1 && slots.length <= PACKED_MAX;
  const conflicts = isPacked ? new Conflicts(proc, sorted, order).find() : null;
  const starts: number[] = [];
  const places = new Map<number, number>();
  let [size, sum] = [0, 0];
  sorted.forEach((slot, s) => {
    const bytes = (slot.size + ALIGNMENT - 1) & -ALIGNMENT;
    starts[s] = conflicts === null ? sum : firstFit(sorted, starts, bytes, conflicts[s]);
    sum += bytes;
    size = Math.max(size, starts[s] + bytes);
    places.set(slot.id, starts[s] + bytes);
  });
  return { depths: places, size, isShared: size < sum };
}

/** The first gap of that size among the slots that are placed and in conflict. */
function firstFit(
  slots: readonly StackSlot[],
  starts: readonly number[],
  bytes: number,
  conflicts: Int32Array,
): number {
  const taken: number[] = [];
  for (let s = 0; s < starts.length; s++) if (hasBit(conflicts, 0, s)) taken.push(s);
  taken.sort((x, y) => starts[x] - starts[y]);
  let start = 0;
  for (const s of taken) {
    if (starts[s] >= start + bytes) break;
    start = Math.max(start, (starts[s] + slots[s].size + ALIGNMENT - 1) & -ALIGNMENT);
  }
  return start;
}

/** Which slots are needed where another one is written. */
class Conflicts {
  private readonly order: readonly BasicBlock[];
  private readonly words: number;
  private readonly slots: readonly StackSlot[];
  /** By id of a value: the number of the slot that it is an address of, plus 1; else 0. */
  private readonly addresses: Int32Array;
  /** By number of a slot: the numbers of those in conflict with it. */
  private readonly rows: readonly Int32Array[];
  /** By index of a block: the slots that are needed at its start. */
  private readonly needed: Int32Array[] = [];
  /** The slots that are needed at the place at hand. */
  private readonly here: Int32Array;

  constructor(proc: Procedure, slots: readonly StackSlot[], order: readonly BasicBlock[]) {
    this.order = order;
    this.slots = slots;
    this.words = wordsFor(slots.length);
    this.addresses = slotsOfAddresses(proc, slots, order);
    this.rows = slots.map(() => new Int32Array(this.words));
    this.here = new Int32Array(this.words);
    for (const { index } of order) this.needed[index] = new Int32Array(this.words);
  }

  // Ends: what is needed somewhere only grows.
  find(): readonly Int32Array[] {
    for (let changed = true; changed; ) {
      changed = false;
      for (let b = this.order.length - 1; b >= 0; b--) {
        if (this.passBlock(this.order[b])) changed = true;
      }
    }
    return this.rows;
  }

  /** From the end of the block to its start; true if more is needed there than was known. */
  private passBlock({ values, successors, index }: BasicBlock): boolean {
    const { here, words, needed } = this;
    here.fill(0);
    for (const successor of successors) {
      for (let w = 0; w < words; w++) here[w] |= needed[successor.index][w];
    }
    for (let i = values.length - 1; i >= 0; i--) this.passValue(values[i]);
    let changed = false;
    for (let w = 0; w < words; w++) {
      if (here[w] === needed[index][w]) continue;
      needed[index][w] = here[w];
      changed = true;
    }
    return changed;
  }

  private passValue(value: Value): void {
    const effects = EFFECTS[value.opcode];
    const { patchpoint, rest, host } = value;
    if (host?.kept === "takes" && rest !== null) {
      this.isolate(this.addresses[rest[TAKEN_ADDRESS].id] - 1);
    } else if (patchpoint !== null && rest !== null) {
      for (const operand of rest) {
        const slot = this.addresses[operand.id] - 1;
        if (slot < 0) continue;
        if (patchpoint.effect === "write") this.write(slot);
        this.read(slot);
      }
    } else if ((effects & (READS_MEMORY | WRITES_MEMORY)) !== 0) {
      const slot = this.addresses[value.address.id] - 1;
      if (slot < 0) return;
      if ((effects & READS_MEMORY) !== 0) this.read(slot);
      else {
        this.write(slot);
        const { isLocked, size } = this.slots[slot];
        if (!isLocked || accessSize(value) === size) clearBit(this.here, 0, slot);
      }
    }
    if ((effects & EXITS) !== 0) this.readContents(value.snapshot);
  }

  private readContents({ frames }: Snapshot): void {
    for (const { slots } of frames) {
      for (const slot of slots) {
        if (slot.kind === "contents") this.read(this.slots.indexOf(slot.slot));
      }
    }
  }

  private read(slot: number): void {
    setBit(this.here, 0, slot);
  }

  private isolate(slot: number): void {
    for (let other = 0; other < this.rows.length; other++) {
      if (other === slot) continue;
      setBit(this.rows[slot], 0, other);
      setBit(this.rows[other], 0, slot);
    }
  }

  private write(written: number): void {
    for (let other = 0; other < this.rows.length; other++) {
      if (other === written || !hasBit(this.here, 0, other)) continue;
      setBit(this.rows[written], 0, other);
      setBit(this.rows[other], 0, written);
    }
  }
}

/** In an order in which each value stands before its uses, so that one pass is enough. */
function slotsOfAddresses(
  { valueIdEnd }: Procedure,
  slots: readonly StackSlot[],
  order: readonly BasicBlock[],
): Int32Array {
  const numbers = new Map(slots.map((slot, s) => [slot, s + 1]));
  const addresses = new Int32Array(valueIdEnd);
  for (const { values } of order) {
    for (const value of values) {
      const { opcode, id, a, b } = value;
      if (opcode === Op.SlotBase) addresses[id] = numbers.get(value.slot) ?? 0;
      else if (opcode === Op.Identity || opcode === Op.Opaque || opcode === Op.Add) {
        const [x, y] = [a === null ? 0 : addresses[a.id], b === null ? 0 : addresses[b.id]];
        addresses[id] = Math.max(x, y);
      }
    }
  }
  return addresses;
}
