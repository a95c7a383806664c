// Emits partial operations: integer divisions with operands for which they are defined, in the
// forms by which programs ensure that. An optimizer that executes a division speculatively, or
// assumes another path's divisor, divides by zero.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type } from "../../ir/types.js";
import { pickSpecial } from "../maker/conditions.js";
import { guardAgainst } from "../maker/exits.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { LIMITS } from "../maker/odds.js";
import type { OpcodeInstance } from "../maker/swarm.js";

/** Appends a partial instruction that is defined whenever it is executed. */
export function emitPartial(maker: ProcedureMaker, { opcode, operands }: OpcodeInstance): void {
  const [type] = operands;
  const isSigned = SIGNED.has(opcode);
  const roll = maker.below(100);
  if (roll < 32) {
    divide(maker, opcode, type, dividendFor(maker, type), constantDivisor(maker, type, isSigned));
    return;
  }
  if (roll < 50) {
    // Positive and odd.
    const greatest =
      type === Int64 ? maker.constantOf(type, -1, GREATEST) : maker.constantOf(type, GREATEST, 0);
    const positive = maker.append(Op.BitAnd, type, maker.pickValue(type), greatest);
    const divisor = maker.append(Op.BitOr, type, positive, maker.integer(type, 1));
    divide(maker, opcode, type, maker.pick(type), divisor);
    return;
  }
  // An odd dividend is not the least integer, so only a divisor of zero remains to be excluded.
  const dividend = isSigned ? odd(maker, maker.pickValue(type)) : maker.pickValue(type);
  const divisor = maker.chance(25) ? pickSpecial(maker, type) : maker.pickValue(type);
  const hasRoom = maker.proc.blocks.length + 2 < LIMITS.blocks;
  if (roll < 62) divide(maker, opcode, type, dividend, odd(maker, divisor));
  else if (roll < 74) {
    const nonZero = maker.append(Op.Select, type, divisor, divisor, maker.integer(type, 1));
    divide(maker, opcode, type, dividend, nonZero);
  } else if (roll < 82 && maker.dials.guards > 0) {
    guardAgainst(maker, maker.append(Op.Equal, Int32, divisor, maker.integer(type, 0)));
    divide(maker, opcode, type, dividend, divisor);
  } else if (hasRoom) divideInArm(maker, opcode, type, dividend, divisor);
  else divide(maker, opcode, type, dividend, odd(maker, divisor));
}

const dividendFor = (maker: ProcedureMaker, type: Type): Value =>
  maker.chance(25) ? pickSpecial(maker, type) : maker.pickValue(type);

// Emits the division and at times the other of quotient and remainder: one instruction may compute
// both.
function divide(maker: ProcedureMaker, opcode: Opcode, type: Type, a: Value, b: Value): void {
  const other = maker.chance(20) ? OTHER_HALF.get(opcode) : undefined;
  if (other !== undefined && maker.chance(60)) maker.emit(other, type, a, b);
  const result = maker.emit(opcode, type, a, b);
  if (REMAINDERS.has(opcode) && maker.chance(20)) compareRemainder(maker, result);
  if (other !== undefined && maker.chance(40)) maker.emit(other, type, a, b);
}

// Compares a remainder with 0 or another small number, as programs usually do.
function compareRemainder(maker: ProcedureMaker, remainder: Value): void {
  const which = maker.integer(remainder.type, maker.chance(60) ? 0 : 1 + maker.below(4));
  maker.flags.push(maker.append(Op.Equal, Int32, remainder, which));
}

const REMAINDERS: ReadonlySet<Opcode> = new Set([Op.Mod, Op.UMod, Op.FloorMod]);
const SIGNED: ReadonlySet<Opcode> = new Set([Op.Div, Op.Mod, Op.FloorMod]);
const OTHER_HALF: ReadonlyMap<Opcode, Opcode> = new Map([
  [Op.Div, Op.Mod],
  [Op.Mod, Op.Div],
  [Op.FloorMod, Op.Mod],
  [Op.UDiv, Op.UMod],
  [Op.UMod, Op.UDiv],
]);

const GREATEST = 0x7fff_ffff;

const odd = (maker: ProcedureMaker, value: Value): Value =>
  maker.append(Op.BitOr, value.type, value, maker.integer(value.type, 1));

/** Returns a divisor that is not zero and, if the division is signed, not -1. */
function constantDivisor(maker: ProcedureMaker, type: Type, isSigned: boolean): Value {
  for (let tries = 0; tries < 3; tries++) {
    const constant = maker.constant(type);
    const isZero = constant.constantLow === 0 && (type === Int32 || constant.constantHigh === 0);
    const isMinusOne =
      constant.constantLow === -1 && (type === Int32 || constant.constantHigh === -1);
    if (!isZero && !(isSigned && isMinusOne)) return constant;
  }
  return maker.integer(type, DIVISORS[maker.below(DIVISORS.length)]);
}
const DIVISORS = [1, 2, 3, 5, 7, 8, 10, 16, 100, 641, 1000, 2 ** 31 - 1, -2, -3, -10];

// Emits if (divisor != 0) quotient = dividend / divisor.
function divideInArm(
  maker: ProcedureMaker,
  opcode: OpcodeInstance["opcode"],
  type: Type,
  dividend: Value,
  divisor: Value,
): void {
  const { proc } = maker;
  const [division, join] = [proc.newBlock(), proc.newBlock()];
  const phi = proc.newValue(Op.Phi, type);
  maker.upsilon(maker.chance(50) ? divisor : dividend, phi);
  if (maker.chance(50)) maker.branch(divisor, division, join);
  else {
    const isZero = maker.append(Op.Equal, Int32, divisor, maker.integer(type, 0));
    maker.branch(isZero, join, division);
  }
  maker.block = division;
  maker.upsilon(maker.append(opcode, type, dividend, divisor), phi);
  maker.jump(join);
  maker.block = join;
  maker.place(phi, false);
}
