// Represents the possible orders of two integers as a set of five cases: equal, or less or greater
// in signed and in unsigned order. A comparison is a set of cases, and its negation is the
// complement. The known order of a pair is the intersection of all sets that hold for it.

import {
  ALL_OPCODES,
  nameOfOpcode,
  type Opcode,
  type OpcodeName,
} from "../../../src/ir/opcodes.js";

const EQUAL = 1;
/** The signed order first, then the unsigned order. */
const LESS_LESS = 2;
const LESS_GREATER = 4;
const GREATER_LESS = 8;
const GREATER_GREATER = 16;

export const ANY_ORDER = 31;
export const SIGNED_LESS = LESS_LESS | LESS_GREATER;
export const SIGNED_GREATER = GREATER_LESS | GREATER_GREATER;
export const UNSIGNED_LESS = LESS_LESS | GREATER_LESS;
const UNSIGNED_GREATER = LESS_GREATER | GREATER_GREATER;
export const SAME = EQUAL;

const CASES: { readonly [O in OpcodeName]?: number } = {
  Equal: EQUAL,
  NotEqual: ANY_ORDER & ~EQUAL,
  LessThan: SIGNED_LESS,
  GreaterThan: SIGNED_GREATER,
  LessEqual: SIGNED_LESS | EQUAL,
  GreaterEqual: SIGNED_GREATER | EQUAL,
  Below: UNSIGNED_LESS,
  Above: UNSIGNED_GREATER,
  BelowEqual: UNSIGNED_LESS | EQUAL,
  AboveEqual: UNSIGNED_GREATER | EQUAL,
};

const CASES_OF = Uint8Array.from(ALL_OPCODES, (opcode) => CASES[nameOfOpcode(opcode)] ?? 0);

/** Returns the cases in which a comparison of two integers gives 1; 0 for any other opcode. */
export const casesOf = (opcode: Opcode): number => CASES_OF[opcode];

/** Returns the same cases with the two numbers exchanged. */
export const exchanged = (cases: number): number =>
  (cases & EQUAL) |
  ((cases & LESS_LESS) << 3) |
  ((cases & LESS_GREATER) << 1) |
  ((cases & GREATER_LESS) >> 1) |
  ((cases & GREATER_GREATER) >> 3);

/** Returns the cases that two ranges allow: the union over the pairs of signs that occur. */
export function casesOfRanges(xMin: number, xMax: number, yMin: number, yMax: number): number {
  let cases = 0;
  if (xMin < 0 && yMax >= 0) cases |= LESS_GREATER;
  if (xMax >= 0 && yMin < 0) cases |= GREATER_LESS;
  if (xMin < 0 && yMin < 0) {
    cases |= casesOfOneSign(xMin, Math.min(xMax, -1), yMin, Math.min(yMax, -1));
  }
  if (xMax >= 0 && yMax >= 0) {
    cases |= casesOfOneSign(Math.max(xMin, 0), xMax, Math.max(yMin, 0), yMax);
  }
  return cases;
}

const casesOfOneSign = (xMin: number, xMax: number, yMin: number, yMax: number): number =>
  (xMin <= yMax && yMin <= xMax ? EQUAL : 0) |
  (xMin < yMax ? LESS_LESS : 0) |
  (xMax > yMin ? GREATER_GREATER : 0);
