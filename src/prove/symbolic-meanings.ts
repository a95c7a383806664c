// Defines every pure operation for the solver. It is the third definition of the language, after
// the oracle's (src/oracle/meanings.ts) and the compiler's (reference/optimize/rules/fold.ts). A
// test compares it with the oracle at boundary values.
//
// Source: docs/language.md, 3. Floating-point terms use SMT-LIB's theory of floating-point numbers,
// which follows IEEE 754-2008.

import { nameOfOpcode, type Opcode, specOf } from "../ir/opcodes.js";
import { Double, Float, Int32, type Type } from "../ir/types.js";
import type { MoveName, PureOpcodeName } from "../oracle/meanings.js";
import { InternalError } from "../support/assert.js";
import {
  all,
  any,
  apply,
  bits,
  bitsOf,
  choose,
  equal,
  extract,
  not,
  type SmtQuery,
  type SmtTerm,
  signExtend,
  zeroExtend,
} from "./smt.js";
import {
  bitsOfFloat,
  chooseValue,
  computed,
  type FloatValue,
  floatOf,
  floatOfBits,
  floatSort,
  integer,
  integerOf,
  integerSort,
  isNotNumber,
  NEAREST_EVEN,
  type SymbolicValue,
  toFloat,
  truth,
  widthOf,
} from "./symbolic-value.js";

/** One operation with its operands, and the types of the first operand and of the result. */
interface OperationSite {
  readonly query: SmtQuery;
  /** T of the row: the type of the first operand, or of the second if the first is a condition. */
  readonly type: Type;
  readonly result: Type;
  readonly operands: readonly SymbolicValue[];
  readonly wording: QueryWording;
  /** Declares that the execution is undefined, or observes an open NaN, if the claim holds. */
  readonly forbid: (claim: SmtTerm) => void;
}

/** An operation that the solver's theories cannot express. */
export class UnknownToSolver extends Error {
  override readonly name = "UnknownToSolver";
}

type SymbolicMeaning = (site: OperationSite) => SymbolicValue;

const isOfFloats = ({ operands }: OperationSite): boolean => operands[0].kind === "float";
const word = ({ operands }: OperationSite, i: number): SmtTerm => integerOf(operands[i]);
const float = ({ operands }: OperationSite, i: number): FloatValue => floatOf(operands[i]);
const number = (site: OperationSite, i: number): SmtTerm => float(site, i).number;

const integers =
  (make: (x: SmtTerm, y: SmtTerm, width: number) => SmtTerm): SymbolicMeaning =>
  (site) =>
    integer(
      site.result,
      site.query.name(
        integerSort(site.result),
        make(word(site, 0), site.operands.length > 1 ? word(site, 1) : "", widthOf(site.type)),
      ),
    );

const floats =
  (make: (...numbers: SmtTerm[]) => SmtTerm): SymbolicMeaning =>
  (site) =>
    computed(site.query, site.result, make(...site.operands.map((_, i) => number(site, i))));

const either =
  (ofIntegers: SymbolicMeaning, ofFloats: SymbolicMeaning): SymbolicMeaning =>
  (site) =>
    (isOfFloats(site) ? ofFloats : ofIntegers)(site);

const rounded =
  (head: string) =>
  (x: SmtTerm, y?: SmtTerm): SmtTerm =>
    y === undefined ? apply(head, NEAREST_EVEN, x) : apply(head, NEAREST_EVEN, x, y);
/** An uninterpreted function of absolute values, with the sign of IEEE 754, 6.3. */
const floatQuotient: SymbolicMeaning = (site) => {
  const { query, wording, result } = site;
  if (!wording.hasUnknownFunctions) return floats(rounded("fp.div"))(site);
  const sort = floatSort(result);
  const name = `quotient${sort.replace(/\W+/g, "")}`;
  query.declareFunction(name, `${sort} ${sort}`, sort);
  const [x, y] = [number(site, 0), number(site, 1)];
  const whole = query.name(sort, apply(name, apply("fp.abs", x), apply("fp.abs", y)));
  const isOpposite = apply("xor", apply("fp.isNegative", x), apply("fp.isNegative", y));
  return computed(query, result, choose(isOpposite, apply("fp.neg", whole), whole));
};

/**
 * An uninterpreted function of the factors' absolute values, the sign of the product, and the
 * summand.
 */
const fusedSum: SymbolicMeaning = (site) => {
  const { query, wording, result } = site;
  const [x, y, z] = [number(site, 0), number(site, 1), number(site, 2)];
  if (!wording.hasUnknownFunctions)
    return computed(query, result, apply("fp.fma", NEAREST_EVEN, x, y, z));
  const sort = floatSort(result);
  const name = `fused${sort.replace(/\W+/g, "")}`;
  query.declareFunction(name, `${sort} ${sort} Bool ${sort}`, sort);
  const isOpposite = apply("xor", apply("fp.isNegative", x), apply("fp.isNegative", y));
  const whole = apply(name, apply("fp.abs", x), apply("fp.abs", y), isOpposite, z);
  const isOpen = any([isNotNumber(x), isNotNumber(y)]); // the sign of a NaN is irrelevant
  return computed(query, result, choose(isOpen, apply("fp.add", NEAREST_EVEN, x, y), whole));
};

const integral = (mode: string): SymbolicMeaning =>
  floats((x) => apply("fp.roundToIntegral", mode, x));

const arithmetic = (ofIntegers: string, ofFloats: string): SymbolicMeaning =>
  either(
    integers((x, y) => apply(ofIntegers, x, y)),
    floats(rounded(ofFloats)),
  );

const comparison = (
  ofIntegers: string,
  ofFloats: (x: SmtTerm, y: SmtTerm) => SmtTerm,
): SymbolicMeaning =>
  either(
    (site) => truth(apply(ofIntegers, word(site, 0), word(site, 1))),
    (site) => truth(ofFloats(number(site, 0), number(site, 1))),
  );
const ordered = (ofIntegers: string, ofFloats: string): SymbolicMeaning =>
  comparison(ofIntegers, (x, y) => apply(ofFloats, x, y));
const unsignedOrder =
  (head: string): SymbolicMeaning =>
  (site) =>
    truth(apply(head, word(site, 0), word(site, 1)));

const zero = (width: number): SmtTerm => bits(width, 0);
const least = (width: number): SmtTerm => bits(width, 1n << BigInt(width - 1));
const isZero = (x: SmtTerm, width: number): SmtTerm => equal(x, zero(width));
const isDivisionOverflow = (x: SmtTerm, y: SmtTerm, width: number): SmtTerm =>
  all([equal(x, least(width)), equal(y, bits(width, -1))]);

/** Partial operations: undefined for a divisor of zero, and signed ones for MIN / -1. */
const partial =
  (kind: DivisionKind): SymbolicMeaning =>
  (site) => {
    if (isOfFloats(site)) throw new UnknownToSolver("the remainder of floats");
    const [x, y, width] = [word(site, 0), word(site, 1), widthOf(site.type)];
    site.forbid(isZero(y, width));
    if (kind.isSigned) site.forbid(isDivisionOverflow(x, y, width));
    return integer(site.result, site.query.name(integerSort(site.result), divide(site, kind)));
  };

/** A signed or unsigned quotient or remainder. */
interface DivisionKind {
  readonly isSigned: boolean;
  readonly isRemainder: boolean;
}

const HEADS_OF_DIVISION = ["bvudiv", "bvurem", "bvsdiv", "bvsrem"];

/**
 * Returns the quotient toward zero, or its remainder. With uninterpreted functions, the quotient of
 * absolute values is arbitrary, and the remainder is computed from the quotient.
 */
function divide(site: OperationSite, { isSigned, isRemainder }: DivisionKind): SmtTerm {
  const [x, y, width] = [word(site, 0), word(site, 1), widthOf(site.type)];
  const { query } = site;
  if (!site.wording.hasUnknownFunctions) {
    return apply(HEADS_OF_DIVISION[(isSigned ? 2 : 0) + (isRemainder ? 1 : 0)], x, y);
  }
  const sort = integerSort(site.type);
  const name = `quotient${width}`;
  query.declareFunction(name, `${sort} ${sort}`, sort);
  const isBelow = (term: SmtTerm): SmtTerm => apply("bvslt", term, zero(width));
  const size = (term: SmtTerm): SmtTerm =>
    isSigned ? query.name(sort, choose(isBelow(term), apply("bvneg", term), term)) : term;
  const whole = query.name(sort, apply(name, size(x), size(y)));
  const isOpposite = apply("xor", isBelow(x), isBelow(y));
  const quotient = isSigned
    ? query.name(sort, choose(isOpposite, apply("bvneg", whole), whole))
    : whole;
  return isRemainder ? apply("bvsub", x, apply("bvmul", quotient, y)) : quotient;
}

/**
 * Returns the remainder, plus the divisor if the remainder is nonzero and its sign differs from the
 * divisor's.
 */
const floorModulus: SymbolicMeaning = (site) => {
  const rest = word(
    { ...site, operands: [partial({ isSigned: true, isRemainder: true })(site)] },
    0,
  );
  const [y, width] = [word(site, 1), widthOf(site.type)];
  const isOpposite = apply("bvslt", apply("bvxor", rest, y), zero(width));
  const isShort = all([not(isZero(rest, width)), isOpposite]);
  return integer(site.result, choose(isShort, apply("bvadd", rest, y), rest));
};

/** Returns the low 5 or 6 bits of a count, extended to the width of the shifted value. */
function countOf(count: SmtTerm, width: number): SmtTerm {
  const used = apply("bvand", count, bits(32, width - 1));
  return width === 64 ? zeroExtend(32, used) : used;
}

const shift = (head: string): SymbolicMeaning =>
  integers((x, count, width) => apply(head, x, countOf(count, width)));

/**
 * @param onward the shift in the direction of rotation
 * @param back the shift of the wrapped bits
 */
const rotation = (onward: string, back: string): SymbolicMeaning =>
  integers((x, count, width) => {
    const by = countOf(count, width);
    const rest = apply("bvand", apply("bvneg", by), bits(width, width - 1));
    return apply("bvor", apply(onward, x, by), apply(back, x, rest));
  });

/** Returns the upper half of a product in double width. */
const highProduct = (extend: (count: number, x: SmtTerm) => SmtTerm): SymbolicMeaning =>
  integers((x, y, width) =>
    extract(2 * width - 1, width, apply("bvmul", extend(width, x), extend(width, y))),
  );

/** The wording of a query: equivalent forms can differ in difficulty. */
export interface QueryWording {
  /**
   * Quotients and fused sums are uninterpreted functions: a claim that holds for any function holds
   * for them.
   */
  readonly hasUnknownFunctions: boolean;
}

/** Returns whether the exact result of the operation does not fit a signed integer of the width. */
export function overflows(head: string, x: SmtTerm, y: SmtTerm, width: number): SmtTerm {
  const more = head === "bvmul" ? width : 1;
  const wide = apply(head, signExtend(more, x), signExtend(more, y));
  return not(equal(wide, signExtend(more, extract(width - 1, 0, wide))));
}

const overflow =
  (head: string): SymbolicMeaning =>
  (site) =>
    truth(overflows(head, word(site, 0), word(site, 1), widthOf(site.type)));

const bitAt = (x: SmtTerm, at: number): SmtTerm => extract(at, at, x);
const isSet = (x: SmtTerm, at: number): SmtTerm => equal(bitAt(x, at), "#b1");

/** Counts the bits before the first set bit, in the order in which `at` visits them. */
const countUntilSet = (at: (step: number, width: number) => number): SymbolicMeaning =>
  integers((x, _y, width) => {
    let count = bits(width, width);
    for (let step = width - 1; step >= 0; step--) {
      count = choose(isSet(x, at(step, width)), bits(width, step), count);
    }
    return count;
  });

const ones: SymbolicMeaning = integers((x, _y, width) => {
  const each = Array.from({ length: width }, (_, at) => zeroExtend(width - 1, bitAt(x, at)));
  return apply("bvadd", ...each);
});

/** Returns the first operand if the order holds, otherwise the second. */
const chosen = (order: string): SymbolicMeaning =>
  integers((x, y) => choose(apply(order, x, y), x, y));

/** Concatenates the bytes in reverse order: the lowest byte comes first. */
const byteSwap: SymbolicMeaning = integers((x, _y, width) =>
  apply("concat", ...Array.from({ length: width / 8 }, (_, at) => extract(8 * at + 7, 8 * at, x))),
);

const signMask = (type: Type): SmtTerm => least(widthOf(type));
const restMask = (type: Type): SmtTerm => apply("bvnot", signMask(type));

/** Returns an operation that changes the sign bit only; an open NaN stays open. */
const onSign =
  (make: (x: SmtTerm) => SmtTerm, onBits: (x: SmtTerm, type: Type) => SmtTerm): SymbolicMeaning =>
  (site) => {
    const { query, type } = site;
    const x = float(site, 0);
    return {
      kind: "float",
      type,
      number: query.name(floatSort(type), make(x.number)),
      nanBits: query.name(integerSort(type), onBits(x.nanBits, type)),
      isOpen: x.isOpen,
    };
  };

const negated = onSign(
  (x) => apply("fp.neg", x),
  (x, type) => apply("bvxor", x, signMask(type)),
);
const absolute = onSign(
  (x) => apply("fp.abs", x),
  (x, type) => apply("bvand", x, restMask(type)),
);

/** Returns the sign bit of a float that is not an open NaN. */
function isNegative(x: FloatValue): SmtTerm {
  const width = widthOf(x.type);
  const ofNaN = equal(extract(width - 1, width - 1, x.nanBits), "#b1");
  return choose(isNotNumber(x.number), ofNaN, apply("fp.isNegative", x.number));
}

const copySign: SymbolicMeaning = (site) => {
  const sign = float(site, 1);
  site.forbid(sign.isOpen);
  const positive = absolute(site);
  const negative = negated({ ...site, operands: [positive] });
  return chooseValue(site.query, isNegative(sign), negative, positive);
};

const purified: SymbolicMeaning = (site) => {
  const { type } = site;
  const quiet = type === Float ? 0x7fc0_0000n : 0x7ff8_0000_0000_0000n;
  return { ...float(site, 0), nanBits: bits(widthOf(type), quiet), isOpen: "false" };
};

/**
 * Returns the minimum or maximum of floats: -0 is less than 0, and the result for a NaN is an open
 * NaN.
 */
const extreme = (order: "fp.lt" | "fp.gt", isWantedZero: string): SymbolicMeaning =>
  floats((x, y) => {
    const areZeroes = all([apply("fp.isZero", x), apply("fp.isZero", y)]);
    const ofZeroes = choose(apply(isWantedZero, x), x, y);
    const ofNumbers = choose(apply(order, x, y), x, y);
    return choose(
      isNotNumber(x),
      x,
      choose(isNotNumber(y), y, choose(areZeroes, ofZeroes, ofNumbers)),
    );
  });

const fromInteger =
  (isSigned: boolean): SymbolicMeaning =>
  (site) => {
    const target = toFloat(site.result);
    const head = isSigned ? target : target.replace("to_fp", "to_fp_unsigned");
    return computed(site.query, site.result, apply(head, NEAREST_EVEN, word(site, 0)));
  };

/** Returns a power of two as a float, exact at both types. */
function powerOfTwo(type: Type, exponent: number, isNegativeOne: boolean): SmtTerm {
  const [sign, bias, fraction] = [
    isNegativeOne ? 1n : 0n,
    type === Float ? 127 : 1023,
    type === Float ? 23 : 52,
  ];
  const value = (sign << BigInt(widthOf(type) - 1)) | (BigInt(exponent + bias) << BigInt(fraction));
  return apply(toFloat(type), bits(widthOf(type), value));
}

/**
 * Returns the conversion of a float to an integer: truncated toward zero, saturated; a NaN gives 0.
 */
const toInteger =
  (width: number, isSigned: boolean): SymbolicMeaning =>
  (site) => {
    const { query, result } = site;
    const type = float(site, 0).type;
    const x = number(site, 0);
    const above = powerOfTwo(type, isSigned ? width - 1 : width, false);
    const low = isSigned ? powerOfTwo(type, width - 1, true) : bits(widthOf(type), 0);
    const below = isSigned ? low : apply(toFloat(type), low);
    const least_ = isSigned ? least(width) : zero(width);
    const greatest = isSigned ? apply("bvnot", least(width)) : bits(width, -1);
    const head = `(_ fp.to_${isSigned ? "s" : "u"}bv ${width})`;
    const inside = apply(head, "RTZ", x);
    const value = choose(
      isNotNumber(x),
      zero(width),
      choose(
        apply("fp.leq", x, below),
        least_,
        choose(apply("fp.geq", x, above), greatest, inside),
      ),
    );
    return integer(result, query.name(integerSort(result), value));
  };

/**
 * Returns the low 32 bits of a truncated Double, computed from its bits: the fraction with its
 * leading one, shifted by the exponent, and negated according to the sign.
 */
const lowBits: SymbolicMeaning = (site) => {
  const { query, result } = site;
  const x = query.name(bitsOf(64), bitsOfFloat(query, float(site, 0)));
  const exponent = query.name(bitsOf(64), zeroExtend(53, extract(62, 52, x)));
  // The implicit leading one is wrong for a subnormal number, but the number is still read as less
  // than 1.
  const size = zeroExtend(11, apply("concat", "#b1", extract(51, 0, x)));
  const unit = bits(64, 1075);
  const whole = choose(
    apply("bvult", exponent, unit),
    apply("bvlshr", size, apply("bvsub", unit, exponent)),
    apply("bvshl", size, apply("bvsub", exponent, unit)),
  );
  const low = query.name(bitsOf(32), extract(31, 0, whole));
  const isNegative = equal(extract(63, 63, x), "#b1");
  const isNumber = not(equal(exponent, bits(64, 2047)));
  const signed = choose(isNegative, apply("bvneg", low), low);
  return integer(result, query.name(bitsOf(32), choose(isNumber, signed, zero(32))));
};

/** Returns the exit condition of a guarded conversion to 32 bits, and its result otherwise. */
export function guardedConversion(
  query: SmtQuery,
  { number: x }: FloatValue,
  isExact: boolean,
): { readonly exits: SmtTerm; readonly value: SymbolicValue } {
  const whole = query.name(bitsOf(32), apply("(_ fp.to_sbv 32)", "RTZ", x));
  const back = apply(toFloat(Double), NEAREST_EVEN, whole);
  const isWithin = all([
    apply("fp.leq", powerOfTwo(Double, 31, true), x),
    apply("fp.lt", x, powerOfTwo(Double, 31, false)),
  ]);
  const isZeroWithSign = all([apply("fp.isZero", x), apply("fp.isNegative", x)]);
  const stays = [isWithin, apply("fp.eq", back, x)];
  if (isExact) stays.push(not(isZeroWithSign));
  return { exits: not(all(stays)), value: integer(Int32, whole) };
}

const converted: SymbolicMeaning = (site) =>
  computed(site.query, site.result, apply(toFloat(site.result), NEAREST_EVEN, number(site, 0)));

const bitwiseCast: SymbolicMeaning = (site) => {
  const { query, result, operands } = site;
  const [x] = operands;
  if (x.kind === "integer") return floatOfBits(query, result, x.bits);
  site.forbid(x.isOpen);
  return integer(result, bitsOfFloat(query, x));
};

const select: SymbolicMeaning = ({ query, operands: [condition, x, y] }) => {
  const isTaken = not(isZero(integerOf(condition), widthOf(condition.type)));
  return chooseValue(query, isTaken, x, y);
};

const same: SymbolicMeaning = ({ operands }) => operands[0];
const none: SymbolicMeaning = () => {
  throw new InternalError("Nop and ArgumentReg have no operands");
};

const equality = comparison("=", (x, y) => apply("fp.eq", x, y));

// biome-ignore format: a table
const SYMBOLIC_MEANINGS: { readonly [O in PureOpcodeName | MoveName]: SymbolicMeaning } = {
  Nop: none, ArgumentReg: none,
  Identity: same, Opaque: same, BitwiseCast: bitwiseCast, Select: select,

  Add: arithmetic("bvadd", "fp.add"),
  Sub: arithmetic("bvsub", "fp.sub"),
  Mul: arithmetic("bvmul", "fp.mul"),
  Div: either(partial({ isSigned: true, isRemainder: false }), floatQuotient),
  Mod: partial({ isSigned: true, isRemainder: true }),
  UDiv: partial({ isSigned: false, isRemainder: false }),
  UMod: partial({ isSigned: false, isRemainder: true }),
  FloorMod: floorModulus,
  ChillDiv: integers((x, y, width) => choose(isZero(y, width), zero(width), apply("bvsdiv", x, y))),
  ChillMod: integers((x, y, width) => choose(isZero(y, width), zero(width), apply("bvsrem", x, y))),
  MulHigh: highProduct(signExtend),
  UMulHigh: highProduct(zeroExtend),
  Neg: either(integers((x) => apply("bvneg", x)), negated),
  BitAnd: integers((x, y) => apply("bvand", x, y)),
  BitOr: integers((x, y) => apply("bvor", x, y)),
  BitXor: integers((x, y) => apply("bvxor", x, y)),
  Shl: shift("bvshl"),
  SShr: shift("bvashr"),
  ZShr: shift("bvlshr"),
  RotL: rotation("bvshl", "bvlshr"),
  RotR: rotation("bvlshr", "bvshl"),
  Clz: countUntilSet((step, width) => width - 1 - step),
  Ctz: countUntilSet((step) => step),
  PopCnt: ones,
  ByteSwap: byteSwap,
  Depend: integers((_x, _y, width) => zero(width)),
  Min: chosen("bvslt"),
  Max: chosen("bvsgt"),
  UMin: chosen("bvult"),
  UMax: chosen("bvugt"),
  AddOverflows: overflow("bvadd"),
  SubOverflows: overflow("bvsub"),
  MulOverflows: overflow("bvmul"),
  AddCarries: (site) => truth(apply("bvult", apply("bvadd", word(site, 0), word(site, 1)), word(site, 0))),

  Abs: absolute,
  Ceil: integral("RTP"),
  Floor: integral("RTN"),
  FTrunc: integral("RTZ"),
  Nearest: integral("RNE"),
  Sqrt: floats((x) => apply("fp.sqrt", NEAREST_EVEN, x)),
  FMin: extreme("fp.lt", "fp.isNegative"),
  FMax: extreme("fp.gt", "fp.isPositive"),
  FusedMulAdd: fusedSum,
  CopySign: copySign,
  PurifyNaN: purified,

  SExt8: integers((x) => signExtend(24, extract(7, 0, x))),
  SExt16: integers((x) => signExtend(16, extract(15, 0, x))),
  SExt8To64: integers((x) => signExtend(56, extract(7, 0, x))),
  SExt16To64: integers((x) => signExtend(48, extract(15, 0, x))),
  SExt32: integers((x) => signExtend(32, x)),
  ZExt32: integers((x) => zeroExtend(32, x)),
  Trunc: integers((x) => extract(31, 0, x)),
  TruncHigh: integers((x) => extract(63, 32, x)),
  Stitch: integers((high, low) => apply("concat", high, low)),
  IToD: fromInteger(true),
  IToF: fromInteger(true),
  UToD: fromInteger(false),
  UToF: fromInteger(false),
  TruncS32: toInteger(32, true),
  TruncU32: toInteger(32, false),
  TruncS64: toInteger(64, true),
  TruncU64: toInteger(64, false),
  ToInt32: lowBits,
  FloatToDouble: converted,
  DoubleToFloat: converted,

  Equal: equality,
  NotEqual: (site) => truth(equal(integerOf(equality(site)), bits(32, 0))),
  LessThan: ordered("bvslt", "fp.lt"),
  GreaterThan: ordered("bvsgt", "fp.gt"),
  LessEqual: ordered("bvsle", "fp.leq"),
  GreaterEqual: ordered("bvsge", "fp.geq"),
  Above: unsignedOrder("bvugt"),
  Below: unsignedOrder("bvult"),
  AboveEqual: unsignedOrder("bvuge"),
  BelowEqual: unsignedOrder("bvule"),
  EqualOrUnordered: (site) =>
    truth(any([apply("fp.eq", number(site, 0), number(site, 1)), isNotNumber(number(site, 0)), isNotNumber(number(site, 1))])),
};

/**
 * Computes a pure opcode; `type` is inferred. Throws UnknownToSolver for an opcode without a
 * meaning here.
 */
export function operation(opcode: Opcode, site: Omit<OperationSite, "type">): SymbolicValue {
  const name = nameOfOpcode(opcode);
  const meanings: { readonly [name: string]: SymbolicMeaning | undefined } = SYMBOLIC_MEANINGS;
  const meaning = meanings[name];
  if (meaning === undefined) throw new UnknownToSolver(`${name} has no meaning here`);
  const ofT = specOf(opcode).args.indexOf("T");
  return meaning({ ...site, type: site.operands[ofT < 0 ? 0 : ofT].type });
}
