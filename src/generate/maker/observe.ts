// Makes results observable: values that are unused when their scope ends are shown without losing
// bits. They go to a cell of the heap, to the arguments of an event, or to a sum of bits that is
// carried or returned.

import { HOST_FUNCTIONS, type HostFunction, isObservable } from "../../ir/host-functions.js";
import { ATOMIC, CALLS, EFFECTS, EXITS, Op, type Opcode, VOLATILE } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, isInteger, sizeOf, type Type, Void } from "../../ir/types.js";
import type { ProcedureMaker, ScopeMark } from "./maker.js";
import { storeToSink } from "./memory.js";

const MIXERS: readonly Opcode[] = [Op.BitXor, Op.BitXor, Op.Add, Op.Add, Op.Sub];
/** In blocks that run more often than this, events would dominate an observation. */
const EVENT_ITERATIONS_MAX = 12;

/** Returns the value's bits as an integer of its width. */
function asInteger(maker: ProcedureMaker, value: Value): Value {
  if (!isFloating(value.type)) return value;
  const type = sizeOf(value.type) === 8 ? Int64 : Int32;
  return maker.emit(Op.BitwiseCast, type, maker.closed(value));
}

/** Returns an integer of `sum`'s type that depends on each bit of `sum` and `value`. */
export function mixInto(maker: ProcedureMaker, sum: Value, value: Value): Value {
  const { type } = sum;
  let bits = asInteger(maker, value);
  if (type === Int64 && bits.type === Int32) {
    bits = maker.emit(maker.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, bits);
  } else if (type === Int32 && bits.type === Int64) {
    const upper = maker.emit(Op.ZShr, Int64, bits, maker.integer(Int32, 32));
    bits = maker.emit(Op.Trunc, Int32, maker.emit(Op.BitXor, Int64, bits, upper));
  }
  if (maker.chance(20)) return maker.emit(Op.Add, type, rotated(maker, sum), bits);
  return maker.emit(MIXERS[maker.below(MIXERS.length)], type, sum, bits);
}

function rotated(maker: ProcedureMaker, sum: Value): Value {
  const width = sizeOf(sum.type) * 8;
  const count = 1 + maker.below(width - 1);
  const left = maker.emit(Op.Shl, sum.type, sum, maker.integer(Int32, count));
  const right = maker.emit(Op.ZShr, sum.type, sum, maker.integer(Int32, width - count));
  return maker.emit(Op.BitOr, sum.type, left, right);
}

/** Returns the unused values since the mark (null: since the start of the procedure). */
export function unusedSince(maker: ProcedureMaker, mark: ScopeMark | null): Value[] {
  const pending: Value[] = [];
  for (const type of [1, 2, 3, 4]) {
    const list = maker.live[type];
    for (let i = mark === null ? 0 : mark.live[type]; i < list.length; i++) {
      if (list[i].uses === 0 && list[i].opcode !== Op.Parameter) pending.push(list[i]);
    }
  }
  return pending;
}

/** Effects of an operation that may exist for its effect rather than its result. */
const HAS_EFFECT = EXITS | CALLS | VOLATILE | ATOMIC;
/** Percentage of the results of such operations that stay unused. */
const STAYS_UNUSED = 20;

/**
 * Shows pending values, except for some results of operations with effects: folds them into `sum`
 * if there is one, otherwise into cells and events.
 */
export function observePending(
  maker: ProcedureMaker,
  mark: ScopeMark | null,
  sum: Value | null,
): Value | null {
  if (sum !== null) sum.uses++; // not folded into itself
  const pending = unusedSince(maker, mark);
  let folded = sum;
  while (pending.length > 0) {
    if (pending.length >= 3 && maker.chance(25) && observeByEvent(maker, pending)) continue;
    const value = pending.pop();
    if (value === undefined || value.uses > 0) continue;
    if ((EFFECTS[value.opcode] & HAS_EFFECT) !== 0 && maker.chance(STAYS_UNUSED)) continue;
    if (folded !== null && (maker.heapBase === null || maker.chance(foldChance(maker, value)))) {
      folded = mixInto(maker, folded, value);
    } else {
      const partner = isInteger(value.type) ? pending.at(-1) : undefined;
      if (partner?.type === value.type && maker.chance(45)) {
        pending[pending.length - 1] = mixInto(maker, partner, value);
      } else {
        observe(maker, value);
      }
    }
  }
  return folded;
}

// Returns the percentage of folding. A float takes three values to fold and one to store. But only
// the stores of a loop's last iteration are observed.
function foldChance(maker: ProcedureMaker, value: Value): number {
  const base = isFloating(value.type) ? 20 : 55;
  return maker.iterations > 1 ? base + 35 : base;
}

/** Shows one value: in a cell of the heap, or by an event if there is no heap. */
export function observe(maker: ProcedureMaker, value: Value): void {
  const { heapBase } = maker;
  if (heapBase !== null) {
    storeToSink(maker, heapBase, value);
    return;
  }
  const bits = asInteger(maker, value);
  const host = bits.type === Int32 ? EVENTS_BY_TYPE[Int32] : EVENTS_BY_TYPE[Int64];
  if (host === undefined) return;
  const call = maker.append(Op.CCall, host.result);
  call.extra = host;
  call.rest = [bits];
  bits.uses++;
}

const EVENTS: readonly HostFunction[] = HOST_FUNCTIONS.filter(
  (host) => isObservable(host) && host.class === "event" && host.parameters.length > 1,
);
const EVENTS_BY_TYPE: readonly (HostFunction | undefined)[] = [Void, Int32, Int64].map((type) =>
  HOST_FUNCTIONS.find(
    (host) => host.class === "event" && host.parameters.length === 1 && host.parameters[0] === type,
  ),
);

// Shows several values by one call, and removes them from `pending`; returns false if no event
// suits the program.
function observeByEvent(maker: ProcedureMaker, pending: Value[]): boolean {
  if (maker.iterations > EVENT_ITERATIONS_MAX || maker.dials.calls === 0) return false;
  const host = EVENTS[maker.below(EVENTS.length)];
  if (!canCall(maker, host)) return false;
  const args = host.parameters.map((type) => takeOfType(pending, type) ?? maker.pick(type));
  emitCall(maker, host, args);
  return true;
}

function takeOfType(pending: Value[], type: Type): Value | null {
  for (let i = pending.length - 1; i >= 0; i--) {
    if (pending[i].type !== type) continue;
    const [taken] = pending.splice(i, 1);
    return taken;
  }
  return null;
}

/** Returns whether the program has the types, and the function would not read an open NaN. */
export function canCall(maker: ProcedureMaker, host: HostFunction): boolean {
  const { swarm } = maker;
  if (swarm.storesOpenNaN && (host.class === "read" || host.class === "write")) return false;
  return (
    host.parameters.every((type) => swarm.hasType[type]) &&
    (host.result === Void || swarm.hasType[host.result])
  );
}

export function emitCall(maker: ProcedureMaker, host: HostFunction, args: Value[]): Value {
  for (const arg of args) arg.uses++;
  const call = maker.emit(Op.CCall, host.result);
  call.extra = host;
  call.rest = args;
  return call;
}

/** Returns a value of x's type that combines `x` and `y`. */
export function combine(maker: ProcedureMaker, x: Value, y: Value): Value {
  if (!isFloating(x.type)) return mixInto(maker, x, y);
  if (y.type === x.type) return maker.emit(maker.chance(60) ? Op.Add : Op.Sub, x.type, x, y);
  return maker.emit(Op.Select, x.type, maker.pickValue(Int32), x, maker.pick(x.type));
}
