// Emits calls of procedures of the module, and requests new callees.
//
// Every execution ends: a procedure calls only those of a higher rank, or itself with a counter
// that decreases to zero. The request for a callee bounds its runs for each run of the entry, by
// the iterations of the requesting call site. Only sites that run at most as often call it again.

import { Op, type Opcode } from "../../ir/opcodes.js";
import { Procedure, type Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, isInteger, type Type, Void } from "../../ir/types.js";
import { compare, condition, pickSpecial } from "./conditions.js";
import { newCheckedCall } from "./deopt-calls.js";
import type { CallableProcedure, ProcedureMaker } from "./maker.js";
import { pickAddress, placeIn, writtenOnBoth } from "./memory.js";
import { chance, LIMITS } from "./odds.js";
import { drawFurther, drawResult, pickFurther, takeFurther } from "./results.js";
import { drawInteger, drawType } from "./swarm.js";

/** The most call sites of one callee. */
const SITES_MAX = 4;
/** Masks of a recursion's counter: a recursion is at most one level deeper than its mask. */
const RECURSION_MASKS = [1, 3, 7];

/** Appends a call of some procedure of a higher rank; returns false if there can be none. */
export function callProcedure(maker: ProcedureMaker): boolean {
  // A procedure may use addresses that the host keeps, which a continuation must not.
  if (!maker.isCompiled && maker.context.keepsSlots) return false;
  const known = maker.context.callees.filter((callee) => canReach(maker, callee));
  const isNew = known.length === 0 || maker.chance(45);
  const made = isNew ? newCallee(maker, known) : null;
  const callee: CallableProcedure | undefined =
    made ?? known[maker.below(Math.max(1, known.length))];
  if (callee === undefined) return false;
  emitCallOf(maker, callee, null);
  return true;
}

function canReach(
  maker: ProcedureMaker,
  { rank, iterations, sites, heapBaseAt }: CallableProcedure,
): boolean {
  if (rank <= maker.rank || maker.iterations > iterations || sites >= SITES_MAX) return false;
  return heapBaseAt < 0 || maker.heapBase !== null;
}

function newCallee(
  maker: ProcedureMaker,
  known: readonly CallableProcedure[],
): CallableProcedure | null {
  const { context, source, swarm } = maker;
  const { callees } = context;
  if (callees.length === LIMITS.callees) return null;
  const rank = callees.length + 1;
  const model = known.length > 0 && maker.chance(35) ? known[maker.below(known.length)] : null;
  const isPlain = model === null && maker.chance(maker.dials.plainCallee);
  const result = model?.proc.result ?? drawResultOf(maker, isPlain);
  const further = model?.proc.further ?? (isPlain ? [] : drawFurther(maker, result));
  const proc = new Procedure(`callee${rank}`, result, further);
  let heapBaseAt = -1;
  let counterAt = -1;
  if (model !== null) {
    ({ heapBaseAt } = model);
    for (const { type } of model.proc.parameters) proc.newParameter(type);
  } else {
    const count = maker.below(swarm.dials.parameters + 1);
    const types = Array.from({ length: count }, () => drawType(source, swarm));
    if (maker.iterations <= LIMITS.iterations >> 3 && maker.chance(25)) {
      counterAt = maker.below(types.length + 1);
      types.splice(counterAt, 0, Int32);
    }
    if (maker.heapBase !== null && maker.chance(85)) {
      heapBaseAt = maker.below(types.length + 1);
      types.splice(heapBaseAt, 0, Int64);
      if (heapBaseAt <= counterAt) counterAt++;
    }
    // A recursion needs an integer to count down.
    if (isPlain && !types.includes(Int32)) types.push(Int32);
    for (const type of types) proc.newParameter(type);
  }
  return addCallee(maker, proc, { heapBaseAt, counterAt, isPlain });
}

/**
 * Returns the result type: for a plain callee mostly an integer, which a recursion can accumulate.
 */
function drawResultOf({ source, swarm }: ProcedureMaker, isPlain: boolean): Type {
  return isPlain && chance(source, 65) ? drawInteger(source, swarm) : drawResult(source, swarm);
}

function addCallee(
  maker: ProcedureMaker,
  proc: Procedure,
  shape: Pick<CallableProcedure, "heapBaseAt" | "counterAt" | "isPlain">,
): CallableProcedure {
  const { callees, module, pending } = maker.context;
  const rank = callees.length + 1;
  const callee: CallableProcedure = {
    proc,
    ...shape,
    rank,
    iterations: maker.iterations,
    sites: 0,
    isCheckedCall: false,
  };
  callees.push(callee);
  module.procedures.push(proc);
  pending.push({ proc, heapBaseAt: shape.heapBaseAt, rank, callee });
  return callee;
}

/**
 * Appends a call of a new procedure with this one's parameters as arguments, in another order. If
 * there is no room for one, appends a call of some other procedure.
 */
export function callAlike(maker: ProcedureMaker): void {
  const { context, proc, source, swarm } = maker;
  const { callees } = context;
  const { integerParameters, floatParameters } = LIMITS;
  const isCrowded = proc.parameters.length > integerParameters + floatParameters;
  if (callees.length === LIMITS.callees || isCrowded) {
    callProcedure(maker);
    return;
  }
  const args = proc.parameters.slice();
  for (let i = args.length - 1; i > 0; i--) {
    const j = maker.below(i + 1);
    [args[i], args[j]] = [args[j], args[i]];
  }
  const result = drawType(source, swarm);
  const further = drawFurther(maker, result);
  const callee = new Procedure(`callee${callees.length + 1}`, result, further);
  for (const { type } of args) callee.newParameter(type);
  const heapBaseAt = args.findIndex((arg) => arg === maker.heapBase);
  addCallee(maker, callee, { heapBaseAt, counterAt: -1, isPlain: false }).sites++;
  const call = finishCall(maker, maker.emit(Op.CCall, callee.result), callee, args);
  takeFurther(maker, call);
}

function finishCall(
  maker: ProcedureMaker,
  call: Value,
  proc: Procedure | null,
  args: Value[],
): Value {
  if (proc !== null) call.extra = proc;
  call.rest = args;
  for (const arg of args) arg.uses++;
  // Like a slot of an exit, a result may be an open NaN.
  if (isFloating(call.type)) maker.setOpen(call, true);
  return call;
}

/** @param counter the argument for a recursion's counter; null for any value */
function emitCallOf(
  maker: ProcedureMaker,
  callee: CallableProcedure,
  counter: Value | null,
): Value {
  const { proc, heapBaseAt, counterAt } = callee;
  callee.sites++;
  const args = proc.parameters.map(({ type }, i) => {
    if (i === heapBaseAt && maker.heapBase !== null) return maker.heapBase;
    return i === counterAt && counter !== null ? counter : maker.pick(type);
  });
  const isChecked = maker.chance(maker.dials.deoptCalls);
  const isIndirect = isChecked || maker.chance(30);
  const address = isIndirect ? addressOf(maker, callee, isChecked) : null;
  if (isChecked) {
    const call = newCheckedCall(maker, proc.result);
    call.a = address;
    maker.place(call, false);
    finishCall(maker, call, null, args);
    takeFurther(maker, call);
    return call;
  }
  const call = maker.emit(isIndirect ? Op.CallIndirect : Op.CCall, proc.result, address);
  finishCall(maker, call, isIndirect ? null : proc, args);
  takeFurther(maker, call);
  return call;
}

/**
 * Appends another call of the procedure that a call calls: some arguments are the same, others are
 * constants or other values. Returns false if it cannot be called here.
 */
export function callAgain(maker: ProcedureMaker, { extra, rest }: Value): boolean {
  const callee = maker.context.callees.find(({ proc }) => proc === extra);
  if (callee === undefined || !canReach(maker, callee)) return false;
  callee.sites++;
  const args = (rest ?? []).map((old) => {
    if (old === maker.heapBase || maker.chance(40)) return old;
    return maker.chance(60) ? maker.constant(old.type) : maker.pick(old.type);
  });
  const call = finishCall(maker, maker.emit(Op.CCall, callee.proc.result), callee.proc, args);
  takeFurther(maker, call);
  return true;
}

// Returns the address for an indirect call, at times a selection of one of two callees with equal
// signatures.
function addressOf(maker: ProcedureMaker, callee: CallableProcedure, isChecked: boolean): Value {
  callee.isCheckedCall ||= isChecked;
  const address = functionAddress(maker, callee.proc);
  const others = maker.context.callees.filter(
    (other) => other !== callee && canReach(maker, other) && isAlike(other, callee),
  );
  // A known callee may be inlined.
  if (others.length === 0 || (isChecked && maker.chance(60))) {
    return maker.chance(20) ? maker.append(Op.Identity, Int64, address) : address;
  }
  const other = others[maker.below(others.length)];
  other.sites++;
  other.isCheckedCall ||= isChecked;
  const otherAddress = functionAddress(maker, other.proc);
  return maker.append(Op.Select, Int64, condition(maker, Int32), address, otherAddress);
}

function functionAddress(maker: ProcedureMaker, proc: Procedure): Value {
  const address = maker.append(Op.FunctionAddress, Int64);
  address.extra = proc;
  return address;
}

// Returns whether two callees have the same signature. A recursion's counter may be any number:
// call sites mask it.
function isAlike(x: CallableProcedure, y: CallableProcedure): boolean {
  const [a, b] = [x.proc, y.proc];
  if (x.heapBaseAt !== y.heapBaseAt || a.result !== b.result) return false;
  if (a.further.length !== b.further.length) return false;
  if (a.further.some((type, i) => type !== b.further[i])) return false;
  if (x.counterAt >= 0 || y.counterAt >= 0) return false;
  return (
    a.parameters.length === b.parameters.length &&
    a.parameters.every(({ type }, i) => type === b.parameters[i].type)
  );
}

/** Bounds the recursion of a callee with a counter; returns the mask of the counter, or 0. */
export function drawRecursion(maker: ProcedureMaker, { counterAt }: CallableProcedure): number {
  if (counterAt < 0) return 0;
  const mask = RECURSION_MASKS[maker.below(RECURSION_MASKS.length)];
  maker.iterations *= mask + 1;
  return mask;
}

/**
 * At times makes the procedure restart where it would return. At each restart a parameter
 * decreases, until its low bits are zero.
 * @param percent the percentage of procedures that restart
 * @param called the percentage of restarts that are calls whose result is returned, not tail calls
 */
export function drawTailCalls(maker: ProcedureMaker, percent: number, called: number): void {
  const { proc } = maker;
  if (maker.iterations > LIMITS.iterations >> 2 || !maker.chance(percent)) return;
  const counters = proc.parameters.filter(({ type }) => type === Int32);
  if (counters.length === 0) return;
  const mask = RECURSION_MASKS[maker.below(RECURSION_MASKS.length)];
  maker.tailCounter = { parameter: counters[maker.below(counters.length)], mask, called };
  maker.iterations *= mask + 1;
}

/** Restarts the procedure while its counter lasts; continues in a block where it is zero. */
export function emitTailCall(maker: ProcedureMaker): void {
  const { proc, tailCounter } = maker;
  if (tailCounter === null) return;
  const { parameter: counter, mask, called } = tailCounter;
  const low = maker.emit(Op.BitAnd, Int32, counter, maker.integer(Int32, mask));
  const again = proc.newBlock();
  const end = proc.newBlock();
  maker.branch(low, again, end);
  const mark = maker.mark();
  maker.block = again;
  const next = maker.append(Op.Sub, Int32, counter, maker.integer(Int32, 1));
  const args = proc.parameters.map((parameter) => {
    if (parameter === counter) return next;
    if (parameter === maker.heapBase) return parameter;
    const { type } = parameter;
    // If the program uses the bits of a value, they must be specified in the restarted activation
    // too.
    if (maker.chance(12)) return pickSpecial(maker, type);
    return maker.closed(maker.chance(25) ? maker.constant(type) : maker.pick(type));
  });
  const isCallee = maker.context.callees.some((callee) => callee.proc === proc);
  if (isCallee && maker.chance(called)) returnSelfCall(maker, args);
  else finishCall(maker, maker.append(Op.TailCall, Void), proc, args);
  maker.release(mark);
  maker.block = end;
}

/** Restarts by a call of the procedure itself, and may compute with its result. */
function returnSelfCall(maker: ProcedureMaker, args: Value[]): void {
  const { proc } = maker;
  const { result } = proc;
  if (result !== Void && proc.further.length === 0 && maker.chance(25)) {
    returnFromTwoPlaces(maker, args);
    return;
  }
  // The called activation stores there too, after this one.
  const place = maker.chance(40) ? storeSomewhere(maker) : null;
  const call = finishCall(maker, maker.append(Op.CCall, result), proc, args);
  if (result === Void) {
    maker.append(Op.Return, Void);
    return;
  }
  if (proc.further.length > 0) {
    returnAllResults(maker, call);
    return;
  }
  maker.append(Op.Return, Void, accumulated(maker, call, drawAccumulating(maker), place));
}

interface StoredLocation {
  readonly address: Value;
  readonly offset: number;
}

/** Returns null if there is no heap. */
function pickLocation(maker: ProcedureMaker): StoredLocation | null {
  if (maker.heapBase === null) return null;
  const address = pickAddress(maker, maker.heapBase);
  return { address: address.value, offset: placeIn(maker, address, 8) };
}

function storeSomewhere(maker: ProcedureMaker): StoredLocation | null {
  const place = pickLocation(maker);
  if (place === null) return null;
  const stored = maker.closed(maker.pick(drawType(maker.source, maker.swarm)));
  maker.append(Op.Store, Void, stored, place.address).offset = place.offset;
  return place;
}

/** Emits two such calls, or one and another value, whose results meet before the return. */
function returnFromTwoPlaces(maker: ProcedureMaker, args: Value[]): void {
  const { proc } = maker;
  const { result } = proc;
  const phi = proc.newValue(Op.Phi, result);
  const [first, second, join] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  const opcode = drawAccumulating(maker);
  maker.branch(compare(maker), first, second);
  const mark = maker.mark();
  for (const block of [first, second]) {
    maker.block = block;
    if (block === second && maker.chance(30)) {
      maker.upsilon(maker.pick(result), phi);
    } else {
      const call = finishCall(maker, maker.append(Op.CCall, result), proc, [...args]);
      maker.upsilon(
        accumulated(maker, call, maker.chance(80) ? opcode : drawAccumulating(maker)),
        phi,
      );
    }
    maker.jump(join);
    maker.release(mark);
  }
  maker.block = join;
  maker.place(phi, isFloating(result));
  maker.append(Op.Return, Void, phi);
}

/**
 * Returns the result to return: that of the call, or an operation on it.
 * @param place the location of a store before the call; null for none
 */
function accumulated(
  maker: ProcedureMaker,
  call: Value,
  opcode: Opcode,
  place: StoredLocation | null = null,
): Value {
  const { type } = call;
  if (!isInteger(type) || !maker.chance(75)) return call;
  const isLoaded = maker.chance(place === null ? 30 : 70);
  const other = isLoaded ? loadAfterCall(maker, type, place) : maker.pick(type);
  return maker.chance(70)
    ? maker.append(opcode, type, call, other)
    : maker.append(opcode, type, other, call);
}

/** Loads a value from the heap after the call has returned. */
function loadAfterCall(maker: ProcedureMaker, type: Type, known: StoredLocation | null): Value {
  const place = known ?? pickLocation(maker);
  if (place === null) return maker.pick(type);
  const loaded = maker.append(Op.Load, type, place.address);
  loaded.offset = place.offset;
  return loaded;
}

const drawAccumulating = (maker: ProcedureMaker): Opcode =>
  ACCUMULATING[maker.below(ACCUMULATING.length)];

/** Returns all results of the call in order; at times another value replaces a further result. */
function returnAllResults(maker: ProcedureMaker, call: Value): void {
  const taken = takeFurther(maker, call);
  const others = maker.chance(25) ? pickFurther(maker) : [];
  const [b, c = null] = maker.proc.further.map(
    (type, i) => others[i] ?? taken.get(i + 1) ?? maker.pick(type),
  );
  maker.append(Op.Return, Void, call, b, c);
}

/** Most are associative, so that a compiler may accumulate before the recursive call. */
const ACCUMULATING: readonly Opcode[] = [
  Op.Add,
  Op.Mul,
  Op.BitAnd,
  Op.BitOr,
  Op.BitXor,
  Op.Sub,
  Op.Min,
];

/** Appends a call of the procedure by itself, skipped once its counter is zero. */
export function emitRecursion(
  maker: ProcedureMaker,
  callee: CallableProcedure,
  mask: number,
): void {
  const { proc } = maker;
  const counter = proc.parameters[callee.counterAt];
  const low = maker.emit(Op.BitAnd, Int32, counter, maker.integer(Int32, mask));
  const phi = proc.result === Void ? null : proc.newValue(Op.Phi, proc.result);
  if (phi !== null) maker.upsilon(maker.pick(phi.type), phi);
  const deeper = proc.newBlock();
  const join = proc.newBlock();
  maker.branch(low, deeper, join);
  const mark = maker.mark();
  const before = maker.written.slice();
  maker.block = deeper;
  const next = maker.append(Op.Sub, Int32, low, maker.integer(Int32, 1));
  const call = emitCallOf(maker, callee, next);
  if (phi !== null) maker.upsilon(call, phi);
  maker.jump(join);
  maker.release(mark);
  maker.written = writtenOnBoth(before, maker.written); // the exit of a call may have filled slots
  maker.block = join;
  if (phi !== null) maker.place(phi, isFloating(phi.type));
}
