// Finds jumps: discontinuities of an operation. By opcode it defines an answer, a quantity that
// changes at the jump while one operand moves. Bisection finds where the answer changes from one
// operand value to the next, so no row needs to know the position.

import { OPCODE_NAMES, Op, type Opcode, type OpcodeName } from "../ir/opcodes.js";
import { Double, Float, Int32, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { atRank, numberOf, rankOf, type SignedBits, widthOf, wrap } from "./bits.js";
import { evaluatorOf } from "./evaluate.js";

interface NamedJump {
  readonly jump: string;
  readonly answer: JumpSide;
}
type JumpSides = Readonly<Record<string, JumpSide>>;

/** Maps operands, at the operation's T, to a number that identifies the side of a jump. */
type JumpSide = (type: Type, x: SignedBits, y: SignedBits) => SignedBits | number | null;

/** Identifies the side of a jump by the result of another operation on the same operands. */
const as =
  (name: OpcodeName): JumpSide =>
  (type, x, y) =>
    evaluatorOf(Op[name], type)?.(x, y) ?? null;

/**
 * Returns the sign of an integer, or the kind and sign of a float, which change where a result
 * wraps, vanishes or overflows.
 */
function kindOf(type: Type, bits: SignedBits): number {
  if (!isFloating(type)) return bits === 0n ? 0 : bits < 0n ? -1 : 1;
  const x = numberOf(type, bits);
  if (Number.isNaN(x)) return 9;
  const size = x === 0 ? 1 : Math.abs(x) === Number.POSITIVE_INFINITY ? 3 : 2;
  return bits < 0n ? -size : size;
}

/** Identifies the side of a jump by the kind (sign, zero, infinity) of that operation's result. */
const kind =
  (name: OpcodeName): JumpSide =>
  (type, x, y) => {
    const result = evaluatorOf(Op[name], type)?.(x, y) ?? null;
    return result === null ? null : kindOf(type, result);
  };

/** Identifies the side of a jump by an integer quotient, or by the kind of a float quotient. */
const quotient = (name: OpcodeName): JumpSide => {
  const [ofInteger, ofFloat] = [as(name), kind("Div")];
  return (type, x, y) => (isFloating(type) ? ofFloat : ofInteger)(type, x, y);
};

/**
 * Identifies the side of a jump by the rounding: whether the result is above, below or equal to the
 * exact number.
 */
const rounding =
  (name: OpcodeName): JumpSide =>
  (type, x) => {
    const result = evaluatorOf(Op[name], type)?.(x) ?? null;
    if (result === null) return null;
    const to = name === "DoubleToFloat" ? Float : type;
    const error = numberOf(to, result) - numberOf(type, x);
    return Number.isNaN(error) ? 2 : Math.sign(error);
  };

/** Identifies the rounding of an integer that is converted to a float: up, down or exact. */
const roundingInteger =
  (name: OpcodeName, to: Type, isSigned: boolean): JumpSide =>
  (type, x) => {
    const result = evaluatorOf(Op[name], type)?.(x) ?? null;
    if (result === null) return null;
    const exact = isSigned ? x : BigInt.asUintN(widthOf(type), x);
    // The result is finite, because no 64-bit integer is beyond the range of a Float.
    const given = BigInt(numberOf(to, result));
    return given === exact ? 0 : given < exact ? -1 : 1;
  };

const sign: JumpSide = (_type, x) => (x < 0n ? -1 : 0);
const isZero: JumpSide = (_type, x) => (x === 0n ? 1 : 0);
/** Identifies the side of a jump by one bit of the operand. */
const bit =
  (number: bigint): JumpSide =>
  (_type, x) =>
    (x >> number) & 1n;
/** Compares the operands; for floats, 2 if one is a NaN. */
const order: JumpSide = (type, x, y) => {
  if (!isFloating(type)) return x < y ? -1 : x > y ? 1 : 0;
  const [p, q] = [numberOf(type, x), numberOf(type, y)];
  return p < q ? -1 : p > q ? 1 : p === q ? 0 : 2;
};
const unsignedOrder: JumpSide = (type, x, y) =>
  order(Int32, BigInt.asUintN(widthOf(type), x), BigInt.asUintN(widthOf(type), y));
/** Identifies whether a shift count is negative, below the width, or beyond it. */
const beyondWidth: JumpSide = (type, _x, count) =>
  count < 0n ? -1 : count < widthOf(type) ? 0 : 1;
/** Identifies whether a number is below, inside or above the range of a conversion; 2 for a NaN. */
const limits =
  (least: number, end: number): JumpSide =>
  (type, x) => {
    const number = Math.trunc(numberOf(type, x));
    if (Number.isNaN(number)) return 2;
    return number < least ? -1 : number < end ? 0 : 1;
  };
const LIMITS = {
  S32: limits(-(2 ** 31), 2 ** 31),
  U32: limits(0, 2 ** 32),
  S64: limits(-(2 ** 63), 2 ** 63),
  U64: limits(0, 2 ** 64),
};
const fits: JumpSide = (_type, x) => (wrap(Int32, x) === x ? 0 : x < 0n ? -1 : 1);
/** Identifies the side of a jump by the number rounded toward zero; null for a NaN. */
const whole: JumpSide = (type, x) => {
  const number = numberOf(type, x);
  return Number.isFinite(number) ? Math.trunc(number) : null;
};
const operandKind: JumpSide = kindOf;

const toInteger = rounding("FTrunc");
const checkedConversion: JumpSides = {
  range: (_type, x, y) => LIMITS.S32(Double, x, y),
  integer: (_type, x, y) => toInteger(Double, x, y),
};

/**
 * The jumps of each opcode. An operation without a row jumps where the kind of its result changes.
 */
// biome-ignore format: a table
const ROWS: { readonly [O in OpcodeName]?: JumpSides } = {
  Add:          { overflow: as("AddOverflows"), carry: as("AddCarries"), result: kind("Add") },
  Sub:          { overflow: as("SubOverflows"), borrow: unsignedOrder, result: kind("Sub") },
  Mul:          { overflow: as("MulOverflows"), result: kind("Mul") },
  CheckAdd:     { overflow: as("AddOverflows"), result: kind("Add") },
  CheckSub:     { overflow: as("SubOverflows"), result: kind("Sub") },
  CheckMul:     { overflow: as("MulOverflows"), result: kind("Mul") },
  Div:          { quotient: quotient("Div"), remainder: kind("Mod") },
  Mod:          { quotient: quotient("ChillDiv"), remainder: kind("Mod") },
  UDiv:         { quotient: as("UDiv"), remainder: kind("UMod") },
  UMod:         { quotient: as("UDiv"), remainder: kind("UMod") },
  FloorMod:     { quotient: as("ChillDiv"), remainder: kind("FloorMod") },
  ChillDiv:     { quotient: as("ChillDiv"), remainder: kind("ChillMod") },
  ChillMod:     { quotient: as("ChillDiv"), remainder: kind("ChillMod") },
  MulHigh:      { half: as("MulHigh") },
  UMulHigh:     { half: as("UMulHigh") },

  Shl:          { count: beyondWidth, result: kind("Shl") },
  SShr:         { count: beyondWidth, result: kind("SShr") },
  ZShr:         { count: beyondWidth, result: kind("ZShr") },
  RotL:         { count: beyondWidth, result: kind("RotL") },
  RotR:         { count: beyondWidth, result: kind("RotR") },
  Clz:          { count: as("Clz") },
  Ctz:          { zero: isZero },
  PopCnt:       { zero: isZero },
  Min:          { order },
  Max:          { order },
  UMin:         { order: unsignedOrder },
  UMax:         { order: unsignedOrder },
  AddOverflows: { flag: as("AddOverflows") },
  SubOverflows: { flag: as("SubOverflows") },
  MulOverflows: { flag: as("MulOverflows") },
  AddCarries:   { flag: as("AddCarries") },
  FMin:         { order },
  FMax:         { order },
  Ceil:         { integer: as("Ceil") },
  Floor:        { integer: as("Floor") },
  FTrunc:       { integer: as("FTrunc") },
  Nearest:      { rounding: rounding("Nearest") },
  PurifyNaN:    { kind: operandKind },

  SExt8:        { sign: bit(7n) },
  SExt16:       { sign: bit(15n) },
  SExt8To64:    { sign: bit(7n) },
  SExt16To64:   { sign: bit(15n) },
  SExt32:       { sign },
  ZExt32:       { sign },
  Trunc:        { range: fits, sign: bit(31n) },
  TruncHigh:    { range: fits },
  IToD:         { rounding: roundingInteger("IToD", Double, true), sign },
  IToF:         { rounding: roundingInteger("IToF", Float, true), sign },
  UToD:         { rounding: roundingInteger("UToD", Double, false), sign },
  UToF:         { rounding: roundingInteger("UToF", Float, false), sign },
  TruncS32:     { range: LIMITS.S32, integer: whole },
  TruncU32:     { range: LIMITS.U32, integer: whole },
  TruncS64:     { range: LIMITS.S64, integer: whole },
  TruncU64:     { range: LIMITS.U64, integer: whole },
  ToInt32:      { range: LIMITS.S32, unsigned: LIMITS.U32, integer: whole },
  CheckToInt32:      checkedConversion,
  CheckToInt32Exact: checkedConversion,
  FloatToDouble:     { kind: operandKind },
  DoubleToFloat:     { rounding: rounding("DoubleToFloat"), result: kind("DoubleToFloat") },

  Equal:            { order },
  NotEqual:         { order },
  LessThan:         { order },
  GreaterThan:      { order },
  LessEqual:        { order },
  GreaterEqual:     { order },
  EqualOrUnordered: { order },
  Above:            { order: unsignedOrder },
  Below:            { order: unsignedOrder },
  AboveEqual:       { order: unsignedOrder },
  BelowEqual:       { order: unsignedOrder },

  Select:           { condition: isZero },
  Check:            { condition: isZero },
  Branch:           { condition: isZero },
};

const OPERATIONS = OPCODE_NAMES.map((name): readonly NamedJump[] => {
  const computes = VALUE_TYPES.some((type) => evaluatorOf(Op[name], type) !== null);
  const row: JumpSides = ROWS[name] ?? (computes ? { result: kind(name) } : {});
  return Object.entries(row).map(([jump, answer]) => ({ jump, answer }));
});

/** Returns the named answers of an operation; none for an operation that only moves bits. */
export const answersOf = (opcode: Opcode): readonly NamedJump[] => OPERATIONS[opcode];

/**
 * Returns two neighbouring values of a type between `from` and `to` on which the answer differs;
 * null if it is the same at both ends. If there are several jumps, it finds one.
 */
export function jumpBetween(
  type: Type,
  answer: (bits: SignedBits) => SignedBits | number | null,
  from: SignedBits,
  to: SignedBits,
): readonly [SignedBits, SignedBits] | null {
  const first = answer(from);
  const last = answer(to);
  if (first === last || first === null || last === null) return null;
  let [near, far] = [rankOf(type, from), rankOf(type, to)];
  while (far - near > 1n || near - far > 1n) {
    const middle = (near + far) >> 1n;
    if (answer(atRank(type, middle)) === first) near = middle;
    else far = middle;
  }
  return [atRank(type, near), atRank(type, far)];
}
