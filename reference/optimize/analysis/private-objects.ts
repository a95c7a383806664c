// Finds the objects of a procedure that can be replaced by values. Their addresses are used only by
// accesses, Phis, exits, and stores into other such objects.
//
// An *owner* is an Allocate of a constant size, or a Phi of addresses of owners. An address is an
// owner plus a constant. Any other use of an address rejects its owner: another operation, a store
// to memory of no owner, or an access that partly overlaps another one. Rejecting an owner also
// rejects the owners that were merged with it and those that were stored into it.
//
// The fields of an owner represent its bytes as long as only one name refers to them. So:
//
// 1. After an Upsilon of an owner nothing uses that owner until it is defined again. From there on
//    the Phi represents the bytes.
// 2. A *member* is an owner whose address is stored into another owner, its *container*. A member
//    is not merged afterwards. The container is neither merged nor a Phi. The field with the member's
//    address is never loaded, because the loaded value would be another name. A member may be a Phi:
//    its address identifies the object, and its fields are the fields of that object.
// 3. A guard whose exit uses a container rebuilds its members too. So the member's definition
//    dominates the guard, or cannot precede it.
// 4. If a member is defined again after its store, no later guard uses the container. It contains
//    the address of the older object, whose fields are gone.
//
// Assumes a valid program in edge form. The rejection loop terminates because each pass that
// changes anything rejects an owner.

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

/** The maximum size of an object, in bytes. */
const SIZE_MAX = 512;

/** A part of an owner that is always accessed as a whole. */
export interface ObjectField {
  readonly offset: number;
  readonly size: number;
  /** The type of the values that are loaded and stored; Int32 for one or two bytes. */
  readonly type: Type;
}

/** A store of a member's address into its container. */
interface ObjectMembership {
  readonly store: Value;
  readonly member: PrivateObject;
  readonly container: PrivateObject;
}

export class PrivateObject {
  /** The value that produces the address: an Allocate, or a Phi of addresses. */
  readonly value: Value;
  /** The size of an Allocate in bytes; SIZE_MAX for a Phi. */
  readonly size: number;
  isRejected = false;
  readonly accesses: Value[] = [];
  /**
   * Upsilons that write its address to a Phi. `inputs` are the Upsilons that write to this owner,
   * if it is a Phi.
   */
  readonly outputs: Value[] = [];
  readonly inputs: Value[] = [];
  /** Guards whose exits use its address. */
  readonly guards: Value[] = [];
  readonly members: ObjectMembership[] = [];
  readonly containers: ObjectMembership[] = [];
  /** The fields of the whole group of merged owners. */
  fields: readonly ObjectField[] = [];
  /** Another owner of its group, or itself (a union-find forest). */
  private up: PrivateObject = this;

  constructor(value: Value, size: number) {
    this.value = value;
    this.size = size;
  }

  get isPhi(): boolean {
    return this.value.opcode === Op.Phi;
  }

  /** The owner that represents its group. */
  get group(): PrivateObject {
    let at: PrivateObject = this;
    while (at.up !== at) at = at.up;
    return at;
  }

  join(other: PrivateObject): void {
    other.group.up = this.group;
  }
}

export class PrivateObjects {
  readonly owners: PrivateObject[] = [];
  private readonly flow: ControlFlow;
  /** By id of an address: 1 plus the index of its owner; 0 for other values. */
  private readonly ownerOf: Int32Array;
  /** By id of an address: bytes from its owner. */
  private readonly offsetOf: Int32Array;

  constructor(proc: Procedure, flow: ControlFlow, context: OptimizeContext) {
    this.flow = flow;
    this.ownerOf = context.table(proc.valueIdEnd);
    this.offsetOf = context.table(proc.valueIdEnd);
    let count = -1;
    // Repeats, because a loop may use an address before the Upsilon that makes its Phi an owner is
    // visited.
    while (count !== this.owners.length) {
      count = this.owners.length;
      for (const { values } of flow.order) for (const value of values) this.findOwner(value);
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
        this.recordUses(value);
      }
    }
    for (const owner of this.owners)
      for (const { phi } of owner.outputs) this.owner(phi)?.join(owner);
    this.rejectAll();
  }

  /** Returns the owner of an address; null for other values. It may be rejected. */
  owner(value: Value): PrivateObject | null {
    const index = this.ownerOf[value.id];
    return index === 0 ? null : this.owners[index - 1];
  }

  /** Returns the number of bytes from the owner to the start of the access. */
  offset(access: Value): number {
    return this.offsetOf[access.address.id] + access.offset;
  }

  /** Returns the owners whose bytes the exit of the guard needs. */
  ownersUsedAt(guard: Value): readonly PrivateObject[] {
    const shown = new Set(
      this.owners.filter(({ guards, isRejected }) => !isRejected && guards.includes(guard)),
    );
    // The loop also visits owners that are added to the set during the iteration.
    for (const { members } of shown) {
      for (const { member } of members) {
        if (!member.isRejected && this.comesBefore(member.value, guard)) shown.add(member);
      }
    }
    return [...shown];
  }

  private findOwner(value: Value): void {
    const { opcode, a, b } = value;
    if (this.ownerOf[value.id] !== 0 || a === null) return;
    if (opcode === Op.Allocate) {
      const isSmall =
        b !== null &&
        b.opcode === Op.Const64 &&
        b.constantHigh === 0 &&
        b.constantLow >>> 0 <= SIZE_MAX;
      if (isSmall) this.add(value, b.constantLow);
    } else if (opcode === Op.Upsilon && this.ownerOf[a.id] !== 0) {
      if (this.ownerOf[value.phi.id] === 0) this.add(value.phi, SIZE_MAX);
    } else if (opcode === Op.Identity) this.derive(value, a, 0);
    else if (opcode === Op.Add && value.type === Int64 && b !== null) {
      if (isNear(b)) this.derive(value, a, b.constantLow);
      else if (isNear(a)) this.derive(value, b, a.constantLow);
    }
  }

  private add(value: Value, size: number): void {
    this.owners.push(new PrivateObject(value, size));
    this.ownerOf[value.id] = this.owners.length;
  }

  private derive(value: Value, from: Value, by: number): void {
    const total = this.offsetOf[from.id] + by;
    if (this.ownerOf[from.id] === 0 || (total | 0) !== total) return;
    this.ownerOf[value.id] = this.ownerOf[from.id];
    this.offsetOf[value.id] = total;
  }

  private recordUses(value: Value): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & EXITS) !== 0) this.recordSnapshot(value, value.snapshot);
    if ((effects & WRITES_MEMORY) !== 0) this.recordStore(value);
    else if ((effects & (READS_MEMORY | VOLATILE)) === READS_MEMORY) {
      this.owner(value.address)?.accesses.push(value);
    } else if (value.opcode === Op.Upsilon) this.recordUpsilon(value);
    // An address that is derived from another one is not a use of it.
    else if (this.ownerOf[value.id] === 0 || value.opcode === Op.Allocate) {
      forEachOperand(value, (operand) => this.reject(this.owner(operand)));
    }
  }

  private recordSnapshot(guard: Value, snapshot: Snapshot): void {
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

  private recordStore(store: Value): void {
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

  private recordUpsilon(upsilon: Value): void {
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

  private reject(owner: PrivateObject | null): void {
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

  private isSound(owner: PrivateObject): boolean {
    for (const other of this.owners)
      if (other.isRejected && other.group === owner.group) return false;
    for (const upsilon of owner.outputs) if (this.isUsedAfter(owner, upsilon)) return false;
    return owner.containers.every((membership) => this.isMemberSound(membership));
  }

  private isUsedAfter(owner: PrivateObject, upsilon: Value): boolean {
    return this.reachesBefore(upsilon, owner.value, (value) => this.uses(value, owner));
  }

  private uses(value: Value, owner: PrivateObject): boolean {
    if (value.opcode === Op.Upsilon) return value.a !== null && this.owner(value.a) === owner;
    return (
      owner.accesses.includes(value) ||
      owner.guards.includes(value) ||
      owner.containers.some(({ store }) => store === value)
    );
  }

  private isMemberSound({ store, member, container }: ObjectMembership): boolean {
    if (container.isRejected || container.isPhi) return false;
    if (member.outputs.length > 0 || container.outputs.length > 0) return false;
    const at = this.offset(store);
    const isLoaded = container.accesses.some(
      (access) => (EFFECTS[access.opcode] & READS_MEMORY) !== 0 && this.offset(access) === at,
    );
    if (isLoaded) return false;
    const isUsedByExit = (value: Value): boolean =>
      (EFFECTS[value.opcode] & EXITS) !== 0 && this.ownersUsedAt(value).includes(container);
    const isUnknownThere = (value: Value): boolean =>
      isUsedByExit(value) && !this.comesBefore(member.value, value);
    if (this.reachesBefore(member.value, container.value, isUnknownThere)) return false;
    const isAgain = this.reachesBefore(store, container.value, (value) => value === member.value);
    return !isAgain || !this.reachesBefore(member.value, container.value, isUsedByExit);
  }

  /** True if the definition precedes the value on every path. */
  private comesBefore(definition: Value, value: Value): boolean {
    const { flow } = this;
    const [above, block] = [definition.block, value.block];
    if (above === null || block === null) return false;
    if (above === block) return block.values.indexOf(definition) < block.values.indexOf(value);
    return dominates(flow, flow.position[above.index], flow.position[block.index]);
  }

  /** True if a path that starts after `start` reaches a match before `end`. */
  private reachesBefore(start: Value, end: Value, isMatch: (value: Value) => boolean): boolean {
    const { block } = start;
    if (block === null) return false;
    const visited = new Set([block]);
    const isFound = (values: readonly Value[]): boolean | null => {
      for (const value of values) {
        if (isMatch(value)) return true;
        if (value === end) return false;
      }
      return null;
    };
    const first = isFound(block.values.slice(block.values.indexOf(start) + 1));
    if (first !== null) return first;
    visited.delete(block); // a cycle may lead back to the values before the start
    const open = [...block.successors];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (visited.has(next)) continue;
      visited.add(next);
      const found = isFound(next.values);
      if (found === true) return true;
      if (found === null) open.push(...next.successors);
    }
    return false;
  }
}

const isNear = (value: Value): boolean =>
  value.opcode === Op.Const64 && value.constantHigh === value.constantLow >> 31;

/**
 * Returns the fields that the accesses of a group touch; null if two overlap in part, or one
 * exceeds an object.
 */
function fieldsOf(
  owners: readonly PrivateObject[],
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
