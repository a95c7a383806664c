// Objects that nothing reaches but exits live in variables; the exit blocks build them.
//
//   @p = Allocate(@t, 16); Store(@x, @p)      ->    @p = Allocate(@t, 16)
//   Check(@c) s0 frames [f@1: @p]                   Check(@c) s1 block { Store(@x, @p) } frames [f@1: @p]
//
// Each field of such an object becomes a stack slot, which fix-ssa makes a variable: so what a loop or a
// Phi does with it needs no care here. The slot begins with what the heap holds at the allocation, because
// that is what the object holds. Where an address goes into a Phi, the fields go with it: they are copied at
// the Upsilon and at the Phi. In front of each guard that shows the object, or another one that holds its
// address, its fields are read, and the exit block stores them, before its own stores. Guards
// that share a snapshot get one each. The allocation stays: it moves the pointer, which is seen.
//
// Which objects take part, and why no exit sees a field of another moment: analysis/private-objects.ts.
// Objects that are merged or hold each other are one application.
//
// Assumes a valid program in edge form.

import {
  EFFECTS,
  EXITS,
  Op,
  type Opcode,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../../src/ir/opcodes.js";
import type { Procedure, StackSlot, Value } from "../../../src/ir/procedure.js";
import { Int64, type Type, Void } from "../../../src/ir/types.js";
import { type ObjectField, type Owner, PrivateObjects } from "../analysis/private-objects.js";
import type { OptimizeContext } from "../edit/context.js";
import { copySnapshot } from "../edit/duplicate-blocks.js";
import { sweep } from "../edit/sweep.js";

const NAME = "sink-objects";

export function sinkObjects(proc: Procedure, context: OptimizeContext): boolean {
  const objects = new PrivateObjects(proc, context.flow(proc), context);
  const sunk = new Set<Owner>();
  for (const owners of families(objects)) {
    if (!owners.some(({ accesses }) => accesses.some(isStore))) continue;
    if (!context.claim(NAME, owners[0].value)) break;
    for (const owner of owners) sunk.add(owner);
  }
  if (sunk.size === 0) return false;
  new Sinking(proc, objects, sunk).rewrite(context);
  sweep(proc);
  return true;
}

// Without stores there is nothing to sink; where the phase has been, only the loads at allocations are left.
const isStore = ({ opcode }: Value): boolean => (EFFECTS[opcode] & WRITES_MEMORY) !== 0;

/** The owners that are not rejected, with those that they are merged with or hold. */
function families({ owners }: PrivateObjects): Owner[][] {
  const left = new Set(owners.filter(({ isRejected }) => !isRejected));
  const found: Owner[][] = [];
  for (const first of left) {
    const family = new Set([first]);
    for (const owner of family) {
      for (const other of left) {
        const isLinked =
          other.group === owner.group ||
          other.members.some(({ member }) => member === owner) ||
          owner.members.some(({ member }) => member === other);
        if (isLinked) family.add(other);
      }
    }
    for (const owner of family) left.delete(owner);
    found.push([...family]);
  }
  return found;
}

/** The slots of an owner's fields, by their offset; of a Phi also those of its variable. */
interface Places {
  readonly value: ReadonlyMap<number, Value>;
  readonly variable: ReadonlyMap<number, Value>;
}

class Sinking {
  private readonly proc: Procedure;
  private readonly objects: PrivateObjects;
  private readonly places = new Map<Owner, Places>();
  /** Addresses of the slots, for the head of the entry. */
  private readonly bases: Value[] = [];
  /** What stands where the values of the block at hand stood. */
  private values: Value[] = [];

  constructor(proc: Procedure, objects: PrivateObjects, sunk: ReadonlySet<Owner>) {
    this.proc = proc;
    this.objects = objects;
    for (const owner of sunk) {
      const value = this.newSlots(owner);
      this.places.set(owner, { value, variable: owner.isPhi ? this.newSlots(owner) : value });
    }
  }

  private newSlots({ fields }: Owner): Map<number, Value> {
    return new Map(
      fields.map(({ offset, size }) => [offset, this.newBase(this.proc.newSlot(size, false))]),
    );
  }

  private newBase(slot: StackSlot): Value {
    const base = this.proc.newValue(Op.SlotBase, Int64);
    base.extra = slot;
    this.bases.push(base);
    return base;
  }

  rewrite(context: OptimizeContext): void {
    const { order } = context.flow(this.proc);
    for (const block of order) {
      const { values } = block;
      this.values = [];
      const phis: Owner[] = [];
      for (const value of values) {
        // Edge form: all Phis stand at the head.
        if (value.opcode !== Op.Phi) this.takeOver(phis);
        this.visit(value);
        const owner = value.opcode === Op.Phi ? this.sunkOwner(value) : null;
        if (owner !== null) phis.push(owner);
      }
      block.values = this.values;
      for (const value of block.values) value.block = block;
    }
    const [entry] = this.proc.blocks;
    for (const base of this.bases) base.block = entry;
    entry.values.unshift(...this.bases);
  }

  private takeOver(phis: Owner[]): void {
    for (const owner of phis.splice(0)) {
      const { value, variable } = this.placesOf(owner);
      this.copyFields(owner, variable, value);
    }
  }

  private sunkOwner(address: Value): Owner | null {
    const owner = this.objects.owner(address);
    return owner !== null && this.places.has(owner) ? owner : null;
  }

  private placesOf(owner: Owner): Places {
    const places = this.places.get(owner);
    return places ?? { value: NONE, variable: NONE };
  }

  private visit(value: Value): void {
    if ((EFFECTS[value.opcode] & EXITS) !== 0) this.showAt(value);
    if (value.opcode === Op.Upsilon) this.follow(value);
    this.values.push(value);
    if (value.opcode === Op.Allocate) this.begin(value);
    else this.redirect(value);
  }

  /** The fields begin with what the heap holds. */
  private begin(allocation: Value): void {
    const owner = this.sunkOwner(allocation);
    if (owner === null) return;
    for (const field of owner.fields) {
      const held = this.load(field, allocation, field.offset);
      this.store(field, held, this.placesOf(owner).value);
    }
  }

  /** Lets an access go to the field's slot. */
  private redirect(value: Value): void {
    if ((EFFECTS[value.opcode] & (READS_MEMORY | WRITES_MEMORY)) === 0) return;
    const owner = this.sunkOwner(value.address);
    if (owner === null) return;
    const base = this.placesOf(owner).value.get(this.objects.offset(value)) ?? null;
    if ((EFFECTS[value.opcode] & WRITES_MEMORY) !== 0) value.b = base;
    else value.a = base;
    if (value.opcode === Op.LoadInvariant) value.opcode = Op.Load;
    value.lo = 0;
    value.hi = 0;
  }

  /** The fields go where the address goes. */
  private follow({ a, phi }: Value): void {
    const from = a === null ? null : this.sunkOwner(a);
    const to = this.sunkOwner(phi);
    if (from === null || to === null) return;
    // Edge form: nothing stands between the Upsilons of an edge.
    const upsilons: Value[] = [];
    while (this.values.at(-1)?.opcode === Op.Upsilon) upsilons.push(...this.values.splice(-1));
    this.copyFields(from, this.placesOf(from).value, this.placesOf(to).variable);
    this.values.push(...upsilons.reverse());
  }

  private copyFields(
    { fields }: Owner,
    from: ReadonlyMap<number, Value>,
    to: ReadonlyMap<number, Value>,
  ): void {
    for (const field of fields) {
      const base = from.get(field.offset);
      if (base !== undefined) this.store(field, this.load(field, base, 0), to);
    }
  }

  /** Lets the guard's exit build what it shows. */
  private showAt(guard: Value): void {
    const shown = this.objects.shownAt(guard).filter((owner) => this.places.has(owner));
    if (shown.length === 0) return;
    const snapshot = copySnapshot(this.proc, guard.snapshot, (value) => value);
    guard.extra = snapshot;
    const stores = shown.flatMap((owner) => this.storesOf(owner));
    const first = snapshot.values.findIndex(
      ({ opcode }) => (EFFECTS[opcode] & WRITES_MEMORY) !== 0,
    );
    snapshot.values.splice(first < 0 ? snapshot.values.length : first, 0, ...stores);
  }

  /** For an exit block: stores of what the fields are here. */
  private storesOf(owner: Owner): Value[] {
    return owner.fields.flatMap((field) => {
      const base = this.placesOf(owner).value.get(field.offset);
      if (base === undefined) return [];
      const store = this.make(STORE_OF[field.size] ?? Op.Store, Void);
      store.a = this.load(field, base, 0);
      store.b = owner.value;
      store.lo = field.offset;
      return [store];
    });
  }

  private load({ size, type }: ObjectField, address: Value, offset: number): Value {
    const value = this.make(LOAD_OF[size] ?? Op.Load, type);
    value.a = address;
    value.lo = offset;
    this.values.push(value);
    return value;
  }

  private store({ offset, size }: ObjectField, held: Value, to: ReadonlyMap<number, Value>): void {
    const store = this.make(STORE_OF[size] ?? Op.Store, Void);
    store.a = held;
    store.b = to.get(offset) ?? null;
    this.values.push(store);
  }

  private make(opcode: Opcode, type: Type): Value {
    return this.proc.newValue(opcode, type);
  }
}

const NONE: ReadonlyMap<number, Value> = new Map();

/** By size; of others Load and Store. */
const LOAD_OF: Readonly<Partial<Record<number, Opcode>>> = { 1: Op.Load8Z, 2: Op.Load16Z };
const STORE_OF: Readonly<Partial<Record<number, Opcode>>> = { 1: Op.Store8, 2: Op.Store16 };
