// Emits conditions tested in sequence where the first may decide: `a && b ? x : y`, `a || b`. All
// early edges lead to one block, which may receive the number of the condition that led there. Most
// conditions test whether one number is in a range, in one of two ranges, or one of two numbers.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type } from "../../ir/types.js";
import { aimAt, compare, pickParameter } from "../maker/conditions.js";
import { enter, newPhis } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";

/** Appends the condition to the block that tests it. */
type ConditionMaker = () => Value;

export function shortCircuit(maker: ProcedureMaker): void {
  const { proc } = maker;
  const isAnd = maker.chance(50);
  const conditions = drawConditions(maker, isAnd);
  const reachedBy = maker.chance(40) ? proc.newValue(Op.Phi, Int32) : null;
  const [early, late, join] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  const phis = newPhis(maker, 1 + maker.below(2));
  const scope = maker.mark();
  conditions.forEach((test, q) => {
    const next = q === conditions.length - 1 ? late : proc.newBlock();
    if (q > 0 && maker.chance(20)) maker.emit(Op.Add, Int32, maker.pickValue(Int32), test());
    const flag = test();
    if (reachedBy !== null)
      maker.upsilon(maker.integer(Int32, maker.chance(60) ? q : 0), reachedBy);
    // One condition may have the opposite polarity.
    if (isAnd !== maker.chance(6)) maker.branch(flag, next, early);
    else maker.branch(flag, early, next);
    maker.block = next;
  });
  maker.release(scope);
  for (const block of [early, late]) {
    if (block === early && reachedBy !== null) enter(maker, block, [reachedBy]);
    else maker.block = block;
    for (const phi of phis) maker.upsilon(drawJoined(maker, phi.type), phi);
    maker.jump(join);
    maker.release(scope);
  }
  enter(maker, join, phis);
}

function drawJoined(maker: ProcedureMaker, type: Type): Value {
  if (maker.chance(50)) return maker.pick(type);
  return maker.emit(Op.Add, type, maker.pick(type), maker.pick(type));
}

/** Returns two or three conditions, of which either all or one must hold. */
function drawConditions(maker: ProcedureMaker, isAnd: boolean): ConditionMaker[] {
  const type = maker.swarm.hasType[Int64] && maker.chance(20) ? Int64 : Int32;
  const roll = maker.below(10);
  const free = (): Value => compare(maker);
  let conditions: ConditionMaker[] = [free, free];
  if (roll < 4) conditions = ofRange(maker, type, isAnd);
  else if (roll < 7) conditions = ofTwoRanges(maker, type, isAnd);
  else if (roll < 8) conditions = ofTwoNumbers(maker, type, isAnd);
  if (maker.chance(50)) conditions.reverse();
  return maker.chance(25) ? [...conditions, free] : conditions;
}

/**
 * Returns conditions for being inside a range if all must hold, otherwise outside; at times the
 * range is empty.
 */
function ofRange(maker: ProcedureMaker, type: Type, isAnd: boolean): ConditionMaker[] {
  const x = pickParameter(maker, type);
  const low = drawStart(maker);
  const high = low + maker.below(40) - 3;
  aimAtEnds(maker, x, [low, high]);
  const [atLeast, atMost]: Opcode[] = isAnd
    ? [Op.GreaterEqual, Op.LessEqual]
    : [Op.LessThan, Op.GreaterThan];
  return [
    () => maker.append(atLeast, Int32, x, maker.integer(type, low)),
    () => maker.append(atMost, Int32, x, maker.integer(type, high)),
  ];
}

/**
 * Returns conditions on two ranges of one length whose starts differ by a power of two, mostly a
 * greater one than the length.
 */
function ofTwoRanges(maker: ProcedureMaker, type: Type, isAnd: boolean): ConditionMaker[] {
  const x = pickParameter(maker, type);
  const distance = 1 << maker.below(7);
  const size = maker.chance(75) ? maker.below(distance) : maker.below(distance + 2);
  const low = drawStart(maker);
  const starts = [low, low + distance + (maker.chance(10) ? 1 : 0)];
  aimAtEnds(maker, x, starts);
  aimAtEnds(maker, x, [starts[1] + size]);
  const opcode = isAnd ? Op.Above : Op.BelowEqual;
  return starts.map((start) => () => {
    const above = maker.append(Op.Add, type, x, maker.integer(type, -start));
    return maker.append(opcode, Int32, above, maker.integer(type, size));
  });
}

function ofTwoNumbers(maker: ProcedureMaker, type: Type, isAnd: boolean): ConditionMaker[] {
  const x = pickParameter(maker, type);
  const first = drawStart(maker);
  const second = maker.chance(80) ? first ^ (1 << maker.below(7)) : first + 1 + maker.below(6);
  aimAtEnds(maker, x, [first, second]);
  const opcode = isAnd ? Op.NotEqual : Op.Equal;
  return [first, second].map(
    (number) => () => maker.append(opcode, Int32, x, maker.integer(type, number)),
  );
}

const drawStart = (maker: ProcedureMaker): number => maker.below(100) - 20;

/** Aims inputs at or next to these numbers. */
function aimAtEnds(maker: ProcedureMaker, x: Value, ends: readonly number[]): void {
  for (const end of ends) aimAt(maker, x, [end, end < 0 ? -1 : 0]);
}
