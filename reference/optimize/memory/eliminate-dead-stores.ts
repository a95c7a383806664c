// Removes stores whose bytes are overwritten before they are read.
//
// Each store has a range of bytes. At each position a bit records whether that range is *dead*: on
// every path one store covers it before any of its bytes is read. The bits are the greatest
// solution of a backward dataflow. Guards, returns, and calls that read the heap read every byte of
// it, but if a guard fails, the stores of its exit block execute first. Slots are read by their own
// loads and by exits that use their contents. Calls read them if they receive the address, or may
// use one that a host function keeps. At a return they are dead. An exit does not read bytes that
// its snapshot lists as dead. Any store to an anonymous slot makes its other bytes unwritten, so
// all earlier stores to it are dead.
//
// A range is dead because of one store, never because of two partial ones. The stored value may be
// an open NaN, which the first partial store would cut. For the same reason a store that may cover
// part of a range makes it live. If the root of a range is recomputed in a loop, the range denotes
// other bytes. So the definition of the root makes it live, too.
//
// An operation on a known number of bytes overwrites and reads just these. With an unknown number
// it may read all of the heap.
//
// A store that covers a removed store also covers all that the removed store covered, so stores can
// be removed one by one, in any order. Assumes a valid program, in any form of Phi.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { BULK, EFFECTS, EXITS, Op, READS_MEMORY, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import { isAtomic, type Procedure, type Snapshot, type Value } from "../../../src/ir/procedure.js";
import {
  AliasAnalysis,
  bulkSize,
  bulkSource,
  bulkTarget,
  HEAP,
  readsAnyHeap,
  touchesKeptSlots,
} from "../analysis/alias.js";
import { clearBit, hasBit, setBit } from "../analysis/bit-rows.js";
import { BlockQueue } from "../analysis/block-queue.js";
import { NumberedAccesses } from "../analysis/numbered-accesses.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";

const NAME = "eliminate-dead-stores";

export function eliminateDeadStores(proc: Procedure, context: OptimizeContext): boolean {
  const flow = context.flow(proc);
  const ranges = new DeadStoreRanges(proc, flow, context);
  let changed = false;
  if (ranges.stores.all.length > 0) {
    ranges.solve();
    for (let b = flow.order.length - 1; b >= 0; b--) {
      if (removeInBlock(b, ranges, context)) changed = true;
    }
  }
  for (let s = 0; s < proc.snapshots.length; s++) {
    if (removeInExitBlock(proc.snapshots[s], ranges.aliases, context)) changed = true;
  }
  if (changed) sweep(proc);
  return changed;
}

function removeInBlock(
  position: number,
  ranges: DeadStoreRanges,
  context: OptimizeContext,
): boolean {
  const { values } = ranges.flow.order[position];
  let changed = false;
  ranges.enterFromBelow(position);
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i];
    if (!ranges.isDead(value)) {
      ranges.passUp(value);
      continue;
    }
    if (!context.claim(NAME, value)) return changed;
    value.becomesNop();
    changed = true;
  }
  return changed;
}

/**
 * Removes stores whose bytes the exit lists as dead, or that a later store of the exit block
 * covers.
 */
function removeInExitBlock(
  snapshot: Snapshot,
  aliases: AliasAnalysis,
  context: OptimizeContext,
): boolean {
  const { values } = snapshot;
  let changed = false;
  for (let i = values.length - 1; i >= 0; i--) {
    const store = values[i];
    if ((EFFECTS[store.opcode] & WRITES_MEMORY) === 0) continue;
    if (!isDeadInExit(store, i + 1, snapshot, aliases)) continue;
    if (!context.claim(NAME, store)) return changed;
    store.becomesNop();
    changed = true;
  }
  return changed;
}

/** True if the exit does not use the stored bytes. Considers its block from position `from` on. */
function isDeadInExit(
  store: Value,
  from: number,
  snapshot: Snapshot,
  aliases: AliasAnalysis,
): boolean {
  const { values } = snapshot;
  if (aliases.isDeadAtExit(store, snapshot)) return true;
  for (let i = from; i < values.length; i++) {
    if ((EFFECTS[values[i].opcode] & WRITES_MEMORY) === 0) continue;
    if (aliases.covers(values[i], store)) return true;
    if (aliases.mayOverlap(values[i], store)) return false;
  }
  return false;
}

class DeadStoreRanges {
  readonly flow: ControlFlow;
  /** The stores whose ranges have a number. */
  readonly stores: NumberedAccesses;
  readonly aliases: AliasAnalysis;
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly words: number;
  /** Rows by position of a block: the dead ranges at its start. */
  private readonly atStart: Int32Array;
  /** The ranges that are dead at the current position. */
  private readonly row: Int32Array;
  /** Two rows of bits: the first selects the ranges of slots, the second all ranges. */
  private readonly masks: Int32Array;
  /**
   * By id of a value: the last range with this root, plus 1. `nextOfRoot` links to earlier ones.
   */
  private readonly firstOfRoot: Int32Array;
  private readonly nextOfRoot: Int32Array;

  constructor(proc: Procedure, flow: ControlFlow, context: OptimizeContext) {
    this.proc = proc;
    this.flow = flow;
    this.context = context;
    this.aliases = new AliasAnalysis(proc, flow, context);
    this.stores = new NumberedAccesses(proc, flow, this.aliases, context, WRITES_MEMORY);
    if (this.stores.isLimited) context.reachLimit("near accesses");
    const count = this.stores.all.length;
    this.words = this.stores.words;
    this.atStart = context.table(flow.order.length * this.words);
    this.row = context.table(this.words);
    this.masks = context.table(2 * this.words);
    this.firstOfRoot = context.table(proc.valueIdEnd);
    this.nextOfRoot = context.table(count + 1);
    for (let r = 0; r < count; r++) this.enterRange(r);
  }

  private enterRange(range: number): void {
    const { aliases, masks, words, firstOfRoot, nextOfRoot } = this;
    const store = this.stores.all[range];
    setBit(masks, words, range);
    if (aliases.space[store.id] !== HEAP) setBit(masks, 0, range);
    const root = aliases.rootOfAccess(store);
    if (root < 0) return;
    nextOfRoot[range + 1] = firstOfRoot[root];
    firstOfRoot[root] = range + 1;
  }

  solve(): void {
    const { order, position } = this.flow;
    if (order.length === 1 && order[0].successors.length === 0) return;
    this.atStart.fill(-1, 0, order.length * this.words);
    const queue = new BlockQueue(order.length, this.context);
    for (let b = order.length - 1; b >= 0; b--) queue.push(b);
    for (let b = queue.shift(); b >= 0; b = queue.shift()) {
      if (!this.flowThrough(b)) continue;
      const { predecessors } = order[b];
      for (let p = 0; p < predecessors.length; p++) {
        const from = position[predecessors[p].index];
        if (from >= 0) queue.push(from);
      }
    }
  }

  private flowThrough(position: number): boolean {
    const { words, row, atStart, flow } = this;
    const { values } = flow.order[position];
    this.enterFromBelow(position);
    for (let i = values.length - 1; i >= 0; i--) this.passUp(values[i]);
    let changed = false;
    for (let w = 0; w < words; w++) {
      if (atStart[position * words + w] === row[w]) continue;
      atStart[position * words + w] = row[w];
      changed = true;
    }
    return changed;
  }

  /** Sets the current position to the end of a block. */
  enterFromBelow(position: number): void {
    const { words, row, masks, atStart, flow } = this;
    const { successors, last } = flow.order[position];
    // Slots are dead at the end of the procedure. Executions that reach Oops are not judged.
    const mask = successors.length > 0 || last.opcode === Op.Oops ? words : 0;
    for (let w = 0; w < words; w++) row[w] = masks[mask + w];
    for (let s = 0; s < successors.length; s++) {
      const from = flow.position[successors[s].index] * words;
      for (let w = 0; w < words; w++) row[w] &= atStart[from + w];
    }
  }

  /** True if the value is a store whose range is dead after it. */
  isDead(value: Value): boolean {
    const range = this.stores.numberOf(value);
    return range >= 0 && hasBit(this.row, 0, range);
  }

  /** Updates the dead ranges from the position after a value to that before it. */
  passUp(value: Value): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & WRITES_MEMORY) !== 0) this.passStore(value);
    else if ((effects & READS_MEMORY) !== 0) this.passLoad(value);
    else if ((effects & BULK) !== 0) this.passBulk(value);
    else {
      if ((effects & EXITS) !== 0) this.passGuard(value); // a guard tests after the call
      if (readsAnyHeap(value)) this.endHeap();
    }
    if (value.rest !== null && this.proc.slots.length > 0) this.passSlots(value, value.rest);
    // Before its definition, no range with this value as its root is dead.
    for (let r = this.firstOfRoot[value.id]; r !== 0; r = this.nextOfRoot[r]) {
      clearBit(this.row, 0, r - 1);
    }
  }

  private passStore(store: Value): void {
    const { aliases, row, proc, stores } = this;
    const { all } = stores;
    const space = aliases.space[store.id];
    const forgets = space !== HEAP && !proc.slots[space - 1].isLocked;
    stores.selectNear(store);
    for (let r = stores.from; r < stores.to; r++) {
      if (aliases.space[all[r].id] !== space) continue;
      if (forgets || aliases.covers(store, all[r])) setBit(row, 0, r);
      else if (aliases.mayOverlap(store, all[r])) clearBit(row, 0, r);
    }
    this.endBeyond(space);
  }

  // Writes are processed first, because reads precede them. For an atomic operation both are the
  // same bytes.
  private passBulk(operation: Value): void {
    const { stores, aliases, row } = this;
    if (isAtomic(operation)) {
      this.passLoad(operation);
      return;
    }
    const size = bulkSize(operation);
    const [target, source] = [bulkTarget(operation), bulkSource(operation)];
    if (target === null || size === Number.POSITIVE_INFINITY) {
      this.endHeap();
      return;
    }
    stores.selectNear(operation);
    for (let r = stores.from; r < stores.to; r++) {
      const store = stores.all[r];
      if (aliases.isWithin(store, target, size)) setBit(row, 0, r);
      else if (aliases.mayMeet(store, target, size)) clearBit(row, 0, r);
      if (source !== null && aliases.mayMeet(store, source, size)) clearBit(row, 0, r);
    }
    this.endBeyond(HEAP);
  }

  private passLoad(load: Value): void {
    const { stores, aliases, row } = this;
    stores.selectNear(load);
    for (let r = stores.from; r < stores.to; r++) {
      if (aliases.mayOverlap(load, stores.all[r])) clearBit(row, 0, r);
    }
    this.endBeyond(aliases.space[load.id]);
  }

  private endBeyond(space: number): void {
    const farRow = this.stores.farRow(space);
    for (let w = 0; farRow !== null && w < this.words; w++) this.row[w] &= ~farRow[w];
  }

  private passGuard(guard: Value): void {
    const { stores, aliases, row, proc } = this;
    const { snapshot } = guard;
    if (!hasStores(snapshot) && !namesDeadBytes(snapshot)) this.endHeap();
    else {
      stores.selectNear(guard);
      for (let r = stores.from; r < stores.to; r++) {
        const isHeap = aliases.space[stores.all[r].id] === HEAP;
        if (isHeap && !isDeadInExit(stores.all[r], 0, snapshot, aliases)) clearBit(row, 0, r);
      }
      this.endBeyond(HEAP);
    }
    if (proc.slots.length === 0) return;
    for (let f = 0; f < snapshot.frames.length; f++) {
      const { slots } = snapshot.frames[f];
      for (let s = 0; s < slots.length; s++) {
        const slot = slots[s];
        if (slot.kind === "contents") stores.clearSpace(row, 0, aliases.spaceOf(slot.slot));
      }
    }
  }

  private passSlots(value: Value, rest: readonly Value[]): void {
    const { keptSpaces } = this.aliases;
    if (keptSpaces.length > 0 && touchesKeptSlots(value)) {
      for (const space of keptSpaces) this.stores.clearSpace(this.row, 0, space);
    }
    for (let i = 0; i < rest.length; i++) {
      const space = this.aliases.slotOfAddress(rest[i]);
      if (space !== HEAP) this.stores.clearSpace(this.row, 0, space);
    }
  }

  private endHeap(): void {
    for (let w = 0; w < this.words; w++) this.row[w] &= this.masks[w];
  }
}

function hasStores({ values }: Snapshot): boolean {
  // Returns whether the exit block has stores: they come last.
  return values.length > 0 && (EFFECTS[values[values.length - 1].opcode] & WRITES_MEMORY) !== 0;
}

const namesDeadBytes = ({ frames }: Snapshot): boolean =>
  frames.some(({ slots }) => slots.some(({ kind }) => kind === "deadBytes"));
