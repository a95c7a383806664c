// Makes worlds with procedures of their own: guards whose exits resume, and calls of procedures
// that write memory between a store and a load of the caller.

import type { ProcedureMaker } from "../generate/maker/maker.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { FrameSlot, Procedure, Value } from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import { type CountedValue, choice, product } from "./counted.js";
import { call, callIndirectly, returnResults, startProcedure } from "./procedures.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

type CallGuard = (maker: ProcedureMaker, x: Value, y: Value) => Value;

const checked =
  (opcode: Opcode): CallGuard =>
  (maker, x, y) =>
    maker.append(opcode, x.type, x, y);
const compared =
  (opcode: Opcode): CallGuard =>
  (maker, x, y) =>
    maker.append(Op.Check, Void, maker.append(opcode, Int32, x, y));
const masked: CallGuard = (maker, x, y) =>
  maker.append(Op.Check, Void, maker.append(Op.BitAnd, x.type, x, y));
const GUARDS: readonly CallGuard[] = [
  checked(Op.CheckAdd),
  checked(Op.CheckSub),
  checked(Op.CheckMul),
  compared(Op.Equal),
  compared(Op.NotEqual),
  compared(Op.LessThan),
  compared(Op.GreaterEqual),
  compared(Op.Above),
  compared(Op.BelowEqual),
  masked,
];
/**
 * The right operand of the guard and of the operation before it: another operand (null), or a
 * constant.
 */
const RIGHT_OPERANDS: readonly (number | null)[] = [null, 0, 1, -1, 2, -0x80000000];
const ADJACENT: readonly (Opcode | null)[] = [null, Op.Add, Op.Sub, Op.BitXor, Op.BitAnd, Op.Shl];
/**
 * Additional values in the snapshot: none, the operand of the guard, or a value that only the
 * snapshot needs.
 */
const SNAPSHOT_CONTENTS = ["before", "constant", "dead", "computed"] as const;
const GUARD_TYPES: readonly Type[] = [Int32, Int64];
/** The position of the guard. In a loop its operands are the same in each iteration. */
const GUARD_POSITIONS = ["alone", "in a loop", "at times in a loop"] as const;
const GUARDED_WORLDS = product({
  position: choice(GUARD_POSITIONS),
  type: choice(GUARD_TYPES),
  guard: choice(GUARDS),
  second: choice(RIGHT_OPERANDS),
  before: choice(ADJACENT),
  after: choice(ADJACENT),
  shown: choice(SNAPSHOT_CONTENTS),
});

function applyOpcode(maker: ProcedureMaker, opcode: Opcode | null, x: Value, y: Value): Value {
  if (opcode === null) return x;
  const isShift = opcode === Op.Shl;
  return maker.append(opcode, x.type, x, isShift ? maker.integer(Int32, 1) : y);
}

// Makes a guard. Its operand, which the snapshot contains as well, is computed before it; its
// result, or the operand of a Check, is used after it. The continuation returns the contents of the
// snapshot, so that all of it is observed.
function makeGuard(world: CountedValue<typeof GUARDED_WORLDS>, site: WorldSite): Value {
  const { position, type, guard, second, before, after, shown } = world;
  const maker = startProcedure(site, "guarded", [type], [type, type]);
  const [x, y] = maker.proc.parameters;
  const right = second === null ? y : maker.integer(type, second);
  const left = applyOpcode(maker, before, x, y);
  const guarded = (): Value => {
    const test = guard(maker, left, right);
    addSnapshot(site, maker, test, [x, left], shown);
    const result = test.type === Void ? left : test;
    return applyOpcode(maker, after, result, y);
  };
  const isEven = position === "at times in a loop";
  returnResults(maker, position === "alone" ? guarded() : sumInLoop(maker, y, isEven, guarded));
  return call(site.maker, maker.proc, [site.operands[type][0], site.operands[type][1]]);
}

/** Sums a computation over up to three iterations, or over the even ones. */
function sumInLoop(maker: ProcedureMaker, y: Value, isEven: boolean, compute: () => Value): Value {
  const { proc } = maker;
  const { type } = y;
  const [counter, sum] = [proc.newValue(Op.Phi, type), proc.newValue(Op.Phi, type)];
  const [header, body, exit] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  const times = maker.append(Op.BitAnd, type, y, maker.integer(type, 3));
  maker.upsilon(maker.integer(type, 0), counter);
  maker.upsilon(y, sum);
  maker.jump(header);
  maker.block = header;
  for (const phi of [counter, sum]) maker.place(phi, false);
  maker.branch(maker.append(Op.LessThan, Int32, counter, times), body, exit);
  maker.block = body;
  const end = isEven ? proc.newBlock() : body;
  const add = (): void => {
    const moved = maker.append(Op.Mul, type, sum, maker.integer(type, 3));
    maker.upsilon(maker.append(Op.Add, type, moved, compute()), sum);
  };
  if (isEven) {
    const inside = proc.newBlock();
    maker.branch(maker.append(Op.BitAnd, type, counter, maker.integer(type, 1)), end, inside);
    maker.block = inside;
    add();
    maker.jump(end);
    maker.block = end;
  } else add();
  maker.upsilon(maker.append(Op.Add, type, counter, maker.integer(type, 1)), counter);
  maker.jump(header);
  maker.block = exit;
  return sum;
}

/**
 * Adds a snapshot with two values of one type to the guard, and a continuation that returns them.
 */
export function addSnapshot(
  site: WorldSite,
  maker: ProcedureMaker,
  guard: Value,
  [x, left]: readonly Value[],
  shown: (typeof SNAPSHOT_CONTENTS)[number],
  name = "resumed",
): void {
  const { proc, context } = maker;
  const { type } = x;
  const snapshot = proc.newSnapshot(context.nextExit++);
  const slots: FrameSlot[] = [{ kind: "value", value: x }];
  if (shown === "before") slots.push({ kind: "value", value: left });
  if (shown === "constant") slots.push({ kind: "constant", type, lo: 7, hi: 0 });
  if (shown === "dead") slots.push({ kind: "dead" });
  if (shown === "computed") {
    const value = proc.newValue(Op.BitXor, type, x, left);
    snapshot.values.push(value);
    slots.push({ kind: "value", value });
  }
  snapshot.frames.push({ name: proc.name, point: 0, slots });
  guard.extra = snapshot;
  const types = slots.filter(({ kind }) => kind !== "dead").map(() => type);
  const resumed = startProcedure(site, name, [type], types);
  const [first, last = first] = resumed.proc.parameters;
  returnResults(resumed, resumed.append(Op.Sub, type, last, first));
  context.module.continuations.set(snapshot.exit, [resumed.proc]);
}

const STORES: readonly (readonly [Opcode, Type])[] = [
  [Op.Store8, Int32],
  [Op.Store16, Int32],
  [Op.Store, Int32],
  [Op.Store, Int64],
];
const LOADS: readonly (readonly [Opcode, Type])[] = [
  [Op.Load8S, Int32],
  [Op.Load16Z, Int32],
  [Op.Load, Int32],
  [Op.Load, Int64],
];
const OFFSETS = [0, 1, 4, 8];
/** The effects of the procedure on the cell: it writes, reads, or both. */
const EFFECTS = ["writes", "reads", "both"] as const;
const CALLED_WORLDS = product({
  isIndirect: choice([false, true]),
  effect: choice(EFFECTS),
  stored: choice(STORES),
  at: choice(OFFSETS),
  written: choice(STORES),
  writtenAt: choice(OFFSETS),
  loaded: choice(LOADS),
  loadedAt: choice(OFFSETS),
});

function makeCall(world: CountedValue<typeof CALLED_WORLDS>, site: WorldSite): Value {
  const { isIndirect, effect, stored, at, written, writtenAt, loaded, loadedAt } = world;
  const callee = makeCallee(site, effect, written, writtenAt);
  const { maker, operands } = site;
  const cell = maker.append(Op.Add, Int64, site.heap, maker.integer(Int64, site.cell));
  const [storeOpcode, storeType] = stored;
  maker.append(storeOpcode, Void, operands[storeType][0], cell).offset = at;
  const args = [cell, operands[written[1]][1]];
  const flag = operands[Int32][1];
  const given = isIndirect ? callIndirectly(maker, callee, flag, args) : call(maker, callee, args);
  const [loadOpcode, loadType] = loaded;
  const load = maker.append(loadOpcode, loadType, cell);
  load.offset = loadedAt;
  const narrow = loadType === Int64 ? maker.append(Op.Trunc, Int32, load) : load;
  return maker.append(Op.BitXor, Int32, narrow, given);
}

function makeCallee(
  site: WorldSite,
  effect: (typeof EFFECTS)[number],
  [opcode, type]: readonly [Opcode, Type],
  offset: number,
): Procedure {
  const maker = startProcedure(site, "callee", [Int32], [Int64, type]);
  const [cell, value] = maker.proc.parameters;
  let read: Value | null = null;
  if (effect !== "writes") {
    read = maker.append(Op.Load, Int32, cell);
    read.offset = offset;
  }
  if (effect !== "reads") maker.append(opcode, Void, value, cell).offset = offset;
  returnResults(maker, read ?? maker.integer(Int32, 5));
  return maker.proc;
}

/**
 * The settings of kinds whose worlds may exit: few worlds and tuples, so that an execution stays
 * within the limit of resumed exits.
 */
export const EXITING = { perProgram: 7, tuples: 8 } as const;

export const CALLS: readonly WorldKind[] = [
  kindOf("guard", "a guard in a callee, whose exit resumes", GUARDED_WORLDS, makeGuard, EXITING),
  kindOf("call", "a store, a call that writes or reads, a load", CALLED_WORLDS, makeCall, {
    perProgram: 16,
  }),
];
