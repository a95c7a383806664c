// Detectors of triggers in folding, common subexpressions and narrowing. A detector reads a Study
// and gives a count; it changes nothing.

import { EFFECTS, Op, type Opcode, READS_MEMORY } from "../../ir/opcodes.js";
import { isMemoryAccess, type Value } from "../../ir/procedure.js";
import { Double, Float, Int64, isFloating, isInteger } from "../../ir/types.js";
import { FORMATS, fusedMulAdd } from "../../oracle/exact-sums.js";
import {
  besideConstant,
  constantFloat,
  constantInteger,
  greatestOf,
  isComparison,
  isOutside,
  leastOf,
  overflows,
  sum,
  sumInLoops,
  unsigned,
  widthOf,
  writersOf,
} from "./ask.js";
import type { Detector, Execution, View } from "./study.js";

/** `(a - b) - a` or `(a - b) - b`, of no constants, with b not 0. */
export const subLeftCancel: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, type, a, b } = value;
    if (opcode !== Op.Sub || !isInteger(type) || a?.opcode !== Op.Sub || b === null) return 0;
    const [x, y] = [a.a, a.b];
    if (x === null || y === null || x.isConstant || y.isConstant || (b !== x && b !== y)) return 0;
    return view.times(value, (event) => {
      const subtrahend = event.of(a)?.integer(y) ?? null;
      return subtrahend !== null && subtrahend !== 0n;
    });
  });

/** `x - -0` or `x + +0` with x = -0, where it matters. */
export const subNegativeZero: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, type, b } = value;
    if (!isFloating(type)) return 0;
    const isOf = (zero: number) => (constant: Value) => Object.is(constantFloat(constant), zero);
    if (opcode !== Op.Add && opcode !== Op.Sub) return 0;
    const found = besideConstant(value, isOf(opcode === Op.Add ? 0 : -0));
    if (found === null || (opcode === Op.Sub && found.constant !== b)) return 0;
    return view.times(value, (event) => event.matters && Object.is(event.float(found.other), -0));
  });

/** A product and a sum that round to something else than the fused sum of the same, where it matters. */
export const roundedTwice: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, type, a: product, b: summand } = value;
    if (opcode !== Op.Add || !isFloating(type) || summand === null) return 0;
    if (product?.opcode !== Op.Mul || product.a === null || product.b === null) return 0;
    const [x, y] = [product.a, product.b];
    return view.times(value, (event) => {
      const factors = event.of(product);
      const [left, right] = [factors?.float(x) ?? Number.NaN, factors?.float(y) ?? Number.NaN];
      const added = event.float(summand) ?? Number.NaN;
      const once = fusedMulAdd(left, right, added, FORMATS[type === Float ? "Float" : "Double"]);
      return event.matters && !Object.is(once, event.resultFloat(type));
    });
  });

/** A fused sum of which the summand is the larger, and the rounded product with the other sign. */
export const roundedProductLess: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, type, a, b, c } = value;
    if (opcode !== Op.FusedMulAdd || type !== Double) return 0;
    if (a === null || b === null || c === null) return 0;
    return view.times(value, (event) => {
      const [x, y] = [event.float(a) ?? Number.NaN, event.float(b) ?? Number.NaN];
      const summand = event.float(c) ?? Number.NaN;
      return event.matters && x * y === -summand && event.resultFloat(type) * summand > 0;
    });
  });

/** `x >>> k & m` with k beyond the width, where m takes bits away. */
export const maskAfterShift: Detector = (study) =>
  sum(study, (value, view) => {
    if (value.opcode !== Op.BitAnd) return 0;
    const found = besideConstant(value, () => true);
    if (found === null || found.other.opcode !== Op.ZShr) return 0;
    const count = constantInteger(found.other.b);
    if (count === null || (count >= 0n && count < BigInt(widthOf(value)))) return 0;
    return view.times(value, (event) => event.result(value.type) !== event.integer(found.other));
  });

/** The least integer by itself, as a constant. */
export const divLeastByLeast: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, type, a, b } = value;
    if (opcode !== Op.Div && opcode !== Op.ChillDiv) return 0;
    if (a === null || !isInteger(type) || constantInteger(b) !== leastOf(value)) return 0;
    return view.times(value, (event) => event.integer(a) === leastOf(value));
  });

/** What makes two values the same computation. */
function keyOf(value: Value): string {
  const operand = (x: Value | null): string =>
    x === null ? "" : x.isConstant ? `${x.type}:${x.lo}:${x.hi}` : `@${x.id}`;
  const { opcode, type, a, b, c, lo } = value;
  return `${opcode},${type},${operand(a)},${operand(b)},${operand(c)},${lo}`;
}

const isComputed = ({ opcode, a }: Value): boolean =>
  a !== null && (EFFECTS[opcode] === 0 || (EFFECTS[opcode] & READS_MEMORY) !== 0);

/** By computation: its values in blocks that control reaches. */
function sameComputations(view: View): Value[][] {
  const groups = new Map<string, Value[]>();
  for (const value of view.values) {
    if (value.block === null || !isComputed(value)) continue;
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return [...groups.values()];
}

/** An expression on one way and behind the join, in executions that took another way. */
export const survivesMerge: Detector = (study) => {
  let total = 0;
  for (const view of study.views) {
    for (const group of sameComputations(view)) {
      if (group.length < 2) continue;
      for (const later of group) {
        const others = group.filter((earlier) => isBeforeOnSomeWay(view, earlier, later));
        if (others.length === 0) continue;
        total += view.times(later, ({ run }) =>
          others.every(({ id }) => run.eventsOf(view.index, id).length === 0),
        );
      }
    }
  }
  return total;
};

function isBeforeOnSomeWay(view: View, earlier: Value, later: Value): boolean {
  const [from, to] = [earlier.block, later.block];
  if (from === null || to === null || from === to || view.dominates(from, to)) return false;
  return view.positionOf(from) < view.positionOf(to);
}

/** Constants +0 and -0 of one type, both used where it matters. */
export const bothZeroes: Detector = (study) => {
  let total = 0;
  for (const view of study.views) {
    for (const type of [Float, Double]) {
      const [positive, negative] = [0, -0].map((zero) =>
        view.values.filter((value) => value.type === type && Object.is(constantFloat(value), zero)),
      );
      if (positive.length === 0 || negative.length === 0) continue;
      const uses = [positive, negative].map((zeroes) =>
        zeroes
          .flatMap((zero) => view.users(zero))
          .reduce((times, user) => times + view.times(user, (event) => event.matters), 0),
      );
      total += Math.min(...uses);
    }
  }
  return total;
};

/** A condition that was asked, used again where no answer to it holds. */
export const comparisonLeaks: Detector = (study) => {
  let total = 0;
  for (const view of study.views) {
    const again = new Map<Value, readonly Value[]>();
    for (const group of sameComputations(view)) for (const each of group) again.set(each, group);
    for (const asking of view.values) {
      const { opcode, a: condition, block } = asking;
      if (opcode !== Op.Branch && opcode !== Op.Check) continue;
      if (condition === null || block === null || condition.isConstant) continue;
      const answered = opcode === Op.Branch ? block.successors : [block];
      const seen = new Set<Value>();
      for (const same of again.get(condition) ?? [condition]) {
        for (const user of view.users(same)) {
          const { block: where } = user;
          if (where === null || where === block || seen.has(user)) continue;
          if (view.positionOf(where) < view.positionOf(block)) continue;
          const holds = answered.some(
            (known) =>
              (opcode === Op.Check || known.predecessors.length === 1) &&
              view.dominates(known, where),
          );
          if (holds) continue;
          seen.add(user);
          total += view.times(user, ({ run }) => run.eventsOf(view.index, asking.id).length > 0);
        }
      }
    }
  }
  return total;
};

const FROM_INTEGER: ReadonlySet<Opcode> = new Set([Op.IToD, Op.IToF, Op.UToD, Op.UToF]);
const TO_INTEGER: ReadonlySet<Opcode> = new Set([
  Op.TruncS32,
  Op.TruncU32,
  Op.TruncS64,
  Op.TruncU64,
]);

/** `-(double) x` with x = 0, where it matters. */
export const negatedIntegerZero: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    const x = a?.a ?? null;
    if (opcode !== Op.Neg || a === null || x === null || !FROM_INTEGER.has(a.opcode)) return 0;
    return view.times(value, (event) => event.matters && event.of(a)?.integer(x) === 0n);
  });

const isFloatSum = (value: Value | null): value is Value =>
  value !== null && isFloating(value.type) && (value.opcode === Op.Add || value.opcode === Op.Sub);

/** `toInt(x + y)`, where `toInt(x) + toInt(y)` is another number. */
export const convertedBeforeSum: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (!TO_INTEGER.has(opcode) || !isFloatSum(a)) return 0;
    const [x, y] = [a.a, a.b];
    if (x === null || y === null) return 0;
    return view.times(value, (event) => {
      const sumOf = event.of(a);
      const left = sumOf?.float(x) ?? Number.NaN;
      const right = sumOf?.float(y) ?? Number.NaN;
      if (!Number.isFinite(left) || !Number.isFinite(right)) return false;
      return a.opcode === Op.Add
        ? Math.trunc(left) + Math.trunc(right) !== Math.trunc(left + right)
        : Math.trunc(left) - Math.trunc(right) !== Math.trunc(left - right);
    });
  });

/** The sum of two integral numbers, converted or compared, where the sum is rounded. */
export const sumIsRounded: Detector = (study) =>
  sum(study, (value, view) => {
    const [x, y] = [value.a, value.b];
    if (!isFloatSum(value) || x === null || y === null) return 0;
    const isHit = view
      .users(value)
      .some((user) => TO_INTEGER.has(user.opcode) || isComparison(user));
    if (!isHit) return 0;
    return view.times(value, (event) => {
      const [left, right, result] = [event.float(x), event.float(y), event.resultFloat(value.type)];
      if (![left, right, result].every(Number.isInteger)) return false;
      const exact =
        value.opcode === Op.Add ? BigInt(left) + BigInt(right) : BigInt(left) - BigInt(right);
      return exact !== BigInt(result);
    });
  });

/**
 * A counter of 32 bits that is widened in each iteration, and passes the end of what it is widened
 * by.
 */
export const widenedCounterWraps: Detector = (study) =>
  sumInLoops(study, (phi, loop, view) => {
    if (phi.opcode !== Op.Phi || phi.block !== loop.header || widthOf(phi) === 64) return 0;
    if (!isInteger(phi.type)) return 0;
    let total = 0;
    for (const { a: next, block } of writersOf(view, phi)) {
      if (next === null || block === null || !loop.blocks.has(block)) continue;
      if ((next.opcode !== Op.Add && next.opcode !== Op.Sub) || isOutside(loop, next)) continue;
      if (next.a !== phi && next.b !== phi) continue;
      const widened = [...view.users(phi), ...view.users(next)].filter(
        (user) =>
          !isOutside(loop, user) && (user.opcode === Op.SExt32 || user.opcode === Op.ZExt32),
      );
      if (widened.length === 0) continue;
      total += view.times(next, (event) =>
        widened.some(({ opcode }) =>
          opcode === Op.SExt32 ? overflows(next, event) : carries(next, event),
        ),
      );
    }
    return total;
  });

/** As unsigned numbers, the operands' sum or difference does not fit. */
function carries(value: Value, event: Execution): boolean {
  const { a, b } = value;
  if (a === null || b === null) return false;
  const [x, y] = [event.integer(a), event.integer(b)];
  if (x === null || y === null) return false;
  const [left, right] = [unsigned(value, x), unsigned(value, y)];
  return value.opcode === Op.Sub ? left < right : left + right > unsigned(value, -1n);
}

/** An operation at an end of what it can give, compared so that only that end makes the answer. */
export const rangeEnd: Detector = (study) =>
  sum(study, (value, view) => {
    if (!isComparison(value)) return 0;
    const found = besideConstant(value, ({ type }) => isInteger(type));
    if (found === null) return 0;
    const { other, constant } = found;
    const known = rangeOf(other);
    const k = constantInteger(constant);
    if (k === null || (known === null && !REMAINDERS.has(other.opcode))) return 0;
    const isFirst = value.a === other;
    return view.times(value, (event) => {
      const x = event.integer(other);
      const range = known ?? rangeOfRemainder(other, event.of(other));
      if (x === null || range === null || (x !== range.least && x !== range.greatest)) return false;
      const inside = x === range.least ? x + 1n : x - 1n;
      const answer = (n: bigint): boolean => (isFirst ? holds(value, n, k) : holds(value, k, n));
      return answer(x) !== answer(inside);
    });
  });

interface Range {
  readonly least: bigint;
  readonly greatest: bigint;
}

/** What the operation can give, where that is less than its type can hold. */
function rangeOf(value: Value): Range | null {
  const { opcode, b } = value;
  const width = BigInt(widthOf(value));
  const k = constantInteger(b);
  const upTo = (greatest: bigint): Range => ({ least: 0n, greatest });
  switch (opcode) {
    case Op.BitAnd: {
      const mask = k ?? constantInteger(value.a);
      return mask === null || mask < 0n ? null : upTo(mask);
    }
    case Op.ZShr: {
      const count = k === null ? 0n : k & (width - 1n);
      return count === 0n ? null : upTo((1n << (width - count)) - 1n);
    }
    case Op.Load8Z:
      return upTo(255n);
    case Op.Load16Z:
      return upTo(65535n);
    case Op.Load8S:
    case Op.SExt8:
      return { least: -128n, greatest: 127n };
    case Op.Load16S:
    case Op.SExt16:
      return { least: -32768n, greatest: 32767n };
    case Op.Clz:
    case Op.Ctz:
    case Op.PopCnt:
      return upTo(width);
    case Op.Neg:
      return { least: leastOf(value), greatest: greatestOf(value) };
    default:
      return null;
  }
}

const REMAINDERS: ReadonlySet<Opcode> = new Set([Op.Mod, Op.ChillMod, Op.UMod, Op.FloorMod]);

/** Remainders that no positive divisor leaves negative. */
const SIGNLESS: ReadonlySet<Opcode> = new Set([Op.UMod, Op.FloorMod]);

/** What a remainder can be of the divisor that it had. */
function rangeOfRemainder({ opcode, b }: Value, event: Execution | null): Range | null {
  const divisor = b === null ? null : (event?.integer(b) ?? null);
  if (divisor === null || divisor <= 0n) return null;
  return { least: SIGNLESS.has(opcode) ? 0n : 1n - divisor, greatest: divisor - 1n };
}

/** What a comparison of integers says. */
function holds({ opcode, a }: Value, x: bigint, y: bigint): boolean {
  const [left, right] = a === null ? [x, y] : [unsigned(a, x), unsigned(a, y)];
  if (opcode === Op.Equal) return x === y;
  if (opcode === Op.NotEqual) return x !== y;
  if (opcode === Op.LessThan) return x < y;
  if (opcode === Op.GreaterThan) return x > y;
  if (opcode === Op.LessEqual) return x <= y;
  if (opcode === Op.GreaterEqual) return x >= y;
  if (opcode === Op.Above) return left > right;
  if (opcode === Op.Below) return left < right;
  return opcode === Op.AboveEqual ? left >= right : left <= right;
}

const CUTS: ReadonlySet<Opcode> = new Set([
  Op.BitAnd,
  Op.Shl,
  Op.SShr,
  Op.ZShr,
  Op.Trunc,
  Op.SExt8,
  Op.SExt16,
]);

/** A sum of what is computed that overflows, and is compared, or only cut and compared so. */
export const overflowIsCut: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, type, a, b } = value;
    if (opcode !== Op.Add || !isInteger(type) || view.isShown(value)) return 0;
    if (a === null || b === null || !isComputed(a) || !(isComputed(b) || b.isConstant)) return 0;
    const [user, ...more] = view.users(value);
    if (user === undefined || more.length > 0) return 0;
    const isCut = CUTS.has(user.opcode) && view.users(user).some(isComparison);
    return isCut || isComparison(user) ? view.times(value, (event) => overflows(value, event)) : 0;
  });

/** A sum or difference that is asked for its sign, where it overflows. */
export const signOfOverflow: Detector = (study) =>
  sum(study, (value, view) => {
    const { a, b } = value;
    if (a === null || (a.opcode !== Op.Add && a.opcode !== Op.Sub) || !isInteger(a.type)) return 0;
    if (!SIGN_TESTS.has(value.opcode) || constantInteger(b) !== 0n) return 0;
    const decides = view
      .users(value)
      .some(({ opcode }) => opcode === Op.Branch || opcode === Op.Check);
    return decides ? view.times(value, (event) => overflows(a, event.of(a))) : 0;
  });
const SIGN_TESTS: ReadonlySet<Opcode> = new Set([
  Op.LessThan,
  Op.LessEqual,
  Op.GreaterThan,
  Op.GreaterEqual,
]);

/**
 * A sum of 32 bits, or a shift, that loses bits before it is widened for an address; or the lower
 * half of a number that is there whole, as it is or as an argument.
 */
export const narrowIndexWraps: Detector = (study) =>
  sum(study, (value, view) => {
    const x = value.a;
    if (value.opcode !== Op.ZExt32 || x === null) return 0;
    if (!view.users(value).some((user) => isAddressPart(view, user))) return 0;
    if (x.opcode === Op.Trunc || x.opcode === Op.Parameter)
      return view.times(value, (event) => isLowerHalf(event.of(x)));
    const [left, right] = [x.a, x.b];
    if (left === null || right === null) return 0;
    if (x.opcode === Op.Add || x.opcode === Op.Sub)
      return view.times(value, (event) => {
        const inner = event.of(x);
        return inner !== null && carries(x, inner);
      });
    if (x.opcode !== Op.Shl) return 0;
    return view.times(value, (event) => {
      const inner = event.of(x);
      const [n, k] = [inner?.integer(left) ?? null, inner?.integer(right) ?? null];
      return n !== null && k !== null && unsigned(x, n) << (k & 31n) > 0xffff_ffffn;
    });
  });

/** What is there is the lower half of a number with other bits above, or an argument that is. */
function isLowerHalf(event: Execution | null): boolean {
  if (event === null) return false;
  const { opcode, a } = event.value;
  if (opcode === Op.Trunc && a !== null) {
    const bits = event.integer(a);
    return bits !== null && BigInt.asUintN(64, bits) > 0xffff_ffffn;
  }
  return opcode === Op.Parameter && event.dependences.length === 1 && isLowerHalf(event.source(0));
}

/** It is added to an address that is accessed, as it is or scaled. */
function isAddressPart(view: View, value: Value): boolean {
  if (value.type !== Int64) return false;
  const users = view.users(value);
  if (value.opcode === Op.Shl) return users.some((user) => isAddressPart(view, user));
  if (value.opcode !== Op.Add) return false;
  return users.some((user) => isMemoryAccess(user) && user.address === value);
}

/** An or of a shifted number and a mask of the lowest bit that the shift leaves, where both have it. */
export const bitAtShift: Detector = (study) =>
  sum(study, (or, view) => {
    const { opcode, a, b } = or;
    if (opcode !== Op.BitOr || a === null || b === null) return 0;
    const [shift, masked] = a.opcode === Op.Shl ? [a, b] : [b, a];
    if (shift.opcode !== Op.Shl || masked.opcode !== Op.BitAnd) return 0;
    const [count, mask] = [constantInteger(shift.b), constantInteger(masked.b)];
    if (count === null || mask !== 1n << (count & 31n)) return 0;
    return view.times(or, (event) => {
      const both = (event.integer(shift) ?? 0n) & (event.integer(masked) ?? 0n);
      return event.matters && (both & mask) !== 0n;
    });
  });
