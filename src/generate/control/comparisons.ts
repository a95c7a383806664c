// Uses one comparison as a number and as a condition, in any order. A compiler that changes the
// form of the condition must not change the number.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Int32, Int64 } from "../../ir/types.js";
import { emitStep } from "../contents/contents.js";
import { compare } from "../maker/conditions.js";
import { guardAgainst } from "../maker/exits.js";
import { twoArms } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { observe } from "../maker/observe.js";
import { drawType } from "../maker/swarm.js";
import { switchArms } from "../maker/switches.js";

/** A function that uses the flag, and returns a number derived from it for the next use. */
type FlagUse = (maker: ProcedureMaker, flag: Value) => Value;

export function comparisonAsNumber(maker: ProcedureMaker): void {
  let flag = compare(maker);
  for (let count = 2 + maker.below(3); count > 0; count--) {
    const role = ROLES[maker.below(ROLES.length)];
    const number = role(maker, flag);
    if (number !== flag && maker.chance(50)) observe(maker, number);
    if (number.type === Int32 && maker.chance(40)) flag = number;
    // A step between two uses of one comparison must not depend on the processor's flags.
    if (maker.chance(35)) emitStep(maker);
  }
}

/**
 * Combines the flag with a number, in most cases a small one such as the 0 or 1 that the flag may
 * be.
 */
const withNumber =
  (opcode: Opcode): FlagUse =>
  (maker, flag) => {
    const isSmall = maker.chance(60);
    const other = isSmall ? maker.integer(Int32, maker.below(3)) : maker.pickValue(Int32);
    return maker.emit(opcode, Int32, flag, other);
  };

const withFlag =
  (opcode: Opcode): FlagUse =>
  (maker, flag) =>
    maker.emit(opcode, Int32, flag, compare(maker));

const widened =
  (opcode: Opcode, type: typeof Int64 | typeof Double): FlagUse =>
  (maker, flag) =>
    maker.swarm.hasType[type] ? maker.emit(opcode, type, flag) : maker.emit(Op.Neg, Int32, flag);

const ROLES: readonly FlagUse[] = [
  ...[Op.Add, Op.Sub, Op.Mul, Op.Shl, Op.BitXor, Op.BitAnd].map(withNumber),
  ...[Op.Equal, Op.NotEqual, Op.LessThan, Op.Above].map(withNumber),
  ...[Op.BitAnd, Op.BitOr, Op.BitXor, Op.Add, Op.Equal].map(withFlag),
  widened(Op.ZExt32, Int64),
  widened(Op.SExt32, Int64),
  widened(Op.IToD, Double),
  asMask,
  asChoice,
  asChoice,
  asBranch,
  asBranch,
  asBranch,
  asGuard,
  asKey,
];

/** Uses the flag as a mask with all bits or none, applied to another number. */
function asMask(maker: ProcedureMaker, flag: Value): Value {
  const mask = maker.emit(Op.Neg, Int32, flag);
  return maker.emit(Op.BitAnd, Int32, mask, maker.pickValue(Int32));
}

function asChoice(maker: ProcedureMaker, flag: Value): Value {
  const type = drawType(maker.source, maker.swarm);
  const x = maker.pick(type);
  return maker.emit(Op.Select, type, flag, x, maker.pickBeside(type, x));
}

// The arms return the flag itself, a constant that it may be, or another value.
function asBranch(maker: ProcedureMaker, flag: Value): Value {
  const arm = (): readonly Value[] => {
    const roll = maker.below(3);
    if (roll === 0) return [flag];
    return [roll === 1 ? maker.integer(Int32, maker.below(2)) : maker.pick(Int32)];
  };
  return twoArms(maker, flag, [arm, arm], [Int32])[0];
}

function asGuard(maker: ProcedureMaker, flag: Value): Value {
  if (maker.dials.guards > 0) guardAgainst(maker, flag);
  return flag;
}

function asKey(maker: ProcedureMaker, flag: Value): Value {
  const keys = [maker.below(2), 2, -1].slice(0, 1 + maker.below(3));
  return switchArms(
    maker,
    flag,
    keys.map((key) => [key, 0]),
    2,
    (arm) => (arm === 0 ? flag : maker.pick(Int32)),
  );
}
