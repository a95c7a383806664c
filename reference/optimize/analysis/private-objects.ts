// Which objects of a procedure can be kept apart from memory: their addresses go nowhere but into
// accesses, Phis, exits, and other such objects.
//
// An *owner* is an Allocate of a constant size, or a Phi of addresses of owners; an address is an owner
// plus a constant. What happens to an address otherwise rejects its owner: a use by any other operation, a
// store to memory that is no owner's, an access of bytes that another access covers in part. Rejecting an
// owner rejects what was merged with it and what was stored into it.
//
// The fields of an owner stand for its bytes as long as one name has them. So:
//
// 1. Behind an Upsilon of an owner nothing uses that owner until it is defined again: from there on
//    the Phi has the bytes.
// 2. A *member*, an owner whose address was stored into another, its *container*, is not merged behind that,
//    and the container is neither merged nor a Phi; that field is not loaded, because what is loaded would be another
//    name. A member may be a Phi: which of its objects it is, its address says, and its fields are those of that one.
// 3. Where a guard shows a container it builds its members too, so their definitions dominate the guard,
//    or cannot come before it.
// 4. Behind the store of a member, no guard shows the container once the member was defined again: the
//    container has the address of the older one, whose fields are gone.
//
// Assumes a valid program in edge form. Each pass that changes something rejects an owner, so it stops.

import { type ControlFlow, dominates } from "../../../src/ir/control-flow.js";
import {
  EFFECTS,
  EXITS,
  Op,
  READS_MEMORY,
  VOLATILE,
  WRITES_MEMORY,
} from "../../../src/ir/opcodes.js";
import {
  accessSize,
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  type Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32, Int64, sizeOf, type Type } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { LIMITS } from "../edit/limits.js";

/** Bytes of one object, at most. */
const SIZE_MAX = 512;

/** Bytes of an owner that are accessed as a whole. */
export interface ObjectField {
  readonly offset: number;
  readonly size: number;
  /** Of what moves them; Int32 for a byte or two. */
  readonly type: Type;
}

/** An owner's address, stored into a container. */
interface Membership {
  readonly store: Value;
  readonly member: Owner;
  readonly container: Owner;
}

export class Owner {
  /** The Allocate, or the Phi. */
  readonly value: Value;
  /** Of an Allocate its size. */
  readonly size: number;
  isRejected = false;
  readonly accesses: Value[] = [];
  /** Upsilons that write its address to a Phi; of a Phi, those to it. */
  readonly outputs: Value[] = [];
  readonly inputs: Value[] = [];
  /** Guards whose exits use its address. */
  readonly guards: Value[] = [];
  readonly members: Membership[] = [];
  readonly containers: Membership[] = [];
  /** Of its group: all that was merged with it. */
  fields: readonly ObjectField[] = [];
  /** Another owner of its group, or itself. */
  private up: Owner = this;

  constructor(value: Value, size: number) {
    this.value = value;
    this.size = size;
  }

  get isPhi(): boolean {
    return this.value.opcode === Op.Phi;
  }

  /** The owner that stands for its group. */
  get group(): Owner {
    let at: Owner = this;
    while (at.up !== at) at = at.up;
    return at;
  }

  join(other: Owner): void {
    other.group.up = this.group;
  }
}

export class PrivateObjects {
  readonly owners: Owner[] = [];
  private readonly flow: ControlFlow;
  /** By id of an address: 1 plus the index of its owner; 0 of other values. */
  private readonly ownerOf: Int32Array;
  /** By id of an address: bytes from its owner. */
  private readonly offsetOf: Int32Array;

  constructor(proc: Procedure, flow: ControlFlow, context: OptimizeContext) {
    this.flow = flow;
    this.ownerOf = context.table(proc.valueIdEnd);
    this.offsetOf = context.table(proc.valueIdEnd);
    let count = -1;
    // A loop may use the address that a Phi of it gets at its end.
    while (count !== this.owners.length) {
      count = this.owners.length;
      for (const { values } of flow.order) for (const value of values) this.find(value);
      if (count === 0 && this.owners.length === 0) return;
      if (this.owners.length > LIMITS.objects) {
        context.reachLimit("objects");
        this.owners.length = 0;
        return;
      }
    }
    for (const block of flow.order) {
      for (const value of block.values) {
        value.block = block;
        this.look(value);
      }
    }
    for (const owner of this.owners)
      for (const { phi } of owner.outputs) this.owner(phi)?.join(owner);
    this.rejectAll();
  }

  /** The owner of an address; null of another value, and of a rejected one. */
  owner(value: Value): Owner | null {
    const index = this.ownerOf[value.id];
    return index === 0 ? null : this.owners[index - 1];
  }

  /** Bytes from the owner to where the access begins. */
  offset(access: Value): number {
    return this.offsetOf[access.address.id] + access.lo;
  }

  /** The owners whose bytes an exit needs at the guard. */
  shownAt(guard: Value): readonly Owner[] {
    const shown = new Set(
      this.owners.filter(({ guards, isRejected }) => !isRejected && guards.includes(guard)),
    );
    // A set gives what was added while it is read, too.
    for (const { members } of shown) {
      for (const { member } of members) {
        if (!member.isRejected && this.comesBefore(member.value, guard)) shown.add(member);
      }
    }
    return [...shown];
  }

  private find(value: Value): void {
    const { opcode, a, b } = value;
    if (this.ownerOf[value.id] !== 0 || a === null) return;
    if (opcode === Op.Allocate) {
      const isSmall = b !== null && b.opcode === Op.Const64 && b.hi === 0 && b.lo >>> 0 <= SIZE_MAX;
      if (isSmall) this.add(value, b.lo);
    } else if (opcode === Op.Upsilon && this.ownerOf[a.id] !== 0) {
      if (this.ownerOf[value.phi.id] === 0) this.add(value.phi, SIZE_MAX);
    } else if (opcode === Op.Identity) this.derive(value, a, 0);
    else if (opcode === Op.Add && value.type === Int64 && b !== null) {
      if (isNear(b)) this.derive(value, a, b.lo);
      else if (isNear(a)) this.derive(value, b, a.lo);
    }
  }

  private add(value: Value, size: number): void {
    this.owners.push(new Owner(value, size));
    this.ownerOf[value.id] = this.owners.length;
  }

  private derive(value: Value, from: Value, by: number): void {
    const total = this.offsetOf[from.id] + by;
    if (this.ownerOf[from.id] === 0 || (total | 0) !== total) return;
    this.ownerOf[value.id] = this.ownerOf[from.id];
    this.offsetOf[value.id] = total;
  }

  /** Notes what a value does with addresses. */
  private look(value: Value): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & EXITS) !== 0) this.lookAtSnapshot(value, value.snapshot);
    if ((effects & WRITES_MEMORY) !== 0) this.lookAtStore(value);
    else if ((effects & (READS_MEMORY | VOLATILE)) === READS_MEMORY) {
      this.owner(value.address)?.accesses.push(value);
    } else if (value.opcode === Op.Upsilon) this.lookAtUpsilon(value);
    // What was derived is an address itself.
    else if (this.ownerOf[value.id] === 0 || value.opcode === Op.Allocate) {
      forEachOperand(value, (operand) => this.reject(this.owner(operand)));
    }
  }

  private lookAtSnapshot(guard: Value, snapshot: Snapshot): void {
    const note = (value: Value): void => {
      const owner = this.owner(value);
      if (owner !== null && !owner.guards.includes(guard)) owner.guards.push(guard);
    };
    for (const value of snapshot.values) forEachOperand(value, note);
    forEachSlotValue(snapshot, note);
    for (const { slots } of snapshot.frames) {
      for (const slot of slots) {
        if (slot.kind === "deadBytes") this.reject(this.owner(slot.address));
      }
    }
  }

  private lookAtStore(store: Value): void {
    const container = this.owner(store.address);
    const member = store.a === null ? null : this.owner(store.a);
    container?.accesses.push(store);
    if (member === null) return;
    if (container === null || store.opcode !== Op.Store) this.reject(member);
    else {
      const membership = { store, member, container };
      container.members.push(membership);
      member.containers.push(membership);
    }
  }

  private lookAtUpsilon(upsilon: Value): void {
    const { a, phi } = upsilon;
    const from = a === null ? null : this.owner(a);
    const to = this.owner(phi);
    if (from !== null) from.outputs.push(upsilon);
    if (to !== null) to.inputs.push(upsilon);
    const isWhole = a !== null && this.offsetOf[a.id] === 0;
    if (from === null || to === null || !isWhole) {
      this.reject(from);
      this.reject(to);
    }
  }

  private reject(owner: Owner | null): void {
    if (owner !== null) owner.isRejected = true;
  }

  private rejectAll(): void {
    for (const group of new Set(this.owners.map((owner) => owner.group))) {
      const all = this.owners.filter((owner) => owner.group === group);
      const fields = fieldsOf(all, (access) => this.offset(access));
      for (const owner of all) {
        if (fields === null) owner.isRejected = true;
        else owner.fields = fields;
      }
    }
    for (let changed = true; changed; ) {
      changed = false;
      for (const owner of this.owners) {
        if (owner.isRejected || this.isSound(owner)) continue;
        owner.isRejected = true;
        changed = true;
      }
    }
  }

  private isSound(owner: Owner): boolean {
    for (const other of this.owners)
      if (other.isRejected && other.group === owner.group) return false;
    for (const upsilon of owner.outputs) if (this.isUsedBehind(owner, upsilon)) return false;
    return owner.containers.every((membership) => this.isMemberSound(membership));
  }

  private isUsedBehind(owner: Owner, upsilon: Value): boolean {
    return this.passes(upsilon, owner.value, (value) => this.uses(value, owner));
  }

  private uses(value: Value, owner: Owner): boolean {
    if (value.opcode === Op.Upsilon) return value.a !== null && this.owner(value.a) === owner;
    return (
      owner.accesses.includes(value) ||
      owner.guards.includes(value) ||
      owner.containers.some(({ store }) => store === value)
    );
  }

  private isMemberSound({ store, member, container }: Membership): boolean {
    if (container.isRejected || container.isPhi) return false;
    if (member.outputs.length > 0 || container.outputs.length > 0) return false;
    const at = this.offset(store);
    const isLoaded = container.accesses.some(
      (access) => (EFFECTS[access.opcode] & READS_MEMORY) !== 0 && this.offset(access) === at,
    );
    if (isLoaded) return false;
    const isShown = (value: Value): boolean =>
      (EFFECTS[value.opcode] & EXITS) !== 0 && this.shownAt(value).includes(container);
    const isUnknownThere = (value: Value): boolean =>
      isShown(value) && !this.comesBefore(member.value, value);
    if (this.passes(member.value, container.value, isUnknownThere)) return false;
    const isAgain = this.passes(store, container.value, (value) => value === member.value);
    return !isAgain || !this.passes(member.value, container.value, isShown);
  }

  /** True if the definition is there on every path to the value. */
  private comesBefore(definition: Value, value: Value): boolean {
    const { flow } = this;
    const [above, block] = [definition.block, value.block];
    if (above === null || block === null) return false;
    if (above === block) return block.values.indexOf(definition) < block.values.indexOf(value);
    return dominates(flow, flow.position[above.index], flow.position[block.index]);
  }

  /** True if a path from behind `start` meets what is wanted before it meets `end`. */
  private passes(start: Value, end: Value, isWanted: (value: Value) => boolean): boolean {
    const { block } = start;
    if (block === null) return false;
    const seen = new Set([block]);
    const isFound = (values: readonly Value[]): boolean | null => {
      for (const value of values) {
        if (isWanted(value)) return true;
        if (value === end) return false;
      }
      return null;
    };
    const first = isFound(block.values.slice(block.values.indexOf(start) + 1));
    if (first !== null) return first;
    seen.delete(block); // a loop may come back to what stands before the start
    const open = [...block.successors];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const found = isFound(next.values);
      if (found === true) return true;
      if (found === null) open.push(...next.successors);
    }
    return false;
  }
}

const isNear = ({ opcode, lo, hi }: Value): boolean => opcode === Op.Const64 && hi === lo >> 31;

/** What the accesses of a group touch; null if some overlap in part, or go beyond an object. */
function fieldsOf(
  owners: readonly Owner[],
  offsetOf: (access: Value) => number,
): readonly ObjectField[] | null {
  const room = Math.min(...owners.map(({ size }) => size));
  const fields = new Map<number, ObjectField>();
  for (const { accesses } of owners) {
    for (const access of accesses) {
      const [offset, size] = [offsetOf(access), accessSize(access)];
      const known = fields.get(offset);
      if (offset < 0 || offset + size > room || (known !== undefined && known.size !== size)) {
        return null;
      }
      if (known === undefined) fields.set(offset, { offset, size, type: typeOf(access, size) });
    }
  }
  const all = [...fields.values()].sort((x, y) => x.offset - y.offset);
  const isApart = all.every(
    ({ offset, size }, i) => i + 1 === all.length || offset + size <= all[i + 1].offset,
  );
  return isApart ? all : null;
}

function typeOf({ opcode, a, type }: Value, size: number): Type {
  const moved = (EFFECTS[opcode] & WRITES_MEMORY) !== 0 && a !== null ? a.type : type;
  return size === sizeOf(moved) ? moved : Int32;
}
