// Replaces objects that only exits use by variables, and builds the objects in the exit blocks.
//
//   @p = Allocate(@t, 16); Store(@x, @p)      ->    @p = Allocate(@t, 16)
//   Check(@c) s0 frames [f@1: @p]                   Check(@c) s1 block { Store(@x, @p) } frames [f@1: @p]
//
// Each field of such an object becomes a stack slot, which fix-ssa turns into a variable. So this
// phase needs no special handling of loops and Phis. A slot is initialized with the bytes of the
// heap at the allocation, because the object contains those. If an address is written to a Phi, the
// fields are copied at the Upsilon and at the Phi. Before each guard whose exit uses the object, or
// another object that contains its address, the fields are loaded. The exit block stores them
// before its own stores. Guards that share a snapshot get separate ones. The allocation stays,
// because its update of the pointer is observable.
//
// analysis/private-objects.ts selects the objects, and explains why an exit never uses outdated
// fields. Objects that are merged or contain each other are one application.
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
import {
  type ObjectField,
  type PrivateObject,
  PrivateObjects,
} from "../analysis/private-objects.js";
import type { OptimizeContext } from "../edit/context.js";
import { copySnapshot } from "../edit/duplicate-blocks.js";
import { sweep } from "../edit/sweep.js";

const NAME = "sink-objects";

export function sinkObjects(proc: Procedure, context: OptimizeContext): boolean {
  const objects = new PrivateObjects(proc, context.flow(proc), context);
  const sunk = new Set<PrivateObject>();
  for (const owners of linkedGroups(objects)) {
    if (!owners.some(({ accesses }) => accesses.some(isStore))) continue;
    if (!context.claim(NAME, owners[0].value)) break;
    for (const owner of owners) sunk.add(owner);
  }
  if (sunk.size === 0) return false;
  new ObjectSinker(proc, objects, sunk).rewrite(context);
  sweep(proc);
  return true;
}

// Returns whether the value stores to memory: without stores there is nothing to sink.
const isStore = ({ opcode }: Value): boolean => (EFFECTS[opcode] & WRITES_MEMORY) !== 0;

/**
 * Groups the owners that are not rejected: each group contains the owners that are merged with or
 * contained in each other.
 */
function linkedGroups({ owners }: PrivateObjects): PrivateObject[][] {
  const left = new Set(owners.filter(({ isRejected }) => !isRejected));
  const found: PrivateObject[][] = [];
  for (const first of left) {
    const linked = new Set([first]);
    for (const owner of linked) {
      for (const other of left) {
        const isLinked =
          other.group === owner.group ||
          other.members.some(({ member }) => member === owner) ||
          owner.members.some(({ member }) => member === other);
        if (isLinked) linked.add(other);
      }
    }
    for (const owner of linked) left.delete(owner);
    found.push([...linked]);
  }
  return found;
}

/** The slots of an owner's fields, by offset. A Phi also has slots for its variable. */
interface FieldSlots {
  readonly value: ReadonlyMap<number, Value>;
  readonly variable: ReadonlyMap<number, Value>;
}

class ObjectSinker {
  private readonly proc: Procedure;
  private readonly objects: PrivateObjects;
  private readonly slots = new Map<PrivateObject, FieldSlots>();
  /** The addresses of the slots, to be inserted at the head of the entry. */
  private readonly bases: Value[] = [];
  /** The new values of the current block. */
  private values: Value[] = [];

  constructor(proc: Procedure, objects: PrivateObjects, sunk: ReadonlySet<PrivateObject>) {
    this.proc = proc;
    this.objects = objects;
    for (const owner of sunk) {
      const value = this.newSlots(owner);
      this.slots.set(owner, { value, variable: owner.isPhi ? this.newSlots(owner) : value });
    }
  }

  private newSlots({ fields }: PrivateObject): Map<number, Value> {
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
      const phis: PrivateObject[] = [];
      for (const value of values) {
        // In edge form all Phis are at the head.
        if (value.opcode !== Op.Phi) this.copyPhiFields(phis);
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

  private copyPhiFields(phis: PrivateObject[]): void {
    for (const owner of phis.splice(0)) {
      const { value, variable } = this.slotsOf(owner);
      this.copyFields(owner, variable, value);
    }
  }

  private sunkOwner(address: Value): PrivateObject | null {
    const owner = this.objects.owner(address);
    return owner !== null && this.slots.has(owner) ? owner : null;
  }

  private slotsOf(owner: PrivateObject): FieldSlots {
    const slots = this.slots.get(owner);
    return slots ?? { value: NONE, variable: NONE };
  }

  private visit(value: Value): void {
    if ((EFFECTS[value.opcode] & EXITS) !== 0) this.buildAtExit(value);
    if (value.opcode === Op.Upsilon) this.copyToPhi(value);
    this.values.push(value);
    if (value.opcode === Op.Allocate) this.initializeFields(value);
    else this.redirect(value);
  }

  /** Initializes the fields with the bytes of the heap. */
  private initializeFields(allocation: Value): void {
    const owner = this.sunkOwner(allocation);
    if (owner === null) return;
    for (const field of owner.fields) {
      const bytes = this.load(field, allocation, field.offset);
      this.store(field, bytes, this.slotsOf(owner).value);
    }
  }

  /** Redirects an access to the field's slot. */
  private redirect(value: Value): void {
    if ((EFFECTS[value.opcode] & (READS_MEMORY | WRITES_MEMORY)) === 0) return;
    const owner = this.sunkOwner(value.address);
    if (owner === null) return;
    const base = this.slotsOf(owner).value.get(this.objects.offset(value)) ?? null;
    if ((EFFECTS[value.opcode] & WRITES_MEMORY) !== 0) value.b = base;
    else value.a = base;
    if (value.opcode === Op.LoadInvariant) value.opcode = Op.Load;
    value.offset = 0;
    value.memoryClass = 0;
  }

  /** Copies the fields when an address is written to a Phi. */
  private copyToPhi({ a, phi }: Value): void {
    const from = a === null ? null : this.sunkOwner(a);
    const to = this.sunkOwner(phi);
    if (from === null || to === null) return;
    // Collect the Upsilons of the fields, and insert them together, because edge form keeps them
    // adjacent.
    const upsilons: Value[] = [];
    while (this.values.at(-1)?.opcode === Op.Upsilon) upsilons.push(...this.values.splice(-1));
    this.copyFields(from, this.slotsOf(from).value, this.slotsOf(to).variable);
    this.values.push(...upsilons.reverse());
  }

  private copyFields(
    { fields }: PrivateObject,
    from: ReadonlyMap<number, Value>,
    to: ReadonlyMap<number, Value>,
  ): void {
    for (const field of fields) {
      const base = from.get(field.offset);
      if (base !== undefined) this.store(field, this.load(field, base, 0), to);
    }
  }

  /** Makes the guard's exit build the objects that it uses. */
  private buildAtExit(guard: Value): void {
    const used = this.objects.ownersUsedAt(guard).filter((owner) => this.slots.has(owner));
    if (used.length === 0) return;
    const snapshot = copySnapshot(this.proc, guard.snapshot, (value) => value);
    guard.extra = snapshot;
    const stores = used.flatMap((owner) => this.storesOf(owner));
    const first = snapshot.values.findIndex(
      ({ opcode }) => (EFFECTS[opcode] & WRITES_MEMORY) !== 0,
    );
    snapshot.values.splice(first < 0 ? snapshot.values.length : first, 0, ...stores);
  }

  /** Creates stores of the current fields, for an exit block. */
  private storesOf(owner: PrivateObject): Value[] {
    return owner.fields.flatMap((field) => {
      const base = this.slotsOf(owner).value.get(field.offset);
      if (base === undefined) return [];
      const store = this.make(STORE_OF[field.size] ?? Op.Store, Void);
      store.a = this.load(field, base, 0);
      store.b = owner.value;
      store.offset = field.offset;
      return [store];
    });
  }

  private load({ size, type }: ObjectField, address: Value, offset: number): Value {
    const value = this.make(LOAD_OF[size] ?? Op.Load, type);
    value.a = address;
    value.offset = offset;
    this.values.push(value);
    return value;
  }

  private store({ offset, size }: ObjectField, bytes: Value, to: ReadonlyMap<number, Value>): void {
    const store = this.make(STORE_OF[size] ?? Op.Store, Void);
    store.a = bytes;
    store.b = to.get(offset) ?? null;
    this.values.push(store);
  }

  private make(opcode: Opcode, type: Type): Value {
    return this.proc.newValue(opcode, type);
  }
}

const NONE: ReadonlyMap<number, Value> = new Map();

/** The opcode of a load by its size in bytes; other sizes use Load. */
const LOAD_OF: Readonly<Partial<Record<number, Opcode>>> = { 1: Op.Load8Z, 2: Op.Load16Z };
const STORE_OF: Readonly<Partial<Record<number, Opcode>>> = { 1: Op.Store8, 2: Op.Store16 };
