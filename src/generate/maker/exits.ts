// Emits guards, the snapshots that they share, exit blocks, and the continuations of exits.

import { HOST_FUNCTIONS } from "../../ir/host-functions.js";
import { COMMUTES, Op, type Opcode } from "../../ir/opcodes.js";
import {
  accessSize,
  type FrameSlot,
  Procedure,
  parameterTypeFor,
  type Snapshot,
  type SnapshotFrame,
  type Value,
} from "../../ir/procedure.js";
import { Double, Int32, Int64, isFloating, sizeOf, type Type, Void } from "../../ir/types.js";
import { bitsOf, type WordPair, wordsOf } from "../../ir/words.js";
import { aimAt, compare, neverTrue, pickParameter, pickSpecial, widenFlag } from "./conditions.js";
import { drawConstant, drawSpecial } from "./constants.js";
import type { ProcedureMaker } from "./maker.js";
import { pickAddress, placeIn, sinkOffset } from "./memory.js";
import { canCall } from "./observe.js";
import { LIMITS } from "./odds.js";
import { drawFurther } from "./results.js";
import { oneOf } from "./rows.js";
import {
  addContents,
  addDeadBytes,
  addDeadHeap,
  addFields,
  crowdedSlots,
  drawCrowd,
  drawSlots,
  insertSlot,
  isCrowdDue,
} from "./slots.js";
import { drawInstance, drawType, type OpcodeInstance } from "./swarm.js";

/** Appends a guard: a checked operation, or a Check whose condition rarely holds. */
export function emitGuard(
  maker: ProcedureMaker,
  { opcode, operands, result }: OpcodeInstance,
): void {
  if (opcode === Op.Check) {
    emitCheck(maker, operands[0]);
    return;
  }
  if (opcode === Op.CCallCheck) {
    emitDeoptCall(maker);
    return;
  }
  if (operands[0] === Double) {
    emitConversion(maker, opcode);
    return;
  }
  const snapshot = pickSnapshot(maker);
  const [a, b] = checkedOperands(maker, opcode, operands[0]);
  maker.emit(opcode, result, a, b).extra = snapshot;
}

// Emits a call of a host function that may request deoptimization; one call in sixteen does.
function emitDeoptCall(maker: ProcedureMaker): void {
  const hosts = HOST_FUNCTIONS.filter((host) => host.asks && canCall(maker, host));
  if (hosts.length === 0) {
    emitCheck(maker);
    return;
  }
  const host = hosts[maker.below(hosts.length)];
  const args = host.parameters.map((type) => maker.pick(type));
  for (const arg of args) arg.uses++;
  const call = maker.proc.newValue(Op.CCallCheck, host.result);
  const snapshot = maker.chance(60) ? snapshotWithResult(maker, call) : pickSnapshot(maker);
  maker.place(call, false);
  call.hostIndex = host.index;
  call.rest = args;
  call.extra = snapshot;
}

// Returns a snapshot that shows the result of the call: directly, as computed by the exit block, or
// as a field.
export function snapshotWithResult(maker: ProcedureMaker, call: Value): Snapshot {
  const { type } = call;
  maker.source.begin("exit");
  const made = maker.proc.newValue(Op.BitXor, type);
  const [lo, hi] = drawConstant(maker.source, type, maker.dials.tame);
  const constant = maker.proc.newConstant(type, lo, hi);
  [made.a, made.b] = [call, constant];
  const roll = maker.below(10);
  const showsMade = roll < 3 && !isFloating(type);
  const snapshot = newSnapshot(maker, [showsMade ? made : call]);
  if (showsMade) snapshot.values.unshift(constant, made);
  if (roll > 7) {
    const field = { offset: maker.below(5), value: call };
    const size = field.offset + sizeOf(type) + maker.below(5);
    insertSlot(maker, snapshot, { kind: "fields", size, fields: [field] });
  }
  maker.source.end();
  return snapshot;
}

// Emits a conversion with a guard. The numbers are mostly integers that fit; others are a fraction,
// a zero of either sign, a number just beyond an end, or any number.
function emitConversion(maker: ProcedureMaker, opcode: Opcode): void {
  const snapshot = pickSnapshot(maker);
  const integer = (): Value => maker.emit(Op.IToD, Double, maker.pickValue(Int32));
  let number: Value;
  if (maker.chance(maker.dials.failing)) {
    number = pickParameter(maker, Double);
    aimAt(maker, number, CONVERSION_ENDS[maker.below(CONVERSION_ENDS.length)]);
  } else {
    const roll = maker.below(4);
    const opcodes = [Op.Add, Op.Sub, Op.Mul, Op.Neg];
    if (roll === 0) number = integer();
    else if (roll < 3) {
      const small = maker.append(
        Op.IToD,
        Double,
        maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 0x7fff)),
      );
      const arithmetic = opcodes[maker.below(opcodes.length)];
      const other = arithmetic === Op.Neg ? null : maker.chance(50) ? small : integer();
      number = maker.emit(arithmetic, Double, small, other);
    } else number = maker.emit(Op.FTrunc, Double, maker.pickValue(Double));
  }
  maker.emit(opcode, Int32, number).extra = snapshot;
}
/**
 * 0, -0, 0.5, the greatest and the least integer, and the next numbers beyond them; a NaN;
 * subnormals.
 */
const CONVERSION_ENDS: readonly WordPair[] = [
  [0, 0],
  [0, -0x8000_0000],
  [0, 0x3fe0_0000],
  [-0x40_0000, 0x41df_ffff],
  [0, 0x41e0_0000],
  [0, -0x3e20_0000],
  [0x20_0000, -0x3e20_0000],
  [0, 0x7ff8_0000],
  [1, 0],
  [-1, 0xf_ffff],
];

/** Appends a guard that exits if the flag is not zero. */
export function guardAgainst(maker: ProcedureMaker, flag: Value): void {
  const snapshot = pickSnapshot(maker); // may append the values of its slots before the guard
  maker.append(Op.Check, Void, flag).extra = snapshot;
}

/** Appends a guard with a snapshot of the largest size, which fails for some input. */
export function emitCrowdedCheck(maker: ProcedureMaker): void {
  const snapshot = crowdedSnapshot(maker);
  const few = maker.integer(Int32, 1 + maker.below(3));
  const flag = maker.chance(60)
    ? maker.append(Op.BitAnd, Int32, pickParameter(maker, Int32), few)
    : equality(maker, snapshot, 100);
  maker.append(Op.Check, Void, flag).extra = snapshot;
}

/** Appends a guard whose condition is an integer of the type. */
export function emitCheck(maker: ProcedureMaker, type: Type = Int32): void {
  const snapshot = pickSnapshot(maker);
  const flag =
    maker.chance(maker.dials.failing) && maker.chance(BARE_CONDITION)
      ? bareNumber(maker, type)
      : checkedFlag(maker, guardCondition(maker, snapshot), type);
  maker.append(Op.Check, Void, flag).extra = snapshot;
}

/** Percentage of guards that may fail whose condition is an arbitrary number. */
const BARE_CONDITION = 30;

// Returns a number that is zero for some input, in memory that starts with zeroes, or by chance.
function bareNumber(maker: ProcedureMaker, type: Type): Value {
  const { heapBase } = maker;
  const roll = maker.below(10);
  if (roll < 5) {
    const parameter = pickParameter(maker, type);
    aimAt(maker, parameter, [0, 0]);
    return parameter;
  }
  if (roll < 7 || heapBase === null) return maker.pickValue(type);
  const opcode = type === Int64 || maker.chance(50) ? Op.Load : Op.Load8Z;
  const address = pickAddress(maker, heapBase);
  const loaded = maker.emit(opcode, type, address.value);
  loaded.offset = placeIn(maker, address, sizeOf(type));
  return loaded;
}

/**
 * Appends a guard whose exit shows the slot, or marks its bytes as dead; the exit has no
 * continuations.
 */
export function emitCheckWith(maker: ProcedureMaker, shown: FrameSlot): void {
  emitCheckBy(maker, newSnapshot(maker, [], shown));
}

/** Appends a guard with the snapshot. */
export function emitCheckBy(maker: ProcedureMaker, snapshot: Snapshot): void {
  maker.append(Op.Check, Void, guardCondition(maker, snapshot)).extra = snapshot;
}

// Widens a flag: zero stays zero, and at times any other value becomes one above the lower half, or
// an end of the integers.
function checkedFlag(maker: ProcedureMaker, flag: Value, type: Type): Value {
  if (maker.chance(type === Int64 ? 30 : 12)) return widenFlag(maker, type, flag);
  if (type !== Int64) return flag;
  const wide = maker.append(Op.ZExt32, Int64, flag);
  if (!maker.chance(40)) return wide;
  return maker.append(Op.Shl, Int64, wide, maker.integer(Int32, maker.chance(50) ? 63 : 32));
}

/** Returns a snapshot for a guard, mostly a new one, and appends the values of its slots. */
export function pickSnapshot(maker: ProcedureMaker): Snapshot {
  maker.source.begin("exit");
  const snapshot = drawSnapshot(maker);
  maker.source.end();
  return snapshot;
}

function drawSnapshot(maker: ProcedureMaker): Snapshot {
  const { snapshots } = maker;
  if (isCrowdDue(maker) && maker.chance(40)) return crowdedSnapshot(maker);
  if (snapshots.length > 0 && maker.chance(maker.dials.share)) {
    return snapshots[maker.below(snapshots.length)];
  }
  return newSnapshot(maker);
}

// Returns a condition that is never or rarely true. At times returns one that holds on some visit
// of a loop, for some input, or by chance.
function guardCondition(maker: ProcedureMaker, snapshot: Snapshot): Value {
  const { counters } = maker;
  if (maker.chance(maker.dials.failing)) {
    if (counters.length > 0 && maker.chance(70)) return visitReached(maker);
    if (maker.chance(20)) {
      // The sign bit: the condition is the least integer itself.
      const sign = maker.constantOf(Int32, -0x80000000, 0);
      return maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), sign);
    }
    return maker.chance(50) ? compare(maker) : equality(maker, snapshot, 100);
  }
  return maker.chance(45) ? neverTrue(maker) : equality(maker, snapshot, 30);
}

// Returns an equality with a boundary value: true for an input that is aimed at it, rarely for
// others.
function equality(maker: ProcedureMaker, snapshot: Snapshot, aimed: number): Value {
  const type = drawType(maker.source, maker.swarm);
  const isAimed = maker.chance(aimed);
  const fromParameter = isAimed || maker.chance(50);
  const x = fromParameter ? pickParameter(maker, type) : pickSlotValue(maker, snapshot, type);
  const [lo, hi] = drawConstant(maker.source, type, 0);
  const constant = maker.constantOf(type, lo, hi);
  if (isAimed) aimAt(maker, x, [lo, hi]);
  return maker.append(Op.Equal, Int32, x, constant);
}

/** Appends a guard that fails on some visit of the surrounding loop. */
export function emitVisitGuard(maker: ProcedureMaker): void {
  const snapshot = pickSnapshot(maker);
  maker.append(Op.Check, Void, visitReached(maker)).extra = snapshot;
}

function visitReached(maker: ProcedureMaker): Value {
  const { counters } = maker;
  const { value, iterations } = counters[counters.length - 1 - maker.below(counters.length)];
  return maker.append(Op.Equal, Int32, value, visit(maker, value.type, iterations));
}

// Returns the number of a visit: a constant, or a masked parameter.
function visit(maker: ProcedureMaker, type: Type, iterations: number): Value {
  if (maker.chance(60)) return maker.integer(type, maker.below(iterations + 1));
  const masked = pickParameter(maker, type);
  return maker.append(Op.BitAnd, type, masked, maker.integer(type, 7));
}

// Returns a value that the exit shows, so that the condition and a slot are related.
function pickSlotValue(maker: ProcedureMaker, snapshot: Snapshot, type: Type): Value {
  for (const { slots } of snapshot.frames) {
    for (const slot of slots) {
      if (slot.kind !== "value" || slot.value.type !== type || slot.value === maker.heapBase)
        continue;
      if (slot.value.block !== null || slot.value.opcode === Op.Parameter) return slot.value;
    }
  }
  return maker.pickValue(type);
}

// Returns operands. Sums of arbitrary values overflow sometimes, products nearly always, so the
// operands of products are masked more often.
function checkedOperands(maker: ProcedureMaker, opcode: Opcode, type: Type): [Value, Value] {
  const isProduct = opcode === Op.CheckMul;
  if (maker.chance(maker.dials.failing)) {
    const roll = maker.below(10);
    if (roll < 6) return borderOperands(maker, opcode, type);
    if (roll === 6 && maker.chance(40)) {
      return [maker.constant(type), maker.constantOf(type, ...drawSpecial(maker.source, type))];
    }
    if (roll < 8 || !isProduct) {
      const x = maker.pickValue(type);
      return [x, maker.chance(20) ? pickSpecial(maker, type) : maker.pickBeside(type, x)];
    }
  }
  const a = masked(maker, type, isProduct ? 0xffff : 0x3fffffff);
  if (maker.chance(50)) return [a, maker.integer(type, maker.below(isProduct ? 0x8000 : 4097))];
  const b = masked(maker, type, isProduct ? 0x7fff : 0x1fffffff);
  return maker.chance(25) ? [b, a] : [a, b];
}

// Returns a parameter and a constant; inputs are aimed at the last number that does not overflow,
// and at its neighbours.
function borderOperands(maker: ProcedureMaker, opcode: Opcode, type: Type): [Value, Value] {
  const x = pickParameter(maker, type);
  const [lo, hi] = drawConstant(maker.source, type, 0);
  const constant = maker.constantOf(type, lo, hi);
  const width = type === Int64 ? 64 : 32;
  const limit = bitsOf(type, lo, hi);
  const greatest = (1n << BigInt(width - 1)) - 1n;
  const least = -greatest - 1n;
  let border = 0n;
  if (opcode === Op.CheckAdd) border = (limit > 0n ? greatest : least) - limit;
  else if (opcode === Op.CheckSub) border = (limit > 0n ? least : greatest) + limit;
  else if (limit !== 0n) border = (maker.chance(50) ? greatest : least) / limit;
  aimAt(maker, x, wordsOf(type, border));
  return [x, constant];
}

function masked(maker: ProcedureMaker, type: Type, mask: number): Value {
  if (maker.counters.length > 0 && maker.chance(40)) {
    const { value } = maker.counters[maker.counters.length - 1];
    if (value.type === type) return value;
  }
  return maker.emit(Op.BitAnd, type, maker.pickValue(type), maker.integer(type, mask));
}

/**
 * Returns a new snapshot whose innermost frame also shows these values; with more than GIVEN_MAX of
 * them its exit has no continuations.
 */
export function snapshotOf(maker: ProcedureMaker, shown: readonly Value[]): Snapshot {
  return newSnapshot(maker, shown);
}
/** The most shown values that a continuation takes in addition to its usual parameters. */
const GIVEN_MAX = 1;

/**
 * @param dead a slot that marks dead bytes; such an exit has no continuations, which might read
 * them
 */
function newSnapshot(
  maker: ProcedureMaker,
  shown: readonly Value[] = [],
  dead: FrameSlot | null = null,
): Snapshot {
  const { dials, proc } = maker;
  const snapshot = emptySnapshot(maker);
  if (maker.chance(dials.exitBlock)) fillExitBlock(maker, snapshot, 1 + maker.below(5));
  let frameCount = 1;
  while (frameCount < LIMITS.frames && maker.chance(dials.frames)) frameCount++;
  const resumes = dead === null && shown.length <= GIVEN_MAX && drawResumes(maker, frameCount);
  for (let i = 0; i < frameCount; i++) {
    const name = i === 0 ? proc.name : `outer${i}`;
    maker.source.begin("frame");
    snapshot.frames.push({ name, point: maker.below(1000), slots: drawSlots(maker, snapshot) });
    maker.source.end();
  }
  const [{ slots }] = snapshot.frames;
  for (const value of shown) slots.push({ kind: "value", value });
  if (maker.chance(dials.contents)) addContents(maker, snapshot);
  if (maker.chance(dials.contents >> 2)) addFields(maker, snapshot);
  if (maker.chance(dials.deadHeap)) addDeadHeap(maker, snapshot, resumes);
  if (maker.chance(dials.deadBytes)) addDeadBytes(maker, snapshot, resumes);
  if (dead !== null) insertSlot(maker, snapshot, dead);
  if (resumes) addContinuations(maker, snapshot);
  maker.snapshots.push(snapshot);
  return snapshot;
}

function crowdedSnapshot(maker: ProcedureMaker): Snapshot {
  const { proc, context } = maker;
  context.crowds--;
  const snapshot = emptySnapshot(maker);
  if (maker.chance(60)) fillExitBlock(maker, snapshot, 1 + maker.below(20));
  const frameCount = 1 + maker.below(LIMITS.frames);
  const resumes = maker.chance(50) && drawResumes(maker, frameCount);
  const counts = drawCrowd(maker, frameCount);
  counts.forEach((count, i) => {
    const name = i === 0 ? proc.name : `outer${i}`;
    const slots = crowdedSlots(maker, snapshot, count);
    snapshot.frames.push({ name, point: maker.below(1000), slots });
  });
  for (let i = maker.below(4); i > 0; i--) addContents(maker, snapshot);
  if (maker.chance(50)) addDeadHeap(maker, snapshot, resumes);
  if (maker.chance(50)) addDeadBytes(maker, snapshot, resumes);
  if (resumes) addContinuations(maker, snapshot);
  maker.snapshots.push(snapshot);
  return snapshot;
}

function emptySnapshot(maker: ProcedureMaker): Snapshot {
  const { context } = maker;
  const snapshot = maker.proc.newSnapshot(context.nextExit);
  context.nextExit += maker.chance(10) ? 1 + maker.below(300) : 1;
  return snapshot;
}

// Returns whether the exit has continuations. A continuation is small, so its own exits rarely have
// continuations. An exit of a callee without them ends the callers too.
function drawResumes(maker: ProcedureMaker, frameCount: number): boolean {
  const { dials, proc } = maker;
  const { callees, module } = maker.context;
  const isCallee = callees.some((callee) => callee.proc === proc);
  const room = LIMITS.procedures + (isCallee ? LIMITS.calleeContinuations : 0);
  const hasRoom = module.procedures.length - callees.length + frameCount <= room;
  const isEntry = proc === module.entry;
  const odds = isCallee ? Math.max(80, dials.resume) : isEntry ? dials.resume : dials.resume >> 2;
  return hasRoom && maker.chance(odds);
}

// Adds values that are needed only if the exit is taken, and stores that only the exit block makes.
function fillExitBlock(maker: ProcedureMaker, snapshot: Snapshot, count: number): void {
  for (let i = 0; i < count; i++) {
    const instance = drawInstance(maker.source, maker.swarm);
    if (instance?.kind !== "pure") continue;
    const [first, second, third] = instance.operands.map((type) =>
      exitOperand(maker, snapshot, type),
    );
    let a = first;
    let b = second ?? null;
    if (instance.opcode === Op.BitwiseCast && isFloating(a.type)) {
      a = appendExit(maker, snapshot, Op.PurifyNaN, a.type, a, null, null);
    }
    if (instance.opcode === Op.CopySign && b !== null) {
      b = appendExit(maker, snapshot, Op.PurifyNaN, b.type, b, null, null);
    }
    if (COMMUTES[instance.opcode] === 1 && a.isConstant && b?.isConstant) continue;
    appendExit(maker, snapshot, instance.opcode, instance.result, a, b, third ?? null);
  }
  if (maker.heapBase === null || !maker.chance(50)) return;
  const stores = 1 + maker.below(count > 5 ? 6 : 2);
  for (let i = 0; i < stores; i++) appendExitStore(maker, snapshot, maker.heapBase);
}

function exitOperand(maker: ProcedureMaker, snapshot: Snapshot, type: Type): Value {
  const { values } = snapshot;
  for (let i = values.length - 1; i >= 0; i--) {
    if (values[i].type === type && maker.chance(60)) {
      values[i].uses++;
      return values[i];
    }
  }
  if (!maker.chance(maker.dials.constant)) return maker.pickValue(type);
  const [lo, hi] = drawConstant(maker.source, type, maker.dials.tame);
  const constant = maker.proc.newConstant(type, lo, hi);
  values.push(constant);
  constant.uses++;
  return constant;
}

function appendExit(
  maker: ProcedureMaker,
  snapshot: Snapshot,
  opcode: Opcode,
  type: Type,
  a: Value,
  b: Value | null,
  c: Value | null,
): Value {
  const value = maker.proc.newValue(opcode, type, a, b, c);
  snapshot.values.push(value);
  return value;
}

function appendExitStore(maker: ProcedureMaker, snapshot: Snapshot, heapBase: Value): void {
  if (maker.chance(35) && appendStoreOver(maker, snapshot, heapBase)) return;
  const { values } = snapshot;
  const known = maker.addresses.length > 0 && maker.chance(40);
  const address = known ? pickAddress(maker, heapBase) : { value: heapBase, low: 0, high: 0 };
  const offset = maker.chance(60) ? placeIn(maker, address, 8) : null;
  const computed = values.filter(
    (value) => value.type !== Void && (!isFloating(value.type) || value.isConstant),
  );
  const stored =
    computed.length > 0 && maker.chance(70)
      ? computed[maker.below(computed.length)]
      : maker.closed(maker.pick(drawType(maker.source, maker.swarm)));
  const isNarrow = stored.type === Int32 && maker.chance(30);
  const opcode = isNarrow ? (maker.chance(50) ? Op.Store8 : Op.Store16) : Op.Store;
  const base = offset === null ? heapBase : address.value;
  appendExit(maker, snapshot, opcode, Void, stored, base, null).offset =
    offset ?? sinkOffset(maker);
}

const STORES_AGAIN = [
  { opcode: Op.Store8, bytes: 1 },
  { opcode: Op.Store16, bytes: 2 },
  { opcode: Op.Store, bytes: 4 },
] as const;

/**
 * Stores some bytes of one of the block's last stores again, which a compiler may leave to the
 * exit; returns false if there is none.
 */
function appendStoreOver(maker: ProcedureMaker, snapshot: Snapshot, heapBase: Value): boolean {
  const isAddress = (value: Value | null): boolean =>
    value === heapBase || maker.addresses.some((address) => address.value === value);
  const stores = maker.block.values.filter(({ opcode, b }) => opcode === Op.Store && isAddress(b));
  if (stores.length === 0) return false;
  const store = stores[stores.length - 1 - maker.below(Math.min(3, stores.length))];
  const { opcode, bytes } = oneOf(maker, STORES_AGAIN);
  const computed = snapshot.values.filter(({ type }) => type === Int32);
  const isComputed = computed.length > 0 && maker.chance(70);
  const stored = isComputed ? oneOf(maker, computed) : maker.pickValue(Int32);
  const offset = store.offset + maker.below(accessSize(store) - bytes + 1);
  appendExit(maker, snapshot, opcode, Void, stored, store.b, null).offset = offset;
  return true;
}

// Adds a procedure for each frame. Its parameters are the slots that are not dead, then the results
// of the inner frame's continuation.
function addContinuations(maker: ProcedureMaker, snapshot: Snapshot): void {
  const { context } = maker;
  const { frames } = snapshot;
  const continuations = frames.map((_, i) => {
    const isOutermost = i === frames.length - 1;
    const result = isOutermost ? maker.proc.result : drawType(maker.source, maker.swarm);
    const further = isOutermost ? maker.proc.further : drawFurther(maker, result);
    const proc = new Procedure(`resume${snapshot.exit}_${i}`, result, further);
    context.module.procedures.push(proc);
    return proc;
  });
  continuations.forEach((proc, i) => {
    const heapBaseAt = addParameters(maker, proc, frames[i]);
    if (i > 0) {
      proc.newParameter(continuations[i - 1].result);
      for (const type of continuations[i - 1].further) proc.newParameter(type);
    }
    context.pending.push({ proc, heapBaseAt, rank: maker.rank, callee: null });
  });
  context.module.continuations.set(snapshot.exit, continuations);
}

/** Adds a parameter for each slot; returns the position of the heap base among them, or -1. */
function addParameters(maker: ProcedureMaker, proc: Procedure, frame: SnapshotFrame): number {
  let heapBaseAt = -1;
  for (const slot of frame.slots) {
    const type = parameterTypeFor(slot);
    if (type === Void) continue;
    if (slot.kind === "value" && slot.value === maker.heapBase && heapBaseAt < 0) {
      heapBaseAt = proc.parameters.length;
    }
    proc.newParameter(type);
  }
  return heapBaseAt;
}
