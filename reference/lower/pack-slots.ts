// Lays out the stack slots of a procedure: two share bytes if neither is written while the other is
// needed.
//
// A slot is needed where some path goes on to read it: by a load, a patchpoint that has its
// address, or an exit whose snapshot has its contents. The program may not read bytes that were not
// written first on such a path, and the comparison of exits ignores them. A store to an anonymous
// slot ends its previous contents as a whole; a store to a locked slot does so only if it writes
// all of it.
//
// A slot whose address a host function keeps has bytes of its own, because the accesses through
// that address are not visible here.
//
// Lowering may move a load down to its user, but only if no write of memory comes between. So the
// order of the program is valid here too.

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
import { NO_SLOTS, type SlotLayout } from "../lir/lir.js";
import { clearBit, hasBit, setBit, wordsFor } from "../optimize/analysis/bit-rows.js";

/**
 * The maximum number of slots to pack; beyond it none share bytes. The table of conflicts is
 * quadratic.
 */
const PACKED_MAX = 512;
const ALIGNMENT = 8;

/**
 * Lays out the slots.
 *
 * @param order the reachable blocks
 * @param mayShare whether slots may share bytes
 */
export function packSlots(
  proc: Procedure,
  order: readonly BasicBlock[],
  mayShare: boolean,
): SlotLayout {
  const { slots } = proc;
  if (slots.length === 0) return NO_SLOTS;
  // Place locked slots first, next to the saved registers, and then anonymous ones, next to the
  // spills.
  const sorted = [true, false].flatMap((isLocked) =>
    slots.filter((slot) => slot.isLocked === isLocked),
  );
  const isPacked = mayShare && slots.length > 1 && slots.length <= PACKED_MAX;
  const conflicts = isPacked ? new SlotConflicts(proc, sorted, order).find() : null;
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

/** Returns the first gap of that size between the conflicting slots that are placed already. */
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

/** Finds the slots that are needed where another one is written. */
class SlotConflicts {
  private readonly order: readonly BasicBlock[];
  private readonly words: number;
  private readonly slots: readonly StackSlot[];
  /** By id of a value: 1 plus the number of the slot whose address it is; 0 for others. */
  private readonly addresses: Int32Array;
  /** By number of a slot: the set of slots in conflict with it. */
  private readonly rows: readonly Int32Array[];
  /** By index of a block: the slots that are needed at its start. */
  private readonly needed: Int32Array[] = [];
  /** The slots that are needed at the current position. */
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

  // Returns the conflicts of each slot. The dataflow terminates, because its sets only grow.
  find(): readonly Int32Array[] {
    for (let changed = true; changed; ) {
      changed = false;
      for (let b = this.order.length - 1; b >= 0; b--) {
        if (this.passBlock(this.order[b])) changed = true;
      }
    }
    return this.rows;
  }

  /**
   * Walks from the end of the block to its start. Returns true if the set at its start has grown.
   */
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

/**
 * Returns the slot of each address, by id of a value. In this order each value precedes its uses,
 * so one pass is enough.
 */
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
