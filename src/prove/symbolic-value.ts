// Represents values of the language for the solver.
//
// An integer is a bit vector. A float is a number of the floating-point theory, in which all NaNs
// are one value, plus two terms that distinguish NaNs (docs/language.md, 8): whether it is an open
// NaN, whose bits are arbitrary, and the bits of a NaN that is not open. So a rule that turns an
// open NaN into one of known bits is right, and the reverse is not.

import { Float, Int32, isInteger, isWide, type Type } from "../ir/types.js";
import { wideBits } from "../ir/words.js";
import { assert } from "../support/assert.js";
import {
  all,
  any,
  apply,
  BOOL,
  bits,
  bitsOf,
  choose,
  equal,
  not,
  type SmtQuery,
  type SmtSort,
  type SmtTerm,
} from "./smt.js";

interface IntegerValue {
  readonly kind: "integer";
  readonly type: Type;
  readonly bits: SmtTerm;
}

export interface FloatValue {
  readonly kind: "float";
  readonly type: Type;
  /** A floating-point number; all NaNs are one value. */
  readonly number: SmtTerm;
  /** The bits if it is a NaN that is not open; otherwise irrelevant. */
  readonly nanBits: SmtTerm;
  /** The condition under which the value is an open NaN; then `number` is a NaN. */
  readonly isOpen: SmtTerm;
}

export type SymbolicValue = IntegerValue | FloatValue;

export const widthOf = (type: Type): number => (isWide(type) ? 64 : 32);
export const integerSort = (type: Type): SmtSort => bitsOf(widthOf(type));
export const floatSort = (type: Type): SmtSort =>
  type === Float ? "(_ FloatingPoint 8 24)" : "(_ FloatingPoint 11 53)";
/** Returns the head of a conversion to the type's sort. */
export const toFloat = (type: Type): string =>
  type === Float ? "(_ to_fp 8 24)" : "(_ to_fp 11 53)";

/** The SMT rounding mode of every operation: to nearest, ties to even (docs/language.md, 1). */
export const NEAREST_EVEN: SmtTerm = "RNE";
export const isNotNumber = (number: SmtTerm): SmtTerm => apply("fp.isNaN", number);

export const integer = (type: Type, term: SmtTerm): IntegerValue => ({
  kind: "integer",
  type,
  bits: term,
});

/** Returns a condition as an Int32: 1 if it holds, else 0. */
export const truth = (claim: SmtTerm): IntegerValue =>
  integer(Int32, choose(claim, bits(32, 1), bits(32, 0)));

/** Returns the result of arithmetic, whose NaN is open. */
export function computed(query: SmtQuery, type: Type, number: SmtTerm): FloatValue {
  const named = query.name(floatSort(type), number);
  return {
    kind: "float",
    type,
    number: named,
    nanBits: bits(widthOf(type), 0),
    isOpen: isNotNumber(named),
  };
}

/** Returns the float with these bits, which is not open. */
export function floatOfBits(query: SmtQuery, type: Type, term: SmtTerm): FloatValue {
  const named = query.name(integerSort(type), term);
  const number = query.name(floatSort(type), apply(toFloat(type), named));
  return { kind: "float", type, number, nanBits: named, isOpen: "false" };
}

/** Declares an arbitrary value of the type; a float may be an open NaN. */
export function anyValue(query: SmtQuery, name: string, type: Type): SymbolicValue {
  const term = query.declare(name, integerSort(type));
  if (isInteger(type)) return integer(type, term);
  const value = floatOfBits(query, type, term);
  const isOpen = query.declare(`${name}IsOpen`, BOOL);
  query.assert(apply("=>", isOpen, isNotNumber(value.number)));
  return { ...value, isOpen };
}

/** Declares an arbitrary constant of the type; a constant is never an open NaN. */
export function anyConstant(query: SmtQuery, name: string, type: Type): SymbolicValue {
  const term = query.declare(name, integerSort(type));
  return isInteger(type) ? integer(type, term) : floatOfBits(query, type, term);
}

/** Returns a literal from its two words. */
export function literal(query: SmtQuery, type: Type, lo: number, hi: number): SymbolicValue {
  const value = wideBits(lo, hi);
  const term = bits(widthOf(type), value);
  return isInteger(type) ? integer(type, term) : floatOfBits(query, type, term);
}

/** Returns the bits of a float that is not an open NaN. */
export function bitsOfFloat(query: SmtQuery, value: FloatValue): SmtTerm {
  const { type, number, nanBits } = value;
  return query.once(`bits of ${number}, ${nanBits}`, () => {
    // SMT-LIB has no function from a number to its bits, so the bits are declared and constrained
    // by the conversion.
    const term = query.declare(`bits${query.text.length}`, integerSort(type));
    const isSame = all([equal(apply(toFloat(type), term), number), not(isNotNumber(number))]);
    query.assert(any([isSame, all([isNotNumber(number), equal(term, nanBits)])]));
    return term;
  });
}

export function integerOf(value: SymbolicValue): SmtTerm {
  assert(value.kind === "integer", () => "expected an integer, got a float");
  return value.bits;
}

export function floatOf(value: SymbolicValue): FloatValue {
  assert(value.kind === "float", () => "expected a float, got an integer");
  return value;
}

export function chooseValue(
  query: SmtQuery,
  claim: SmtTerm,
  x: SymbolicValue,
  y: SymbolicValue,
): SymbolicValue {
  if (x.kind === "integer" && y.kind === "integer") {
    return integer(x.type, query.name(integerSort(x.type), choose(claim, x.bits, y.bits)));
  }
  const [first, second] = [floatOf(x), floatOf(y)];
  return {
    kind: "float",
    type: first.type,
    number: query.name(floatSort(first.type), choose(claim, first.number, second.number)),
    nanBits: query.name(integerSort(first.type), choose(claim, first.nanBits, second.nanBits)),
    isOpen: query.name(BOOL, choose(claim, first.isOpen, second.isOpen)),
  };
}

export function isSameTerm(x: SymbolicValue, y: SymbolicValue): boolean {
  if (x.kind === "integer" || y.kind === "integer")
    return x.kind === y.kind && integerOf(x) === integerOf(y);
  return x.number === y.number && x.nanBits === y.nanBits && x.isOpen === y.isOpen;
}

/** Returns a term that is true if `after` is one of the results that `before` allows. */
export function isAllowed(before: SymbolicValue, after: SymbolicValue): SmtTerm {
  if (before.kind === "integer") return equal(before.bits, integerOf(after));
  const result = floatOf(after);
  const isSameNaN = all([not(result.isOpen), equal(before.nanBits, result.nanBits)]);
  const isSame = all([
    equal(before.number, result.number),
    any([not(isNotNumber(before.number)), isSameNaN]),
  ]);
  return any([all([before.isOpen, isNotNumber(result.number)]), all([not(before.isOpen), isSame])]);
}
