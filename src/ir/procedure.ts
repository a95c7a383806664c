// Defines modules, procedures, blocks, values and snapshots: the program in memory.
//
// All values are objects of one class and one hidden class: a pass over objects of many hidden classes is four times
// slower. Ids are dense enough to index typed arrays.

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
 * The reference of a value besides its operands: the Phi of an Upsilon, the slot of a SlotBase, a callee, the procedure
 * of a FunctionAddress, a snapshot, the cases of a Switch.
 */
export type ExtraReference =
  | Value
  | StackSlot
  | HostFunction
  | Procedure
  | Snapshot
  | SwitchCases
  | null;

/**
 * One operation of a procedure, and its result. `T` is the type's name if TypeScript can infer it: in programs written
 * with the builder.
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
  /** The immediates: IMMEDIATES in immediates.ts names them by opcode. Only src/ir uses these two fields. */
  immediate0: number;
  immediate1: number;
  extra: ExtraReference;
  /** The block that contains the value; null for parameters and values of exit blocks. */
  block: BasicBlock | null;
  /** The number of uses; valid only directly after `Procedure.countUses`. */
  uses: number;

  constructor(id: number, opcode: Opcode, type: Type) {
    this.id = id;
    this.opcode = opcode;
    this.type = type;
    this.a = null;
    this.b = null;
    this.c = null;
    this.rest = null;
    this.immediate0 = 0;
    this.immediate1 = 0;
    this.extra = null;
    this.block = null;
    this.uses = 0;
  }

  // The accessors of the table IMMEDIATES. `checkImmediates` (immediates.ts) replaces them by ones that check the opcode.

  get constantLow(): number {
    return this.immediate0;
  }
  set constantLow(word: number) {
    this.immediate0 = word;
  }

  /** The high word of a constant; 0 for types of 32 bits. */
  get constantHigh(): number {
    return this.immediate1;
  }
  set constantHigh(word: number) {
    this.immediate1 = word;
  }

  /** The signed byte offset of a memory access. */
  get offset(): number {
    return this.immediate0;
  }
  set offset(bytes: number) {
    this.immediate0 = bytes;
  }

  /** The class of memory that an access states; 0 for none. */
  get memoryClass(): number {
    return this.immediate1;
  }
  set memoryClass(index: number) {
    this.immediate1 = index;
  }

  get parameterIndex(): number {
    return this.immediate0;
  }
  set parameterIndex(index: number) {
    this.immediate0 = index;
  }

  /** The number of an ArgumentReg among the parameters of its bank. */
  get argumentIndex(): number {
    return this.immediate0;
  }
  set argumentIndex(index: number) {
    this.immediate0 = index;
  }

  /** The index of a further result, from 1, in an Extract. */
  get resultIndex(): number {
    return this.immediate0;
  }
  set resultIndex(index: number) {
    this.immediate0 = index;
  }

  /** The row of FENCES of a Fence. */
  get fenceKind(): number {
    return this.immediate0;
  }
  set fenceKind(index: number) {
    this.immediate0 = index;
  }

  /** The row of PATCHPOINTS of a patchpoint. */
  get patchpointKind(): number {
    return this.immediate0;
  }
  set patchpointKind(index: number) {
    this.immediate0 = index;
  }

  /** The row of HOST_FUNCTIONS of a CCallCheck. */
  get hostIndex(): number {
    return this.immediate0;
  }
  set hostIndex(index: number) {
    this.immediate0 = index;
  }

  /** Copies the immediates of a value with the same opcode. */
  takeImmediates(other: Value): void {
    this.immediate0 = other.immediate0;
    this.immediate1 = other.immediate1;
  }

  /** Sets the immediates to 0, for a change of the opcode. */
  clearImmediates(): void {
    this.immediate0 = 0;
    this.immediate1 = 0;
  }

  /** Returns the immediates, for comparisons of programs. */
  get immediates(): readonly [number, number] {
    return [this.immediate0, this.immediate1];
  }

  /** Mixes the immediates into a hash. */
  hashImmediates(hash: number): number {
    return Math.imul(hash ^ this.immediate0, 0x85ebca6b) ^ Math.imul(this.immediate1, 0xc2b2ae35);
  }

  /** Returns whether the first immediate is zero, as it is for opcodes without immediates. */
  get hasZeroImmediate(): boolean {
    return this.immediate0 === 0;
  }

  /** Returns whether the immediates of both values are equal. */
  hasImmediatesOf(other: Value): boolean {
    return this.immediate0 === other.immediate0 && this.immediate1 === other.immediate1;
  }

  get isConstant(): boolean {
    return IS_LITERAL[this.opcode] === 1;
  }

  /** Returns the Phi that an Upsilon writes. */
  get phi(): Value {
    assert(this.extra instanceof Value, () => `@${this.id} has no Phi`);
    return this.extra;
  }

  /** Returns the snapshot of a guard. */
  get snapshot(): Snapshot {
    assert(this.extra instanceof Snapshot, () => `@${this.id} has no snapshot`);
    return this.extra;
  }

  /** Returns the keys of a Switch. */
  get cases(): SwitchCases {
    assert(this.extra instanceof SwitchCases, () => `@${this.id} has no cases`);
    return this.extra;
  }

  /** Returns the stack slot of a SlotBase. */
  get slot(): StackSlot {
    assert(this.extra instanceof StackSlot, () => `@${this.id} has no stack slot`);
    return this.extra;
  }

  /** Returns the host function of a CCall or CCallCheck; null if it calls a procedure or an address. */
  get host(): HostFunction | null {
    const { extra } = this;
    if (NAMES_HOST[this.opcode] === 1) return HOST_FUNCTIONS[this.immediate0] ?? null;
    return extra !== null && "apply" in extra ? extra : null;
  }

  /** Returns the procedure of a CCall or FunctionAddress; null if a CCall calls a host function. */
  get procedure(): Procedure | null {
    return this.extra instanceof Procedure ? this.extra : null;
  }

  /** Returns the kind of a patchpoint; null for other opcodes. */
  get patchpoint(): PatchpointKind | null {
    return NAMES_KIND[this.opcode] === 1 ? (PATCHPOINTS[this.immediate0] ?? null) : null;
  }

  /** Returns whether the only observable effect of a call or patchpoint is its result. */
  get isUnobserved(): boolean {
    const { host, patchpoint } = this;
    if (patchpoint !== null) return patchpoint.effect === "pure" || patchpoint.effect === "read";
    return host !== null && !isObservable(host);
  }

  /** Returns whether a call or patchpoint has no effect, and its result depends only on its operands. */
  get isPureCall(): boolean {
    return this.host?.class === "pure" || this.patchpoint?.effect === "pure";
  }

  /** Returns the address operand of a load, a store or an atomic operation. */
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
    this.immediate0 = lo;
    this.immediate1 = hi;
  }

  /** Turns the value into a Phi of its type, without Upsilons. */
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
    this.immediate0 = 0;
    this.immediate1 = 0;
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

/** Returns the number of bytes that a load, a store or an atomic operation accesses. */
export function accessSize(value: Value): number {
  const { bytes } = specOf(value.opcode);
  if (bytes !== undefined) return bytes;
  const stores = (EFFECTS[value.opcode] & (WRITES_MEMORY | ATOMIC)) !== 0;
  return sizeOf(stores && value.a !== null ? value.a.type : value.type);
}

/** The greatest class of memory. */
export const CLASS_MAX = 255;

/** Returns whether the value is a load or store. */
export const isMemoryAccess = (value: Value): boolean =>
  (EFFECTS[value.opcode] & (READS_MEMORY | WRITES_MEMORY)) !== 0;

/** Returns whether the value reads and writes one location of the heap. */
export const isAtomic = ({ opcode }: Value): boolean => (EFFECTS[opcode] & ATOMIC) !== 0;

export class StackSlot {
  readonly id: number;
  readonly size: number;
  /** True: a partial store keeps the other bytes of the slot. False (anonymous): they become unwritten. */
  readonly isLocked: boolean;

  constructor(id: number, size: number, isLocked: boolean) {
    this.id = id;
    this.size = size;
    this.isLocked = isLocked;
  }
}

/**
 * The keys of a Switch, in order. Case k continues at successor k of the block, the default at the successor after the
 * last case. Immutable: other keys need a new object.
 */
export class SwitchCases {
  /** The low and high word of each key; the high word is 0 if the operand is an Int32. */
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

/** An entry of a frame: the state of one variable of the source at an exit. */
export type FrameSlot =
  | { readonly kind: "value"; value: Value }
  | { readonly kind: "constant"; readonly type: Type; readonly lo: number; readonly hi: number }
  | { readonly kind: "dead" }
  /** The bytes of an anonymous slot. */
  | { readonly kind: "contents"; readonly slot: StackSlot }
  /**
   * Bytes in the form of an anonymous slot of that size: those of the values, in ascending order without overlap; the
   * other bytes are unwritten.
   */
  | { readonly kind: "fields"; readonly size: number; readonly fields: readonly ValueField[] }
  /** Bytes of the heap, at an offset from its start, that are dead after the exit. */
  | { readonly kind: "deadHeap"; readonly offset: number; readonly size: number }
  /** The same, at an offset from an address; bytes outside of the heap are ignored. */
  | {
      readonly kind: "deadBytes";
      address: Value;
      readonly offset: number;
      readonly size: number;
    };

/** A value whose bytes start at an offset. */
export interface ValueField {
  readonly offset: number;
  value: Value;
}

/** Returns the type of a continuation's parameter for the slot; Void if it has none. */
export function parameterTypeFor(slot: FrameSlot): Type {
  if (slot.kind === "value") return slot.value.type;
  return slot.kind === "constant" ? slot.type : Void;
}

export interface SnapshotFrame {
  /** The name and point of the source program that this frame belongs to, for reports. */
  readonly name: string;
  readonly point: number;
  readonly slots: FrameSlot[];
}

/** The state that an exit rebuilds. Several guards may share one. */
export class Snapshot {
  readonly id: number;
  /** The exit's number: copies of a guard have the same one. */
  readonly exit: number;
  /** The exit block: total values, then stores, executed when the exit is taken. */
  readonly values: Value[] = [];
  /** The frames, innermost first. */
  readonly frames: SnapshotFrame[] = [];

  constructor(id: number, exit: number) {
    this.id = id;
    this.exit = exit;
  }
}

export class BasicBlock {
  readonly id: number;
  values: Value[] = [];
  successors: BasicBlock[] = [];
  /** Valid only directly after `Procedure.computePredecessors`. A block that branches here twice is listed twice. */
  predecessors: BasicBlock[] = [];
  frequency = 1;
  /** Position in `Procedure.blocks`; valid only directly after `Procedure.computePredecessors`. */
  index = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** Returns the control value at the end. */
  get last(): Value {
    return this.values[this.values.length - 1];
  }

  /** Adds the value at the end, and returns it. */
  append(value: Value): Value {
    value.block = this;
    this.values.push(value);
    return value;
  }
}

/**
 * The greatest number of further results: every target returns them in registers, and a return has operands for them.
 */
export const FURTHER_MAX = 2;

export class Procedure {
  readonly name: string;
  readonly result: Type;
  /** The types of the results after the first, at most FURTHER_MAX. */
  readonly further: readonly Type[];
  readonly parameters: Value[] = [];
  readonly slots: StackSlot[] = [];
  readonly snapshots: Snapshot[] = [];
  /** The blocks; the first is the entry. */
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

  /** Returns a new value of this procedure that is in no block. */
  newValue(
    opcode: Opcode,
    type: Type,
    a: Value | null = null,
    b: Value | null = null,
    c: Value | null = null,
  ): Value {
    const value = new Value(this.valueIdEnd++, opcode, type);
    value.a = a;
    value.b = b;
    value.c = c;
    return value;
  }

  newConstant(type: Type, lo: number, hi: number): Value {
    const value = this.newValue(CONSTANT_OPCODES[type], type);
    value.immediate0 = lo;
    value.immediate1 = hi;
    return value;
  }

  newParameter(type: Type, id = this.valueIdEnd): Value {
    if (id >= this.valueIdEnd) this.valueIdEnd = id + 1;
    const value = new Value(id, Op.Parameter, type);
    value.immediate0 = this.parameters.length;
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

  /** Sets `uses` of every value. Slots and operands of a snapshot count once per guard. */
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

// Slots may be removed, so ids have gaps.
const slotIdEnd = (slots: readonly StackSlot[]): number =>
  slots.reduce((end, { id }) => Math.max(end, id + 1), 0);

export class Module {
  /** The size of the heap in bytes; a multiple of 4096, so that the guard pages around it are exact. */
  heapSize = 4096;
  /** The procedures: the first is the entry, the others are callees and continuations. */
  readonly procedures: Procedure[] = [];
  /** By exit number: the continuations of its frames, innermost first. */
  readonly continuations = new Map<number, Procedure[]>();

  get entry(): Procedure {
    return this.procedures[0];
  }

  procedureNamed(name: string): Procedure | null {
    return this.procedures.find((proc) => proc.name === name) ?? null;
  }
}

/** Returns the procedures that are compiled: the entry, and those that it reaches by calls, directly or indirectly. */
export function compiledProcedures({ entry }: Module): readonly Procedure[] {
  const reached = [entry];
  for (let next = 0; next < reached.length; next++) {
    reached[next].forEachValue(({ procedure }) => {
      if (procedure !== null && !reached.includes(procedure)) reached.push(procedure);
    });
  }
  return reached;
}

/** Returns the procedure that a call refers to, or whose address a CallCheck has; null for others. */
export function directCallee({ opcode, procedure, a }: Value): Procedure | null {
  if (opcode === Op.CCall) return procedure;
  return opcode === Op.CallCheck && a?.opcode === Op.FunctionAddress ? a.procedure : null;
}

/**
 * Returns the procedures that a CallIndirect or CallCheck may reach: those of the FunctionAddresses from which its
 * first operand comes, by Identity and Select. Returns none if it comes from another value.
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

/** Returns the types of the further results of a call; all procedures that it may reach have the same. */
export function furtherOf(call: Value): readonly Type[] {
  const called =
    directCallee(call) ??
    (CALLS_ADDRESS[call.opcode] === 1 ? reachedProcedures(call)[0] : undefined);
  return called?.further ?? NO_TYPES;
}
const NO_TYPES: readonly Type[] = [];

/** Returns the values that a return returns: the first result, then the further ones. */
export function returnedValues({ a, b, c }: Value): Value[] {
  return [a, b, c].filter((value) => value !== null);
}

/** Returns the Extracts of the call: all are in its block. */
export function extractsOf(call: Value): Value[] {
  const values = call.block?.values ?? [];
  return values.filter(({ opcode, a }) => opcode === Op.Extract && a === call);
}

/** Moves all Extracts of the block directly after their calls, so that the block may be split at any other position. */
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

/** The numbers of integer and floating arguments that every target passes in registers. */
const ARGUMENT_REGISTERS = { integers: 6, floats: 8 } as const;

/**
 * Returns the parameter of an ArgumentReg of that type and number, which counts the parameters of its bank. Returns
 * null if there is none, or if some target passes it on the stack.
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
 * Calls `visit` with each value that is used by a slot of the snapshot; not with those that only exit-block values use.
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

/** Returns a slot with `seen(value)` in place of each value of `slot`; it shares nothing mutable. */
export function copySlot(slot: FrameSlot, seen: (value: Value) => Value): FrameSlot {
  if (slot.kind === "value") return { kind: "value", value: seen(slot.value) };
  if (slot.kind === "deadBytes") return { ...slot, address: seen(slot.address) };
  if (slot.kind !== "fields") return slot;
  const fields = slot.fields.map(({ offset, value }) => ({ offset, value: seen(value) }));
  return { kind: "fields", size: slot.size, fields };
}

/** Replaces each value of the snapshot's slots by `seen(value)`. */
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
