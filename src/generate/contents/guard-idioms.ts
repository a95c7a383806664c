// Emits guards and the values that are live at them. In these forms an optimizer merges, removes or
// moves checks. It may lose a value that only an exit needs.

import { HOST_FUNCTIONS } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { StackSlot, Value } from "../../ir/procedure.js";
import { Double, Int32, isFloating, type Type, Void } from "../../ir/types.js";
import { callProcedure } from "../maker/calls.js";
import { aimAt, compare, pickParameter } from "../maker/conditions.js";
import { drawBoundary } from "../maker/constants.js";
import { emitCheckWith, guardAgainst, pickSnapshot, snapshotOf } from "../maker/exits.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { anonymousSlot, loadOfSlot, storeForExit } from "../maker/memory.js";
import { canCall, emitCall, observe } from "../maker/observe.js";
import { LIMITS } from "../maker/odds.js";
import { oneOf, repeat } from "../maker/rows.js";
import { drawInteger, drawType } from "../maker/swarm.js";

// biome-ignore format: a table
export const GUARD_IDIOMS: readonly MakerRow[] = [
  { name: "constant indices",   weight: 2, make: constantIndices },
  { name: "guard with an unused result",    weight: 2, make: deadGuard },
  { name: "consecutive guards",              weight: 2, make: guardsInRow },
  { name: "guards of one sum",            weight: 1, make: guardsOfSum },
  { name: "result beside its overflow",   weight: 2, make: resultBesideOverflow },
  { name: "negation that may overflow",   weight: 1, make: checkedNegation },
  { name: "negated comparison",     weight: 1, make: negatedOrder },
  { name: "conversion in a snapshot", weight: 1, make: shownConversion },
  { name: "slots in snapshots",        weight: 2, make: slotsShown },
  { name: "values used only by exits",      weight: 2, make: neededByExit },
];

const INDICES = [0, 1, 2, 5, 7, -1, -1_000_000, -0x8000_0000, 0x7fff_ffff];

// Emits checks of constants against one length. The greatest constant implies the others, but only
// in the signedness of the comparison.
function constantIndices(maker: ProcedureMaker): void {
  const x = pickParameter(maker, Int32);
  const isMasked = maker.chance(40);
  const length = isMasked ? maker.append(Op.BitAnd, Int32, x, maker.integer(Int32, 7)) : x;
  aimAt(maker, x, [2 + maker.below(6), 0]);
  for (let count = 2 + maker.below(2); count > 0; count--) {
    const index = maker.integer(Int32, oneOf(maker, INDICES));
    const flag = maker.chance(75)
      ? maker.append(Op.AboveEqual, Int32, index, length)
      : maker.append(Op.BelowEqual, Int32, length, index);
    guardAgainst(maker, flag);
  }
}

const CHECKED = [Op.CheckAdd, Op.CheckSub, Op.CheckMul];

/** Returns a checked operation that fails for values at which inputs are aimed. */
function checked(maker: ProcedureMaker): Value {
  const type = drawInteger(maker.source, maker.swarm);
  const snapshot = pickSnapshot(maker);
  const x = pickParameter(maker, type);
  const isTop = maker.chance(50);
  const near = maker.below(2);
  const end = isTop ? 0x7fff_ffff : -0x8000_0000;
  aimAt(
    maker,
    x,
    type === Int32 ? [isTop ? end - near : end + near, 0] : [isTop ? -1 - near : near, end],
  );
  const opcode = oneOf(maker, CHECKED);
  const step = 1 + maker.below(2);
  const value = maker.append(opcode, type, x, maker.integer(type, maker.chance(50) ? step : -step));
  value.extra = snapshot;
  return value;
}

// Emits a guard whose result is unused, so only its exit matters.
function deadGuard(maker: ProcedureMaker): void {
  const value = checked(maker);
  if (maker.chance(30)) maker.emit(Op.Identity, value.type, value);
}

// Writes slots, loads from them, and shows them at exits in any frame and order. The live range of
// one slot may end where another begins.
function slotsShown(maker: ProcedureMaker): void {
  const slots = new Set<StackSlot>();
  repeat(maker, 3 + maker.below(5), () => {
    const known = [...slots][maker.below(Math.max(1, slots.size))];
    const roll = maker.below(10);
    if (known === undefined || roll < 4) {
      const slot = anonymousSlot(maker);
      if (slot !== null) slots.add(slot);
    } else if (roll < 8) emitCheckWith(maker, { kind: "contents", slot: known });
    else loadOfSlot(maker, known);
  });
}

const EVENT = HOST_FUNCTIONS.find(({ name }) => name === "logInt");

// Emits two or three guards, some with the same snapshot, and operations with fixed registers
// between them.
function guardsInRow(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const shown = [maker.pickValue(type), maker.pickValue(Int32)];
  let snapshot = snapshotOf(maker, shown);
  for (let count = 2 + maker.below(2); count > 0; count--) {
    maker.append(Op.Check, Void, flagFor(maker)).extra = snapshot;
    const x = maker.pickValue(Int32);
    const roll = maker.below(5);
    if (roll === 0) maker.emit(Op.ChillDiv, Int32, x, maker.pickValue(Int32));
    else if (roll === 1) maker.emit(Op.Shl, Int32, x, maker.pickValue(Int32));
    else if (roll === 2) maker.emit(Op.MulHigh, Int32, x, maker.pickValue(Int32));
    else if (roll === 3 && EVENT !== undefined && canCall(maker, EVENT))
      emitCall(maker, EVENT, [x]);
    if (maker.chance(30)) snapshot = snapshotOf(maker, shown);
  }
}

// Returns a flag that may be set for an input that is aimed at it.
function flagFor(maker: ProcedureMaker): Value {
  const type = drawType(maker.source, maker.swarm);
  const x = pickParameter(maker, type);
  const [lo, hi] = drawBoundary(maker.source, type);
  if (maker.chance(60)) aimAt(maker, x, [lo, hi]);
  return maker.append(Op.Equal, Int32, x, maker.constantOf(type, lo, hi));
}

// Emits the same sum with and without a guard, or with the guard twice: one of each pair is
// redundant.
function guardsOfSum(maker: ProcedureMaker): void {
  const first = checked(maker);
  const { a, b, type } = first;
  const plain =
    first.opcode === Op.CheckAdd ? Op.Add : first.opcode === Op.CheckSub ? Op.Sub : Op.Mul;
  for (let count = 1 + maker.below(3); count > 0; count--) {
    const isChecked = maker.chance(50);
    const snapshot = isChecked ? pickSnapshot(maker) : null;
    const value = maker.emit(isChecked ? first.opcode : plain, type, a, b);
    value.extra = snapshot;
  }
  if (maker.chance(60)) observe(maker, first);
}

const FLAGGED = [
  [Op.Add, Op.AddOverflows],
  [Op.Sub, Op.SubOverflows],
  [Op.Mul, Op.MulOverflows],
] as const;

// Emits a result and a guard on its overflow flag. One instruction may compute both if nothing
// needs the result before the guard.
function resultBesideOverflow(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const [opcode, flag] = oneOf(maker, FLAGGED);
  const x = atAnEnd(maker, type);
  const y = maker.chance(50)
    ? maker.pickValue(type)
    : maker.integer(type, maker.chance(50) ? 1 : -1);
  const early = maker.chance(70) ? maker.emit(opcode, type, x, y) : null;
  // For a difference, the other order gives the flag of another result.
  const [first, second] = maker.chance(15) ? [y, x] : [x, y];
  guardAgainst(maker, maker.append(flag, Int32, first, second));
  const result = early ?? maker.emit(opcode, type, x, y);
  if (maker.chance(60)) observe(maker, result);
}

/** Returns a parameter that inputs set to the least or the greatest integer. */
function atAnEnd(maker: ProcedureMaker, type: Type): Value {
  const x = pickParameter(maker, type);
  const isTop = maker.chance(50);
  const end = isTop ? 0x7fff_ffff : -0x8000_0000;
  aimAt(maker, x, type === Int32 ? [end, 0] : [isTop ? -1 : 0, end]);
  return x;
}

function checkedNegation(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const snapshot = pickSnapshot(maker);
  const x = maker.chance(70) ? atAnEnd(maker, type) : maker.pickValue(type);
  const value = maker.append(Op.CheckSub, type, maker.integer(type, 0), x);
  value.extra = snapshot;
  observe(maker, value);
}

const FLOAT_ORDERS = [
  ...[Op.LessThan, Op.LessEqual, Op.GreaterThan, Op.GreaterEqual],
  ...[Op.Equal, Op.EqualOrUnordered],
];

// Emits the negation of an order. For floats it is not an order, since it holds for a NaN.
function negatedOrder(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const x = pickParameter(maker, type);
  const [lo, hi] = drawBoundary(maker.source, type);
  if (maker.chance(60)) aimAt(maker, x, [lo, hi]);
  const y = maker.chance(60) ? maker.constantOf(type, lo, hi) : maker.pickValue(type);
  const orders = isFloating(type) ? FLOAT_ORDERS : FLOAT_ORDERS.slice(0, -1);
  const order = maker.append(oneOf(maker, orders), Int32, x, y);
  const opposite = maker.append(Op.Equal, Int32, order, maker.integer(Int32, 0));
  if (maker.chance(70)) guardAgainst(maker, opposite);
  else observe(maker, opposite);
}

// Emits a value that is stored for an exit and also used elsewhere, so it must not be sunk into the
// exit alone.
function shownConversion(maker: ProcedureMaker): void {
  if (!maker.swarm.hasType[Double]) {
    deadGuard(maker);
    return;
  }
  const converted = maker.emit(Op.IToD, Double, maker.pickValue(Int32));
  const slot = storeForExit(maker, converted);
  if (slot === null) return;
  const snapshot = snapshotOf(maker, []);
  snapshot.frames[0].slots.push({ kind: "contents", slot });
  maker.append(Op.Check, Void, maker.chance(60) ? flagFor(maker) : compare(maker)).extra = snapshot;
  if (maker.chance(70))
    maker.emit(oneOf(maker, [Op.Add, Op.Mul, Op.Div]), Double, converted, maker.pick(Double));
}

// Emits values that are computed early, live across calls, and used only by one exit.
function neededByExit(maker: ProcedureMaker): void {
  const kept: Value[] = [];
  const count = 2 + maker.below(maker.chance(30) ? 30 : 8);
  for (let i = 0; i < count; i++) {
    const type = drawType(maker.source, maker.swarm);
    const opcode = oneOf(maker, isFloating(type) ? [Op.Add, Op.Mul] : [Op.Add, Op.Mul, Op.BitXor]);
    const x = pickParameter(maker, type);
    kept.push(maker.append(opcode, type, x, maker.pick(type)));
  }
  for (let calls = maker.below(3); calls > 0; calls--) passCall(maker);
  const snapshot = snapshotOf(maker, kept);
  const flag = maker.chance(70) ? flagFor(maker) : compare(maker);
  maker.append(Op.Check, Void, flag).extra = snapshot;
}

const PASSED = HOST_FUNCTIONS.filter((host) => host.class === "pure" || host.class === "event");

function passCall(maker: ProcedureMaker): void {
  if (maker.chance(30) && maker.proc.blocks.length < LIMITS.blocks && callProcedure(maker)) return;
  const hosts = PASSED.filter((host) => canCall(maker, host));
  const host = oneOf(maker, hosts);
  emitCall(
    maker,
    host,
    host.parameters.map((type: Type) => maker.pick(type)),
  );
}
