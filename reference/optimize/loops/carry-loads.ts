// Carries a value that one iteration stores and the next one loads in a variable, too:
//
//   k = Phi(0, k + 1)                        k = Phi(0, k + 1);  v = Phi(y, x)
//   ... Load(p + 4 * k - 4) ...       ->     ... v ...
//   Store(x, p + 4 * k)                      Store(x, p + 4 * k)
//
// This requires that the block before the loop has stored or loaded y at the address that the first
// iteration loads. Then no iteration waits for the memory of the previous one.
//
// Every iteration executes the store. No other write of the loop may overlap it, in the same
// iteration or in the next one. Addresses are compared as sums of values from outside, of one
// counter (extended and scaled), and of a constant. A 32-bit counter does not wrap around. It
// starts near 0, and each iteration stores there, so it would leave the heap before its limits,
// which is undefined. A zero-extended counter counts upward from a number that is not negative.
//
// Assumes edge form without critical edges, and keeps both. It handles loops without inner loops
// and calls, in which only stores may write the heap. Each load is one application.

import { ATOMIC, BULK, CALLS, EFFECTS, FENCE, Op, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import {
  accessSize,
  type BasicBlock,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { haveDifferentClasses } from "../analysis/alias.js";
import { slotOf } from "../analysis/loop-writes.js";
import {
  analyzeLoops,
  innerLoops,
  isInEachIteration,
  type Loop,
  type LoopForest,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { LIMITS } from "../edit/limits.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon } from "../edit/upsilons.js";
import { type AccessLocation, AccessLocations, areApart, isSameLocation } from "./places.js";

const NAME = "carry-loads";
/** The maximum number of variables for one loop, because each takes a register. */
const CARRIED_MAX = 2;
/**
 * The maximum number of blocks before a loop that are searched, each the only predecessor of the
 * next.
 */
const BLOCKS_MAX = 4;

export function carryLoads(proc: Procedure, context: OptimizeContext): boolean {
  const loops = analyzeLoops(proc, context.flow(proc));
  if (loops.all.length === 0) return false;
  const before = context.applications;
  for (const { loop, preheader } of innerLoops(loops)) {
    if (!new LoadCarrier(proc, context, loops, loop, preheader).run()) break;
  }
  const changed = context.applications !== before;
  if (changed) sweep(proc);
  return changed;
}

/** A store and its location; null if its address is not a sum of the known form. */
interface LocatedStore {
  readonly store: Value;
  readonly location: AccessLocation | null;
}

interface CarriedLoad {
  readonly location: AccessLocation;
  readonly phi: Value;
}

class LoadCarrier {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly loops: LoopForest;
  private readonly loop: Loop;
  private readonly preheader: BasicBlock;
  private readonly locations: AccessLocations;
  private readonly carried: CarriedLoad[] = [];

  constructor(
    proc: Procedure,
    context: OptimizeContext,
    loops: LoopForest,
    loop: Loop,
    preheader: BasicBlock,
  ) {
    this.proc = proc;
    this.context = context;
    this.loops = loops;
    this.loop = loop;
    this.preheader = preheader;
    this.locations = new AccessLocations(loops, loop, preheader);
  }

  /**
   * Replaces loads of the loop by variables; returns false if the limit of applications is reached.
   */
  run(): boolean {
    const loads: Value[] = [];
    const stores: Value[] = [];
    for (const { values } of this.loop.blocks) {
      for (const value of values) {
        if (mayWriteAnything(value)) return true;
        const isStore = (EFFECTS[value.opcode] & WRITES_MEMORY) !== 0;
        if (!isStore && value.opcode !== Op.Load) continue;
        if (slotOf(value.address) === null) (isStore ? stores : loads).push(value);
      }
    }
    if (loads.length === 0 || stores.length === 0) return true;
    if (loads.length + stores.length > LIMITS["loop writes"]) {
      this.context.reachLimit("loop writes");
      return true;
    }
    const located = stores.map((store) => ({ store, location: this.locations.of(store) }));
    for (const load of loads) if (!this.visit(load, located)) return false;
    return true;
  }

  private visit(load: Value, stores: readonly LocatedStore[]): boolean {
    const location = this.locations.of(load);
    if (location === null || location.counter === null) return true;
    const known = this.carried.find((one) => isCarriedAs(one, location, load)) ?? null;
    if (known !== null) {
      if (!this.context.claim(NAME, load)) return false;
      load.becomes(known.phi);
      return true;
    }
    if (this.carried.length === CARRIED_MAX) return true;
    const source = this.sourceOf(load, location, stores);
    if (source === null) return true;
    if (!this.context.claim(NAME, load)) return false;
    load.becomes(this.carry(load, location, source));
    return true;
  }

  /**
   * Returns the value that the first iteration loads, and the value that the others have stored;
   * null if one is unknown.
   */
  private sourceOf(
    load: Value,
    location: AccessLocation,
    stores: readonly LocatedStore[],
  ): CarriedInputs | null {
    const growth = this.locations.growthOf(location);
    const next = { ...location, offset: location.offset + growth };
    const found = stores.find(
      (one) =>
        one.location !== null &&
        isSameLocation(one.location, next) &&
        one.store.opcode === Op.Store &&
        one.store.a?.type === load.type &&
        !haveDifferentClasses(one.store, load),
    );
    const block = found?.store.block ?? null;
    if (found === undefined || block === null) return null;
    if (!isInEachIteration(this.loops, this.loop, block)) return null;
    if (!stores.every((one) => this.isDisjointFrom(one, found, growth))) return null;
    const first = this.firstOf(load, location);
    return first === null || found.store.a === null ? null : { first, stored: found.store.a };
  }

  /** True if a write overlaps the store neither in its own iteration nor in the next one. */
  private isDisjointFrom(
    write: LocatedStore,
    { store, location }: LocatedStore,
    growth: number,
  ): boolean {
    if (haveDifferentClasses(write.store, store)) return true;
    if (write.location === null || location === null) return false;
    const [size, storeSize] = [accessSize(write.store), accessSize(store)];
    const later = { ...write.location, offset: write.location.offset + growth };
    if (!areApart(later, size, location, storeSize)) return false;
    return write.store === store || areApart(write.location, size, location, storeSize);
  }

  /**
   * Returns the value that was stored or loaded before the loop at the address that the first
   * iteration loads.
   */
  private firstOf(load: Value, location: AccessLocation): Value | null {
    const first = this.locations.firstOf(location);
    let block: BasicBlock | null = first === null ? null : this.preheader;
    for (let b = 0; b < BLOCKS_MAX && block !== null && first !== null; b++) {
      const { values, predecessors }: BasicBlock = block;
      for (let i = values.length - 1; i >= 0; i--) {
        const value = values[i];
        if (mayWriteAnything(value)) return null;
        const isStore = (EFFECTS[value.opcode] & WRITES_MEMORY) !== 0;
        if ((!isStore && value.opcode !== Op.Load) || slotOf(value.address) !== null) continue;
        const other = this.locations.of(value);
        const given = isStore ? value.a : value;
        const isWhole = value.opcode === Op.Store || value.opcode === Op.Load;
        if (
          isWhole &&
          other !== null &&
          given?.type === load.type &&
          isSameLocation(other, first)
        ) {
          return given;
        }
        if (!isStore || haveDifferentClasses(value, load)) continue;
        if (other === null || !areApart(other, accessSize(value), first, accessSize(load))) {
          return null;
        }
      }
      block = predecessors.length === 1 ? predecessors[0] : null;
    }
    return null;
  }

  private carry(
    { type }: Value,
    location: AccessLocation,
    { first, stored }: CarriedInputs,
  ): Value {
    const { header, latches } = this.loop;
    const phi = this.proc.newValue(Op.Phi, type);
    phi.block = header;
    header.values.unshift(phi);
    this.write(this.preheader, phi, first);
    for (const latch of latches) this.write(latch, phi, stored);
    this.carried.push({ location, phi });
    return phi;
  }

  private write(block: BasicBlock, phi: Value, value: Value): void {
    block.values.splice(block.values.length - 1, 0, newUpsilon(this.proc, block, value, phi));
  }
}

interface CarriedInputs {
  readonly first: Value;
  readonly stored: Value;
}

const isCarriedAs = (
  { location, phi }: CarriedLoad,
  other: AccessLocation,
  { type }: Value,
): boolean => phi.type === type && isSameLocation(location, other);

/** True if a value other than a store may write the heap. */
function mayWriteAnything({ opcode, patchpoint }: Value): boolean {
  if (patchpoint !== null && patchpoint.effect !== "pure") return true;
  return (EFFECTS[opcode] & (CALLS | BULK | ATOMIC | FENCE)) !== 0;
}
