// Defines the named side conditions and computed constants of the rules for the solver. A test
// compares each with the compiler's own (reference/optimize/rules/conditions.ts) at boundary
// constants.

import { Op, type Opcode } from "../ir/opcodes.js";
import { Int32, Int64, isInteger, type Type } from "../ir/types.js";
import { InternalError } from "../support/assert.js";
import {
  all,
  apply,
  bits,
  choose,
  equal,
  extract,
  not,
  type SmtQuery,
  type SmtTerm,
} from "./smt.js";
import { overflows } from "./symbolic-meanings.js";
import { integer, integerOf, type SymbolicValue, widthOf } from "./symbolic-value.js";

/** The inputs of a condition: the matched value and its query. */
export interface ConditionContext {
  readonly query: SmtQuery;
  readonly opcode: Opcode;
  /** The type of the matched value; for a value without a result, the type of its operand. */
  readonly type: Type;
  /** The offset of a matched access, sign-extended to 64 bits. */
  readonly offset: SmtTerm;
}

type SymbolicCondition = (
  place: ConditionContext,
  first: SymbolicValue,
  second: SymbolicValue,
  third: SymbolicValue,
) => SmtTerm;

/** Returns the low 32 bits. */
const low = (x: SymbolicValue): SmtTerm =>
  x.type === Int64 ? extract(31, 0, integerOf(x)) : integerOf(x);
const zero = (x: SymbolicValue): SmtTerm => bits(widthOf(x.type), 0);
const least = (x: SymbolicValue): SmtTerm =>
  bits(widthOf(x.type), 1n << BigInt(widthOf(x.type) - 1));

/** Returns a term that is true if `term`, as wide as x, has exactly one set bit. */
const isOneBit = (term: SmtTerm, x: SymbolicValue): SmtTerm => {
  const less1 = apply("bvsub", term, bits(widthOf(x.type), 1));
  return all([not(equal(term, zero(x))), equal(apply("bvand", term, less1), zero(x))]);
};
const hasOneBit = (x: SymbolicValue): SmtTerm => isOneBit(integerOf(x), x);

const countMask = (type: Type): SmtTerm => bits(32, widthOf(type) - 1);
const usedCount = (place: ConditionContext, x: SymbolicValue): SmtTerm =>
  apply("bvand", low(x), countMask(place.type));
const countSum = (place: ConditionContext, x: SymbolicValue, y: SymbolicValue): SmtTerm =>
  apply("bvadd", usedCount(place, x), usedCount(place, y));
const keeps = (x: SymbolicValue, mask: number): SmtTerm =>
  equal(apply("bvand", low(x), bits(32, mask)), bits(32, mask));
const isWithin = (x: SymbolicValue, mask: number): SmtTerm =>
  equal(apply("bvand", low(x), bits(32, ~mask)), bits(32, 0));
const and = (x: SymbolicValue, y: SymbolicValue): SmtTerm =>
  apply("bvand", integerOf(x), integerOf(y));

/**
 * Returns a term that is true if the Float or Double is plus or minus a power of two with a finite
 * reciprocal.
 */
function hasExactReciprocal(x: SymbolicValue): SmtTerm {
  if (x.kind !== "float") throw new InternalError("only floats have reciprocals");
  const [width, fraction] = widthOf(x.type) === 64 ? [64, 52] : [32, 23];
  const top = 2 ** (width - 1 - fraction) - 1;
  const biased = extract(width - 2, fraction, x.nanBits);
  const rest = extract(fraction - 1, 0, x.nanBits);
  const size = width - 1 - fraction;
  const constant = (value: number): SmtTerm => `(_ bv${value} ${size})`;
  // The reciprocal of 2^e is 2^-e. It is finite for normal numbers, and subnormal for large ones.
  // Only one subnormal number has a finite reciprocal: 2^-127 (2^-1023).
  const isNormal = all([
    apply("bvuge", biased, constant(1)),
    apply("bvult", biased, constant(top)),
    equal(rest, `(_ bv0 ${fraction})`),
  ]);
  const isSubnormal = all([
    equal(biased, constant(0)),
    equal(rest, `(_ bv${2n ** BigInt(fraction - 1)} ${fraction})`),
  ]);
  return apply("or", isNormal, isSubnormal);
}

const HEADS: { readonly [opcode: number]: string } = {
  [Op.CheckAdd]: "bvadd",
  [Op.CheckSub]: "bvsub",
  [Op.CheckMul]: "bvmul",
};

function overflow(place: ConditionContext, x: SymbolicValue, y: SymbolicValue): SmtTerm {
  const head = HEADS[place.opcode];
  if (head === undefined) throw new InternalError("only checked arithmetic overflows");
  return overflows(head, integerOf(x), integerOf(y), widthOf(x.type));
}

/**
 * The side conditions of rules as terms, by name. A condition that depends only on types is
 * constant.
 */
export const SYMBOLIC_CONDITIONS: { readonly [name: string]: SymbolicCondition } = {
  // This condition affects profitability only; without it the claim is stronger.
  isNotConstant: () => "true",
  isNotZero: (_place, x) => not(equal(integerOf(x), zero(x))),
  isPowerOfTwo: (_place, x) => hasOneBit(x),
  hasExactReciprocal: (_place, x) => hasExactReciprocal(x),
  isBeyondWidth: (place, x) => not(equal(usedCount(place, x), low(x))),
  keepsCount: (place, x) => equal(usedCount(place, x), countMask(place.type)),
  fitsShift: (place, x, y) => apply("bvule", countSum(place, x, y), countMask(place.type)),
  shiftsAllOut: (place, x, y) => apply("bvugt", countSum(place, x, y), countMask(place.type)),
  shiftsNoneOut: (place, x, y) => {
    const count = usedCount({ ...place, type: x.type }, y);
    const wide = x.type === Int64 ? apply("(_ zero_extend 32)", count) : count;
    const there = apply("bvshl", integerOf(x), wide);
    return equal(apply("bvlshr", there, wide), integerOf(x));
  },
  areOrdered: (_place, x, y) =>
    isInteger(x.type) ? apply("bvsle", integerOf(x), integerOf(y)) : "false",
  beginApart: (_place, x, y, size) => {
    const distance = apply("bvsub", integerOf(x), integerOf(y));
    return all([isOneBit(distance, x), apply("bvult", integerOf(size), distance)]);
  },
  differInOneBit: (_place, x, y) =>
    isInteger(x.type) ? isOneBit(apply("bvxor", integerOf(x), integerOf(y)), x) : "false",
  fillWidth: (place, x, y) => equal(countSum(place, x, y), bits(32, widthOf(place.type))),
  isAboveLowWord: (_place, x) => apply("bvuge", apply("bvand", low(x), bits(32, 63)), bits(32, 32)),
  areDisjoint: (_place, x, y) => equal(and(x, y), zero(x)),
  areDisjointMoved: (place, x, y, mask) => {
    const count = usedCount({ ...place, type: x.type }, y);
    const wide = x.type === Int64 ? apply("(_ zero_extend 32)", count) : count;
    return equal(apply("bvand", apply("bvlshr", integerOf(x), wide), integerOf(mask)), zero(x));
  },
  areExhaustive: (_place, x, y) =>
    equal(apply("bvor", integerOf(x), integerOf(y)), bits(widthOf(x.type), -1)),
  covers: (_place, x, y) => equal(and(x, y), integerOf(y)),
  keepsByte: (_place, x) => keeps(x, 0xff),
  keepsHalf: (_place, x) => keeps(x, 0xffff),
  isWithinByte: (_place, x) => isWithin(x, 0xff),
  isWithinHalf: (_place, x) => isWithin(x, 0xffff),
  lowWordIsOnes: (_place, x) => equal(low(x), bits(32, -1)),
  lowWordIsZero: (_place, x) => equal(low(x), bits(32, 0)),
  isAboveNumbers: (_place, x) => apply("bvugt", low(x), bits(32, 0xfff0_0000)),
  isNotLeast: (_place, x) => not(equal(integerOf(x), least(x))),
  isLeast: (_place, x) => equal(integerOf(x), least(x)),
  isGreatest: (_place, x) => equal(integerOf(x), apply("bvnot", least(x))),
  isOfIntegers: (_place, x) => String(isInteger(x.type)),
  isInt32: (_place, x) => String(x.type === Int32),
  overflow,
  doNotOverflow: (place, x, y) => not(overflow(place, x, y)),
  isPositivePowerOfTwo: (_place, x) =>
    all([hasOneBit(x), apply("bvsge", integerOf(x), bits(widthOf(x.type), 2))]),
  isNegativeDivisor: (_place, x) =>
    all([
      apply("bvsle", integerOf(x), bits(widthOf(x.type), -2)),
      not(equal(integerOf(x), least(x))),
    ]),
  isNegative: (_place, x) => apply("bvslt", integerOf(x), zero(x)),
  isSafeDivisor: (_place, x) =>
    all([not(equal(integerOf(x), zero(x))), not(equal(integerOf(x), bits(widthOf(x.type), -1)))]),
  // Folding does not apply to an operation on constants whose result is an open NaN. Here the
  // result is the same term on both sides in any case.
  folds: () => "true",
  fitsOffset: (place, x) => {
    const sum = apply("bvadd", place.offset, integerOf(x));
    const isSmall = (term: SmtTerm): SmtTerm =>
      equal(term, apply("(_ sign_extend 32)", extract(31, 0, term)));
    return all([isSmall(integerOf(x)), isSmall(sum)]);
  },
};

/** Returns the position of the highest set bit, by binary search. */
function highestBit(term: SmtTerm, width: number): SmtTerm {
  let position = bits(32, 0);
  for (let at = 1; at < width; at++) {
    position = choose(equal(extract(at, at, term), "#b1"), bits(32, at), position);
  }
  return position;
}

type SymbolicComputed = (place: ConditionContext, from: SymbolicValue | null) => SymbolicValue;

const countOf = (term: SmtTerm): SymbolicValue => integer(Int32, term);
const sourceOf = (from: SymbolicValue | null): SymbolicValue => {
  if (from === null) throw new InternalError("a computed constant has no arguments");
  return from;
};

/** Constants that rules compute, by name. */
export const SYMBOLIC_COMPUTED: { readonly [name: string]: SymbolicComputed } = {
  log2: (_place, from) => {
    const c = sourceOf(from);
    return countOf(highestBit(integerOf(c), widthOf(c.type)));
  },
  highWord: (_place, from) => countOf(extract(63, 32, integerOf(sourceOf(from)))),
  countBits: (place, from) => countOf(usedCount(place, sourceOf(from))),
  countMax: (place) => countOf(countMask(place.type)),
  highBits: (_place, from) => {
    const c = sourceOf(from);
    const width = widthOf(c.type);
    return countOf(apply("bvsub", bits(32, width), highestBit(integerOf(c), width)));
  },
};
