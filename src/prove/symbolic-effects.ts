// Defines the accesses and guards of the language for the solver: bytes by address, and the
// condition of an exit.

import { Int32, type Type } from "../ir/types.js";
import {
  apply,
  BOOL,
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
import { guardedConversion, overflows } from "./symbolic-meanings.js";
import {
  floatOf,
  integer,
  integerOf,
  integerSort,
  type SymbolicValue,
  widthOf,
} from "./symbolic-value.js";

interface AccessKind {
  /** The number of accessed bytes; null for the size of the type. */
  readonly bytes: number | null;
  readonly isSigned: boolean;
}
const access = (bytes: number | null, isSigned = false): AccessKind => ({ bytes, isSigned });

export const LOADS: { readonly [name: string]: AccessKind } = {
  Load8Z: access(1),
  Load8S: access(1, true),
  Load16Z: access(2),
  Load16S: access(2, true),
  Load: access(null),
};
export const STORES: { readonly [name: string]: AccessKind } = {
  Store8: access(1),
  Store16: access(2),
  Store: access(null),
};

export const bytesOf = ({ bytes }: AccessKind, type: Type): number => bytes ?? widthOf(type) / 8;

/**
 * Returns the bytes from an address on, the last byte first.
 * @param forbid receives a condition under which a byte is missing
 */
export function bytesAt(
  query: SmtQuery,
  address: SmtTerm,
  count: number,
  forbid: (claim: SmtTerm) => void,
): SmtTerm[] {
  return Array.from({ length: count }, (_, at) => {
    query.declareFunction("byte", bitsOf(64), bitsOf(8));
    query.declareFunction("isThere", bitsOf(64), BOOL);
    const place = apply("bvadd", address, bits(64, count - 1 - at));
    forbid(not(apply("isThere", place)));
    return apply("byte", place);
  });
}

/** Joins bytes to one word, the highest first. */
export const wordOf = (bytes: readonly SmtTerm[]): SmtTerm =>
  bytes.length === 1 ? bytes[0] : apply("concat", ...bytes);

/**
 * Returns the integer that a load produces.
 * @param read returns a word of this many bytes
 */
export function loaded(
  access: AccessKind,
  type: Type,
  read: (count: number) => SmtTerm,
): SymbolicValue {
  const count = bytesOf(access, type);
  const extend = access.isSigned ? signExtend : zeroExtend;
  const missing = widthOf(type) - 8 * count;
  const word = read(count);
  return integer(type, missing === 0 ? word : extend(missing, word));
}

export const isTrue = (x: SymbolicValue): SmtTerm =>
  not(equal(integerOf(x), bits(widthOf(x.type), 0)));

const CHECKED: { readonly [name: string]: string } = {
  CheckAdd: "bvadd",
  CheckSub: "bvsub",
  CheckMul: "bvmul",
};

/** Guarded conversions by name: true if -0 exits. */
const CONVERTED: { readonly [name: string]: boolean } = {
  CheckToInt32: false,
  CheckToInt32Exact: true,
};

export interface GuardEffect {
  /** The condition under which the guard exits. */
  readonly exits: SmtTerm;
  /** The result if the guard does not exit; null if it has none. */
  readonly value: SymbolicValue | null;
}

/** Returns the effect of a guard; null if the opcode of that name is not a guard. */
export function guardOf(
  query: SmtQuery,
  name: string,
  type: Type,
  operands: readonly SymbolicValue[],
): GuardEffect | null {
  const head = CHECKED[name];
  if (head !== undefined) {
    const [x, y] = operands.map(integerOf);
    const exits = overflows(head, x, y, widthOf(type));
    return { exits, value: integer(type, query.name(integerSort(type), apply(head, x, y))) };
  }
  if (name in CONVERTED) return guardedConversion(query, floatOf(operands[0]), CONVERTED[name]);
  return name === "Check" ? { exits: isTrue(operands[0]), value: null } : null;
}

interface AtomicExchange extends AccessKind {
  /**
   * The SMT function that computes the written word from the old word and the operand; null to
   * write the operand.
   */
  readonly head: string | null;
}
interface CompareExchange extends AccessKind {
  readonly givesOld: boolean;
}
const WIDTHS = [
  ["", null],
  ["8", 1],
  ["16", 2],
] as const;
const ofEachWidth = <T>(name: string, rest: T): [string, AccessKind & T][] =>
  WIDTHS.map(([suffix, bytes]) => [`${name}${suffix}`, { ...access(bytes), ...rest }]);

/** The atomic exchanges by name; a `head` of null writes the operand itself. */
const EXCHANGES: { readonly [name: string]: AtomicExchange } = Object.fromEntries([
  ...ofEachWidth("AtomicXchg", { head: null }),
  ...ofEachWidth("AtomicXchgAdd", { head: "bvadd" }),
  ...ofEachWidth("AtomicXchgSub", { head: "bvsub" }),
  ...ofEachWidth("AtomicXchgAnd", { head: "bvand" }),
  ...ofEachWidth("AtomicXchgOr", { head: "bvor" }),
  ...ofEachWidth("AtomicXchgXor", { head: "bvxor" }),
]);
const COMPARED_EXCHANGES: { readonly [name: string]: CompareExchange } = Object.fromEntries([
  ...ofEachWidth("AtomicStrongCAS", { givesOld: true }),
  ...ofEachWidth("AtomicWeakCAS", { givesOld: false }),
]);

interface ExchangeEffect {
  /** The word after the operation; equal to the old word if nothing else is written. */
  readonly written: SmtTerm;
  readonly result: SymbolicValue;
}

/**
 * Computes the effect of an atomic operation on the old word; null if the opcode of that name is
 * not atomic.
 */
export function exchangeEffect(
  query: SmtQuery,
  name: string,
  operands: readonly SymbolicValue[],
  old: SmtTerm,
): ExchangeEffect | null {
  const [{ type }] = operands;
  const width = widthOf(type);
  const bytes = bytesOf(EXCHANGES[name] ?? COMPARED_EXCHANGES[name] ?? access(null), type);
  const sort = bitsOf(8 * bytes);
  const low = (value: SymbolicValue): SmtTerm => extract(8 * bytes - 1, 0, integerOf(value));
  const missing = width - 8 * bytes;
  const given = integer(type, missing === 0 ? old : zeroExtend(missing, old));
  if (name in EXCHANGES) {
    const { head } = EXCHANGES[name];
    const x = low(operands[0]);
    return { written: head === null ? x : query.name(sort, apply(head, old, x)), result: given };
  }
  if (!(name in COMPARED_EXCHANGES)) return null;
  const isExpected = equal(old, low(operands[0]));
  const flag = integer(Int32, choose(isExpected, bits(32, 1), bits(32, 0)));
  return {
    written: query.name(sort, choose(isExpected, low(operands[1]), old)),
    result: COMPARED_EXCHANGES[name].givesOld ? given : flag,
  };
}

/** Returns the number of bytes that an atomic operation on values of the type accesses. */
export const exchangedBytes = (name: string, type: Type): number =>
  bytesOf(EXCHANGES[name] ?? COMPARED_EXCHANGES[name], type);
