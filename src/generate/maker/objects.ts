// Emits objects: allocated, filled, read and changed; stored into each other, also in cycles;
// merged by Phis, carried by loops, shown by exits, and escaping.
//
// They follow the part of the heap that the rest of the program uses, so no other access touches
// them. Their addresses are not candidate operands until one escapes: then any operation may use
// it.

import { Op, type Opcode } from "../../ir/opcodes.js";
import { Procedure, type Snapshot, type Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, sizeOf, Void } from "../../ir/types.js";
import { condition } from "./conditions.js";
import { emitCheckBy, snapshotOf } from "./exits.js";
import { POINTER } from "./heap-layout.js";
import { endScope, reserved } from "./joins.js";
import { type KnownObject, type MakerRow, type ObjectField, ProcedureMaker } from "./maker.js";
import { sinkOffset } from "./memory.js";
import { LIMITS } from "./odds.js";
import { runOne, weightedRows } from "./rows.js";
import { hasRoomForSmallLoop, makeSmallLoop } from "./small-loops.js";
import { drawType } from "./swarm.js";

/** Percentage of the steps of a program with objects. */
const STEPS = 22;
const ADDRESS_BYTES = 8;

// biome-ignore format: a table
const ROWS: readonly MakerRow[] = [
  { name: "object",                 weight: 4, make: makeOne },
  { name: "known object",           weight: 5, make: useKnown },
  { name: "objects in each other",  weight: 3, make: makeLinked },
  { name: "objects in a Phi",       weight: 3, make: merged },
  { name: "object in a Phi, held",  weight: 2, make: mergedAndHeld },
  { name: "objects of a loop",      weight: 3, make: makeCarried },
  { name: "objects held in turn",   weight: 2, make: heldInTurn },
  { name: "object given away",      weight: 2, make: letEscape },
  { name: "object of a callee",     weight: 3, make: ofCallee },
];
const LOTS = weightedRows(ROWS);

/** Sets the pointer of the allocator, at the start of the entry; returns whether there is one. */
export function setPointer(maker: ProcedureMaker): boolean {
  const { heapBase, context } = maker;
  if (heapBase === null || context.objectBytes === 0) return false;
  const start = maker.integer(Int64, context.layout.heapSize);
  const first = maker.append(Op.Add, Int64, heapBase, start);
  maker.append(Op.Store, Void, first, heapBase).offset = POINTER;
  return true;
}

/** At times emits a step with objects; returns whether it did. */
export function emitObjects(maker: ProcedureMaker): boolean {
  if (maker.context.objectBytes === 0 || maker.heapBase === null) return false;
  if (!maker.isCompiled || !maker.chance(STEPS)) return false;
  runOne(maker, LOTS);
  return true;
}

function drawFields(maker: ProcedureMaker): ObjectField[] {
  const fields: ObjectField[] = [];
  let end = 0;
  for (let count = 1 + maker.below(4); count > 0; count--) {
    const type = drawType(maker.source, maker.swarm);
    const narrow = type === Int32 && maker.chance(25) ? 1 + maker.below(2) : 0;
    const size = narrow === 0 ? sizeOf(type) : narrow;
    const offset = (end + size - 1) & -size;
    fields.push({ offset, size, type });
    end = offset + size;
  }
  return fields;
}

/** Returns the offset of the link, which follows the fields. */
const linkOf = (fields: readonly ObjectField[]): number =>
  Math.max(0, ...fields.map(({ offset, size }) => (offset + size + 7) & -8));

/** Returns an object with room for these fields and a link; null if too few bytes may remain. */
function allocate(maker: ProcedureMaker, fields: readonly ObjectField[]): KnownObject | null {
  const { context, heapBase, proc, tailCounter } = maker;
  const size = linkOf(fields) + ADDRESS_BYTES * maker.below(3) + ADDRESS_BYTES;
  const isCallee = context.callees.some((callee) => callee.proc === proc);
  const runs = maker.iterations * (isCallee ? CALLS : 1) * ((tailCounter?.mask ?? 0) + 1);
  if (heapBase === null || size * runs > context.objectBytes) return null;
  context.objectBytes -= size * runs;
  const pointer = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, POINTER));
  const value = maker.append(Op.Allocate, Int64, pointer, maker.integer(Int64, size));
  const object = { value, fields };
  for (const field of fields) if (maker.chance(85)) storeField(maker, object, field);
  return object;
}
/** The assumed number of calls of a callee. */
const CALLS = 6;

function storeField(
  maker: ProcedureMaker,
  { value }: KnownObject,
  { offset, size, type }: ObjectField,
): void {
  const opcode = size === 1 ? Op.Store8 : size === 2 ? Op.Store16 : Op.Store;
  const [address, at] = placeOf(maker, value, offset);
  maker.append(opcode, Void, maker.closed(maker.pick(type)), address).offset = at;
}

function loadField(
  maker: ProcedureMaker,
  { value }: KnownObject,
  { offset, size, type }: ObjectField,
): void {
  const [address, at] = placeOf(maker, value, offset);
  maker.emit(loadOf(maker, size), type, address).offset = at;
  if (isFloating(type)) return;
  if (size === ADDRESS_BYTES && maker.chance(10))
    maker.emit(Op.Load, Int32, value).offset = offset + (maker.chance(50) ? 4 : 0);
}

/**
 * Returns an address and an offset of the location: at times by another address than the object's
 * own.
 */
function placeOf(maker: ProcedureMaker, object: Value, offset: number): [Value, number] {
  if (!maker.chance(15)) return [object, offset];
  const by = maker.below(24) - 8;
  return [maker.append(Op.Add, Int64, object, maker.integer(Int64, by)), offset - by];
}

function loadOf(maker: ProcedureMaker, size: number): Opcode {
  const isSigned = maker.chance(50);
  if (size === 1) return isSigned ? Op.Load8S : Op.Load8Z;
  if (size === 2) return isSigned ? Op.Load16S : Op.Load16Z;
  return Op.Load;
}

const pickField = (maker: ProcedureMaker, { fields }: KnownObject): ObjectField =>
  fields[maker.below(fields.length)];

/** Stores to a field or loads one. */
function touch(maker: ProcedureMaker, object: KnownObject): void {
  if (maker.chance(45)) storeField(maker, object, pickField(maker, object));
  else loadField(maker, object, pickField(maker, object));
}

/** Emits a guard whose exit shows the objects, at times in several frames. */
function show(maker: ProcedureMaker, objects: readonly KnownObject[]): void {
  const shown = objects.map(({ value }) => value);
  const isShared = maker.chance(30);
  const snapshot = snapshotOf(maker, isShared ? [...shown, shown[0]] : shown);
  if (isShared) showAgain(snapshot, shown[0]);
  emitCheckBy(maker, snapshot);
}

// An exit that shows more than one value has no continuations, which would need a parameter for
// this slot.
function showAgain({ frames }: Snapshot, value: Value): void {
  if (frames.length > 1) frames[frames.length - 1].slots.push({ kind: "value", value });
}

/** Makes the object available to later steps. */
function addObject(maker: ProcedureMaker, object: KnownObject): void {
  if (maker.chance(70)) maker.objects.push(object);
  if (maker.chance(45)) show(maker, [object]);
}

function makeOne(maker: ProcedureMaker): void {
  const object = allocate(maker, drawFields(maker));
  if (object === null) return;
  touch(maker, object);
  addObject(maker, object);
}

function useKnown(maker: ProcedureMaker): void {
  const { objects } = maker;
  if (objects.length === 0) {
    makeOne(maker);
    return;
  }
  const object = objects[maker.below(objects.length)];
  touch(maker, object);
  if (maker.chance(35)) holdNew(maker, object);
  const roll = maker.below(4);
  if (roll === 0) show(maker, [object]);
  else if (roll === 1) show(maker, [object, objects[maker.below(objects.length)]]);
  else touch(maker, object);
}

/** Stores a new object into a known one; in a loop often one for each iteration. */
function holdNew(maker: ProcedureMaker, holder: KnownObject): void {
  const object = allocate(maker, drawFields(maker));
  if (object === null) return;
  if (maker.chance(35)) show(maker, [holder]);
  link(maker, holder, object);
  if (maker.chance(35)) show(maker, [holder]);
}

// Emits a chain of objects, at times closed to a cycle; an object may contain its own address.
function makeLinked(maker: ProcedureMaker): void {
  const objects: KnownObject[] = [];
  for (let count = 2 + maker.below(2); count > 0; count--) {
    const object = allocate(maker, drawFields(maker));
    if (object === null) return;
    if (objects.length > 0) link(maker, objects[objects.length - 1], object);
    objects.push(object);
  }
  const [first] = objects;
  const last = objects[objects.length - 1];
  if (maker.chance(40)) link(maker, last, maker.chance(80) ? first : last);
  if (maker.chance(50)) follow(maker, first, objects[1]);
  if (maker.chance(60)) show(maker, [first]);
  touch(maker, objects[maker.below(objects.length)]);
  if (maker.chance(40)) show(maker, maker.chance(50) ? [last] : [first, last]);
  for (const object of objects) if (maker.chance(40)) maker.objects.push(object);
}

const link = (maker: ProcedureMaker, from: KnownObject, to: KnownObject): void => {
  maker.append(Op.Store, Void, to.value, from.value).offset = linkOf(from.fields);
};

/** Loads the link of one object and uses the next object. */
function follow(maker: ProcedureMaker, from: KnownObject, { fields }: KnownObject): void {
  const value = maker.append(Op.Load, Int64, from.value);
  value.offset = linkOf(from.fields);
  touch(maker, { value, fields });
}

function merged(maker: ProcedureMaker): void {
  merge(maker, false);
}

function mergedAndHeld(maker: ProcedureMaker): void {
  merge(maker, true);
}

function merge(maker: ProcedureMaker, isHeld: boolean): void {
  const { proc } = maker;
  if (proc.blocks.length + 3 > LIMITS.blocks) {
    makeOne(maker);
    return;
  }
  const fields = drawFields(maker);
  const before = maker.chance(35) ? allocate(maker, fields) : null;
  const phi = proc.newValue(Op.Phi, Int64);
  const [left, right, join] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.branch(reserved(condition(maker, Int32)), left, right);
  const written = maker.written.slice();
  for (const block of [left, right]) {
    const scope = maker.mark();
    maker.block = block;
    maker.written = written.slice();
    const own = before !== null && block === right ? before : allocate(maker, fields);
    const value = own?.value ?? before?.value ?? maker.heapBase;
    endScope(maker, scope);
    if (value !== null) maker.upsilon(value, phi);
    maker.jump(join);
    maker.release(scope);
  }
  maker.written = written;
  maker.block = join;
  join.append(phi);
  // If an arm lacks bytes for an object, the address may be that of the heap.
  const isObject = maker.proc.blocks.every(({ values }) =>
    values.every(
      ({ opcode, extra, a }) => opcode !== Op.Upsilon || extra !== phi || a !== maker.heapBase,
    ),
  );
  if (!isObject) return;
  const object = { value: phi, fields };
  touch(maker, object);
  if (isHeld) holdMerged(maker, object);
  addObject(maker, object);
}

/** Stores the merged object into another object that exits show: they need it, whichever it is. */
function holdMerged(maker: ProcedureMaker, object: KnownObject): void {
  const known = maker.objects.at(-1);
  const holder =
    known !== undefined && maker.chance(50) ? known : allocate(maker, drawFields(maker));
  if (holder === null) return;
  link(maker, holder, object);
  if (maker.chance(70)) show(maker, [holder]);
  if (maker.chance(40)) touch(maker, object);
}

// Emits a loop in which each iteration creates an object from that of the previous iteration.
function makeCarried(maker: ProcedureMaker): void {
  const fields = drawFields(maker);
  if (!hasRoomForSmallLoop(maker)) {
    makeOne(maker);
    return;
  }
  const first = allocate(maker, fields);
  if (first === null) return;
  makeSmallLoop(maker, [first.value], ({ carried: [value] }) => {
    // The address does not escape: it is the last live value.
    if (maker.chance(75)) maker.live[Int64].pop();
    const object = { value, fields };
    touch(maker, object);
    if (maker.chance(50)) show(maker, [object]);
    const next = maker.chance(75) ? allocate(maker, fields) : null;
    if (next === null) return [value];
    touch(maker, object);
    if (maker.chance(30)) link(maker, next, object);
    if (maker.chance(40)) show(maker, maker.chance(50) ? [next] : [object, next]);
    return [next.value];
  });
  if (maker.chance(50)) show(maker, [first]);
}

// Emits a loop with an outer object that contains that of the iteration: at the start of an
// iteration still the previous one.
function heldInTurn(maker: ProcedureMaker): void {
  const fields = drawFields(maker);
  if (!hasRoomForSmallLoop(maker)) {
    makeLinked(maker);
    return;
  }
  const holder = maker.objects.at(-1) ?? allocate(maker, fields);
  if (holder === null) return;
  makeSmallLoop(maker, [], () => {
    const object = allocate(maker, fields);
    if (object === null) return [];
    if (maker.chance(50)) show(maker, [holder]);
    link(maker, holder, object);
    if (maker.chance(50)) show(maker, [holder]);
    touch(maker, object);
    return [];
  });
  if (maker.chance(50)) show(maker, [holder]);
}

// Emits a small callee that creates, fills and returns an object; at times it also changes one of
// the caller's.
function ofCallee(maker: ProcedureMaker): void {
  const { heapBase, context } = maker;
  const other = maker.objects.at(-1) ?? allocate(maker, drawFields(maker));
  const size = 3 * ADDRESS_BYTES; // with room for a link
  const runs = maker.iterations * ((maker.tailCounter?.mask ?? 0) + 1) * CALLS;
  if (heapBase === null || other === null || size * runs > context.objectBytes) return;
  context.objectBytes -= size * runs;
  const { procedures } = context.module;
  const proc = new Procedure(`make${procedures.length}`, Int64);
  procedures.push(proc);
  const [base, x, changed] = [Int64, Int32, Int64].map((type) => proc.newParameter(type));
  const callee = new ProcedureMaker(context, proc, 0);
  const pointer = callee.append(Op.Add, Int64, base, callee.integer(Int64, POINTER));
  const value = callee.append(Op.Allocate, Int64, pointer, callee.integer(Int64, size));
  const fields = [
    { offset: 0, size: 4, type: Int32 },
    { offset: 8, size: 4, type: Int32 },
  ];
  for (const { offset } of fields) {
    const filling = maker.chance(60) ? x : callee.emit(Op.Mul, Int32, x, callee.constant(Int32));
    callee.append(Op.Store, Void, filling, value).offset = offset;
  }
  const narrow = other.fields.find((field) => field.size === 4 && field.type === Int32);
  if (narrow !== undefined && maker.chance(60)) {
    callee.append(Op.Store, Void, x, changed).offset = narrow.offset;
  }
  callee.append(Op.Return, Void, value);
  const args = [heapBase, maker.pick(Int32), other.value];
  for (const arg of args) arg.uses++;
  const call = maker.append(Op.CCall, Int64);
  call.extra = proc;
  call.rest = args;
  const object = { value: call, fields };
  touch(maker, object);
  if (maker.chance(60)) show(maker, maker.chance(50) ? [object] : [object, other]);
  addObject(maker, object);
}

function letEscape(maker: ProcedureMaker): void {
  const { heapBase } = maker;
  const object = maker.objects.at(-1) ?? allocate(maker, drawFields(maker));
  if (object === null || heapBase === null) return;
  if (maker.chance(40)) {
    const other = maker.chance(50) ? maker.pick(Int64) : maker.objects[0]?.value;
    maker.flags.push(maker.append(Op.Below, Int32, object.value, other ?? heapBase));
  }
  if (maker.chance(50)) maker.live[Int64].push(object.value);
  else maker.append(Op.Store, Void, object.value, heapBase).offset = sinkOffset(maker);
  touch(maker, object);
}
