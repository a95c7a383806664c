// Modules, procedures, blocks, values and snapshots: the program in memory.
//
// Values are objects of one class and one shape, because a pass over objects of many shapes is
// four times slower. Ids are dense enough to index typed arrays.

import { assert } from "../support/assert.js";
import { HOST_FUNCTIONS, type HostFunction, isObservable } from "./host-functions.js";
import {
  ATOMIC,
  CALLS_ADDRESS,
  EFFECTS,
  IS_LITERAL,
  NAMES_HOST,
  NAMES_KIND,
  Op,
  type Opcode,
  READS_MEMORY,
  specOf,
  WRITES_MEMORY,
} from "./opcodes.js";
import { PATCHPOINTS, type PatchpointKind } from "./patchpoints.js";
import { isFloating, sizeOf, type Type, type TypeName, Void } from "./types.js";

/**
 * What a value names besides its operands: the Phi of an Upsilon, the slot of a SlotBase, a
 * callee, the procedure of a FunctionAddress, a snapshot, the cases of a Switch.
 */
export type Extra = Value | StackSlot | HostFunction | Procedure | Snapshot | SwitchCases | null;

/**
 * `T` is the type's name where TypeScript can know it: in programs written with the builder.
 */
export class Value<out T extends TypeName = TypeName> {
  declare readonly typed?: T;
  opcode: Opcode;
  type: Type;
  readonly id: number;
  a: Value | null;
  b: Value | null;
  c: Value | null;
  /** The arguments of a call or patchpoint. */
  rest: Value[] | null;
  /**
   * Low and high word of a constant; `lo` is the byte offset of a memory access, the index of a
   * patchpoint's kind, the number of an ArgumentReg or of a further result, the index of the host function of
   * a CCallCheck.
   */
  lo: number;
  hi: number;
  extra: Extra;
  /** The block that holds the value; null for parameters and values of exit blocks. */
  block: BasicBlock | null;
  /** Number of uses; valid only directly after `Procedure.countUses`. */
  uses: number;

  constructor(id: number, opcode: Opcode, type: Type) {
    this.id = id;
    this.opcode = opcode;
    this.type = type;
    this.a = null;
    this.b = null;
    this.c = null;
    this.rest = null;
    this.lo = 0;
    this.hi = 0;
    this.extra = null;
    this.block = null;
    this.uses = 0;
  }

  get isConstant(): boolean {
    return IS_LITERAL[this.opcode] === 1;
  }

  /** The Phi that an Upsilon writes. */
  get phi(): Value {
    assert(this.extra instanceof Value, () => `@${this.id} has no Phi`);
    return this.extra;
  }

  /** The snapshot of a guard. */
  get snapshot(): Snapshot {
    assert(this.extra instanceof Snapshot, () => `@${this.id} has no snapshot`);
    return this.extra;
  }

  /** The keys of a Switch. */
  get cases(): SwitchCases {
    assert(this.extra instanceof SwitchCases, () => `@${this.id} has no cases`);
    return this.extra;
  }

  /** The stack slot of a SlotBase. */
  get slot(): StackSlot {
    assert(this.extra instanceof StackSlot, () => `@${this.id} has no stack slot`);
    return this.extra;
  }

  /** The host function of a CCall or CCallCheck; null where it calls a procedure, and for what calls an address. */
  get host(): HostFunction | null {
    const { extra } = this;
    if (NAMES_HOST[this.opcode] === 1) return HOST_FUNCTIONS[this.lo] ?? null;
    return extra !== null && "apply" in extra ? extra : null;
  }

  /** The procedure of a CCall or FunctionAddress; null where a CCall calls a host function. */
  get procedure(): Procedure | null {
    return this.extra instanceof Procedure ? this.extra : null;
  }

  /** The kind of a patchpoint; null for other opcodes. */
  get patchpoint(): PatchpointKind | null {
    return NAMES_KIND[this.opcode] === 1 ? (PATCHPOINTS[this.lo] ?? null) : null;
  }

  /** Of a call or patchpoint: its only observable effect is its result. */
  get isUnobserved(): boolean {
    const { host, patchpoint } = this;
    if (patchpoint !== null) return patchpoint.effect === "pure" || patchpoint.effect === "read";
    return host !== null && !isObservable(host);
  }

  /** Of a call or patchpoint: its result depends on its operands alone, and it has no effect. */
  get isPureCall(): boolean {
    return this.host?.class === "pure" || this.patchpoint?.effect === "pure";
  }

  /** Of an access: the class of memory that the program says it belongs to; 0 for none. */
  get accessClass(): number {
    return this.hi;
  }

  /** The address operand of a load, a store or an atomic operation. */
  get address(): Value {
    const effects = EFFECTS[this.opcode];
    const isLast = (effects & ATOMIC) !== 0 && this.c !== null;
    const address = isLast ? this.c : (effects & (WRITES_MEMORY | ATOMIC)) !== 0 ? this.b : this.a;
    assert(address !== null, () => `@${this.id} has no address`);
    return address;
  }

  /** Turns the value into a copy of `other`; the next sweep replaces its uses. */
  becomes(other: Value): void {
    this.clear(Op.Identity);
    this.a = other;
  }

  /** Turns the value into a constant of its type. */
  becomesConstant(lo: number, hi: number): void {
    this.clear(CONSTANT_OPCODES[this.type]);
    this.lo = lo;
    this.hi = hi;
  }

  /** Turns the value into a Phi of its type, which nothing writes yet. */
  becomesPhi(): void {
    this.clear(Op.Phi);
  }

  /** Turns the value into a Nop; the next sweep removes it. */
  becomesNop(): void {
    this.clear(Op.Nop);
    this.type = Void;
  }

  private clear(opcode: Opcode): void {
    this.opcode = opcode;
    this.a = null;
    this.b = null;
    this.c = null;
    this.rest = null;
    this.lo = 0;
    this.hi = 0;
    this.extra = null;
  }
}

/** The constant's opcode for each type. */
export const CONSTANT_OPCODES: readonly Opcode[] = [
  Op.Nop,
  Op.Const32,
  Op.Const64,
  Op.ConstFloat,
  Op.ConstDouble,
];

/** Bytes that a load, a store or an atomic operation accesses. */
export function accessSize(value: Value): number {
  const { bytes } = specOf(value.opcode);
  if (bytes !== undefined) return bytes;
  const stores = (EFFECTS[value.opcode] & (WRITES_MEMORY | ATOMIC)) !== 0;
  return sizeOf(stores && value.a !== null ? value.a.type : value.type);
}

/** The greatest class of memory. */
export const CLASS_MAX = 255;

/** A load or store. */
export const isMemoryAccess = (value: Value): boolean =>
  (EFFECTS[value.opcode] & (READS_MEMORY | WRITES_MEMORY)) !== 0;

/** It reads and writes one place of the heap. */
export const isAtomic = ({ opcode }: Value): boolean => (EFFECTS[opcode] & ATOMIC) !== 0;

export class StackSlot {
  readonly id: number;
  readonly size: number;
  /** A locked slot keeps the bytes that a partial store leaves; an anonymous one forgets them. */
  readonly isLocked: boolean;

  constructor(id: number, size: number, isLocked: boolean) {
    this.id = id;
    this.size = size;
    this.isLocked = isLocked;
  }
}

/**
 * The keys of a Switch, in order. Case k goes to successor k of the block, the default to the one
 * after the last case. Immutable: other keys need a new object.
 */
export class SwitchCases {
  /** Low and high word of each key; the high word is 0 where the operand is an Int32. */
  readonly lo: readonly number[];
  readonly hi: readonly number[];

  constructor(lo: readonly number[], hi: readonly number[]) {
    this.lo = lo;
    this.hi = hi;
  }

  get count(): number {
    return this.lo.length;
  }
}

/** One entry of a frame: what an exit must know of one variable of the source. */
export type Slot =
  | { readonly kind: "value"; value: Value }
  | { readonly kind: "constant"; readonly type: Type; readonly lo: number; readonly hi: number }
  | { readonly kind: "dead" }
  /** The bytes of an anonymous slot. */
  | { readonly kind: "contents"; readonly slot: StackSlot }
  /**
   * The bytes that an anonymous slot of that size would show: those of the values, in ascending
   * order and apart from each other; the others are unwritten.
   */
  | { readonly kind: "fields"; readonly size: number; readonly fields: readonly Field[] }
  /** Bytes of the heap, counted from its start, that are dead after the exit. */
  | { readonly kind: "deadHeap"; readonly offset: number; readonly size: number }
  /** The same, counted from an address; bytes beyond the heap are left out. */
  | {
      readonly kind: "deadBytes";
      address: Value;
      readonly offset: number;
      readonly size: number;
    };

/** A value whose bytes start at an offset. */
export interface Field {
  readonly offset: number;
  value: Value;
}

/** The type of a continuation's parameter for the slot; Void if it has none. */
export function givenType(slot: Slot): Type {
  if (slot.kind === "value") return slot.value.type;
  return slot.kind === "constant" ? slot.type : Void;
}

export interface Frame {
  /** Names for reports: where in the source program this frame stands. */
  readonly name: string;
  readonly point: number;
  readonly slots: Slot[];
}

/** What an exit rebuilds. Guards may share one. */
export class Snapshot {
  readonly id: number;
  /** The exit's number: copies of a guard keep it. */
  readonly exit: number;
  /** The exit block: total values, then stores, run when the exit is taken. */
  readonly values: Value[] = [];
  /** Innermost first. */
  readonly frames: Frame[] = [];

  constructor(id: number, exit: number) {
    this.id = id;
    this.exit = exit;
  }
}

export class BasicBlock {
  readonly id: number;
  values: Value[] = [];
  successors: BasicBlock[] = [];
  /**
   * Valid only directly after `Procedure.computePredecessors`. A block that occurs twice is
   * listed twice.
   */
  predecessors: BasicBlock[] = [];
  frequency = 1;
  /** Position in `Procedure.blocks`; valid only directly after `Procedure.computePredecessors`. */
  index = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** The control value at the end. */
  get last(): Value {
    return this.values[this.values.length - 1];
  }
}

/** Further results of a procedure: every target returns them in registers, and a return has operands for them. */
export const FURTHER_MAX = 2;

export class Procedure {
  readonly name: string;
  readonly result: Type;
  /** The types of the results after the first: FURTHER_MAX at most. */
  readonly further: readonly Type[];
  readonly parameters: Value[] = [];
  readonly slots: StackSlot[] = [];
  readonly snapshots: Snapshot[] = [];
  /** The first is the entry. */
  blocks: BasicBlock[] = [];
  /** One above the largest id of a value; the length of a side table. */
  valueIdEnd = 0;
  blockIdEnd = 0;
  snapshotIdEnd = 0;

  constructor(name: string, result: Type, further: readonly Type[] = []) {
    this.name = name;
    this.result = result;
    this.further = further;
  }

  /** A value of this procedure that is in no block yet. */
  newValue(opcode: Opcode, type: Type, id = this.valueIdEnd): Value {
    if (id >= this.valueIdEnd) this.valueIdEnd = id + 1;
    return new Value(id, opcode, type);
  }

  newConstant(type: Type, lo: number, hi: number): Value {
    const value = this.newValue(CONSTANT_OPCODES[type], type);
    value.lo = lo;
    value.hi = hi;
    return value;
  }

  newParameter(type: Type, id = this.valueIdEnd): Value {
    const value = this.newValue(Op.Parameter, type, id);
    value.lo = this.parameters.length;
    this.parameters.push(value);
    return value;
  }

  newBlock(id = this.blockIdEnd): BasicBlock {
    if (id >= this.blockIdEnd) this.blockIdEnd = id + 1;
    const block = new BasicBlock(id);
    this.blocks.push(block);
    return block;
  }

  newSnapshot(exit: number, id = this.snapshotIdEnd): Snapshot {
    if (id >= this.snapshotIdEnd) this.snapshotIdEnd = id + 1;
    const snapshot = new Snapshot(id, exit);
    this.snapshots.push(snapshot);
    return snapshot;
  }

  newSlot(size: number, isLocked: boolean, id = slotIdEnd(this.slots)): StackSlot {
    const slot = new StackSlot(id, size, isLocked);
    this.slots.push(slot);
    return slot;
  }

  /** Sets `predecessors` and `index` of every block. */
  computePredecessors(): void {
    const { blocks } = this;
    for (let b = 0; b < blocks.length; b++) {
      blocks[b].index = b;
      if (blocks[b].predecessors.length > 0) blocks[b].predecessors = [];
    }
    for (let b = 0; b < blocks.length; b++) {
      const { successors } = blocks[b];
      for (let s = 0; s < successors.length; s++) successors[s].predecessors.push(blocks[b]);
    }
  }

  /**
   * Sets `uses` of every value: operands, and slots and operands of each snapshot once per guard.
   */
  countUses(): void {
    for (let p = 0; p < this.parameters.length; p++) this.parameters[p].uses = 0;
    this.forEachValue(clearUses);
    this.forEachValue(countOperands);
    for (let b = 0; b < this.blocks.length; b++) {
      const { values } = this.blocks[b];
      for (let i = 0; i < values.length; i++) {
        const { extra } = values[i];
        if (extra instanceof Snapshot) forEachSlotValue(extra, countUse);
      }
    }
  }

  /** Calls `visit` with each value of the blocks in order, then of the exit blocks. */
  forEachValue(visit: (value: Value) => void): void {
    for (let b = 0; b < this.blocks.length; b++) {
      const { values } = this.blocks[b];
      for (let i = 0; i < values.length; i++) visit(values[i]);
    }
    for (let s = 0; s < this.snapshots.length; s++) {
      const { values } = this.snapshots[s];
      for (let i = 0; i < values.length; i++) visit(values[i]);
    }
  }
}

// A slot may be removed, so ids have gaps.
const slotIdEnd = (slots: readonly StackSlot[]): number =>
  slots.reduce((end, { id }) => Math.max(end, id + 1), 0);

export class Module {
  /** Bytes of heap; a multiple of 4096, so that the guards around it are exact. */
  heapSize = 4096;
  /** The first is the entry; the others are continuations. */
  readonly procedures: Procedure[] = [];
  /** Exit number to the continuations of its frames, innermost first. */
  readonly continuations = new Map<number, Procedure[]>();

  get entry(): Procedure {
    return this.procedures[0];
  }

  procedureNamed(name: string): Procedure | null {
    return this.procedures.find((proc) => proc.name === name) ?? null;
  }
}

/**
 * The entry, and the procedures that it reaches by calls, directly or not: all that are compiled.
 */
export function compiledProcedures({ entry }: Module): readonly Procedure[] {
  const reached = [entry];
  for (let next = 0; next < reached.length; next++) {
    reached[next].forEachValue(({ procedure }) => {
      if (procedure !== null && !reached.includes(procedure)) reached.push(procedure);
    });
  }
  return reached;
}

/** The procedure of a call that names it, or of a CallCheck its address; null for others. */
export function calledBy({ opcode, procedure, a }: Value): Procedure | null {
  if (opcode === Op.CCall) return procedure;
  return opcode === Op.CallCheck && a?.opcode === Op.FunctionAddress ? a.procedure : null;
}

/**
 * The procedures that a CallIndirect or CallCheck may reach: those of the FunctionAddresses that its first
 * operand comes from, by Identity and Select; empty where it comes from anything else.
 */
export function reachedProcedures(call: Value): readonly Procedure[] {
  const reached: Procedure[] = [];
  const seen = new Set<Value>();
  const work = [call.a];
  for (let value = work.pop(); value !== undefined; value = work.pop()) {
    if (value === null) return [];
    if (seen.has(value)) continue;
    seen.add(value);
    const { procedure } = value;
    if (value.opcode === Op.Identity) work.push(value.a);
    else if (value.opcode === Op.Select) work.push(value.b, value.c);
    else if (value.opcode !== Op.FunctionAddress || procedure === null) return [];
    else reached.push(procedure);
  }
  return reached;
}

/** The types of the further results of a call: of the procedures that it may reach, which agree. */
export function furtherOf(call: Value): readonly Type[] {
  const called =
    calledBy(call) ?? (CALLS_ADDRESS[call.opcode] === 1 ? reachedProcedures(call)[0] : undefined);
  return called?.further ?? NO_TYPES;
}
const NO_TYPES: readonly Type[] = [];

/** The values that a return gives: the first result, then the further ones. */
export function returnedBy({ a, b, c }: Value): Value[] {
  return [a, b, c].filter((value) => value !== null);
}

/** The Extracts of the call: all stand in its block. */
export function extractsOf(call: Value): Value[] {
  const values = call.block?.values ?? [];
  return values.filter(({ opcode, a }) => opcode === Op.Extract && a === call);
}

/** Moves all Extracts of the block directly behind their calls, so that it may be split at any other place. */
export function gatherExtracts(block: BasicBlock): void {
  const { values } = block;
  if (!values.some(({ opcode }) => opcode === Op.Extract)) return;
  const behind = new Map<Value | null, Value[]>();
  for (const value of values) {
    if (value.opcode !== Op.Extract) continue;
    const others = behind.get(value.a);
    if (others === undefined) behind.set(value.a, [value]);
    else others.push(value);
  }
  block.values = values.flatMap((value) =>
    value.opcode === Op.Extract ? [] : [value, ...(behind.get(value) ?? [])],
  );
}

/** Integer and floating arguments that every target passes in registers. */
const ARGUMENT_REGISTERS = { integers: 6, floats: 8 } as const;

/**
 * The parameter that an ArgumentReg of that type and number names: it counts those of its bank. Null
 * if there is none, or if some target passes it on the stack.
 */
export function argumentOf(proc: Procedure, type: Type, number: number): Value | null {
  const isFloat = isFloating(type);
  const { integers, floats } = ARGUMENT_REGISTERS;
  if (number >= (isFloat ? floats : integers)) return null;
  let left = number;
  for (let p = 0; p < proc.parameters.length; p++) {
    if (isFloating(proc.parameters[p].type) === isFloat && left-- === 0) return proc.parameters[p];
  }
  return null;
}

/** Calls `visit` with each operand; a call's arguments are in `rest`. */
export function forEachOperand(value: Value, visit: (operand: Value) => void): void {
  if (value.a !== null) visit(value.a);
  if (value.b !== null) visit(value.b);
  if (value.c !== null) visit(value.c);
  if (value.rest !== null) for (let i = 0; i < value.rest.length; i++) visit(value.rest[i]);
}

/**
 * Calls `visit` with each value that a slot of the snapshot names; not with those that exit-block
 * values use.
 */
export function forEachSlotValue(snapshot: Snapshot, visit: (value: Value) => void): void {
  for (let f = 0; f < snapshot.frames.length; f++) {
    const { slots } = snapshot.frames[f];
    for (let s = 0; s < slots.length; s++) {
      const slot = slots[s];
      if (slot.kind === "value") visit(slot.value);
      else if (slot.kind === "fields") for (const { value } of slot.fields) visit(value);
      else if (slot.kind === "deadBytes") visit(slot.address);
    }
  }
}

/** A slot that names `seen(value)` for each value that `slot` names, and shares nothing mutable. */
export function copySlot(slot: Slot, seen: (value: Value) => Value): Slot {
  if (slot.kind === "value") return { kind: "value", value: seen(slot.value) };
  if (slot.kind === "deadBytes") return { ...slot, address: seen(slot.address) };
  if (slot.kind !== "fields") return slot;
  const fields = slot.fields.map(({ offset, value }) => ({ offset, value: seen(value) }));
  return { kind: "fields", size: slot.size, fields };
}

/** Replaces each value that a slot of the snapshot names by `seen(value)`. */
export function rewriteSlots(snapshot: Snapshot, seen: (value: Value) => Value): void {
  for (let f = 0; f < snapshot.frames.length; f++) {
    const { slots } = snapshot.frames[f];
    for (let s = 0; s < slots.length; s++) {
      const slot = slots[s];
      if (slot.kind === "value") slot.value = seen(slot.value);
      else if (slot.kind === "deadBytes") slot.address = seen(slot.address);
      else if (slot.kind === "fields") {
        for (const field of slot.fields) field.value = seen(field.value);
      }
    }
  }
}

function clearUses(value: Value): void {
  value.uses = 0;
}

function countUse(value: Value): void {
  value.uses++;
}

function countOperands(value: Value): void {
  forEachOperand(value, countUse);
}
