// Checks that each operation's result lies in the range computed for it, if the operands lie in
// their ranges. The optimizer's own constant folding, which is independent of ranges, computes the
// results.

import test from "ava";
import {
  ALL_OPCODES,
  nameOfOpcode,
  Op,
  type Opcode,
  specOf,
  typesOver,
} from "../../../src/ir/opcodes.js";
import { Procedure, type Value } from "../../../src/ir/procedure.js";
import { Int32, Int64, isInteger, type Type, typeNamed, Void } from "../../../src/ir/types.js";
import { SeedSource } from "../../../src/support/source.js";
import { foldValue, signed } from "../rules/fold.js";
import { roundedHigh, roundedLow, widthOf } from "./bounds.js";
import { mayExit, transfer } from "./ranges.js";
import { casesOf, casesOfRanges, exchanged } from "./relations.js";
import { TransferRanges } from "./transfer.js";

const CHECKED: { readonly [opcode: number]: Opcode } = {
  [Op.CheckAdd]: Op.AddOverflows,
  [Op.CheckSub]: Op.SubOverflows,
  [Op.CheckMul]: Op.MulOverflows,
};

const BOUNDARY: { readonly [type: number]: readonly bigint[] } = {
  [Int32]: around([0n, 7n, 31n, 128n, 255n, 32768n, 65535n, 2n ** 31n], 32),
  [Int64]: around(
    [0n, 7n, 63n, 2n ** 31n, 2n ** 32n, 2n ** 52n, 2n ** 53n, 2n ** 62n, 2n ** 63n],
    64,
  ),
};

function around(centres: readonly bigint[], bits: number): bigint[] {
  const near = centres.flatMap((x) => [x - 1n, x, x + 1n, -x - 1n, -x, 1n - x]);
  const fitting = near.filter((x) => BigInt.asIntN(bits, x) === x);
  return [...new Set(fitting)].sort((x, y) => (x < y ? -1 : 1));
}

const WIDE = widthOf(Int64);
const lowOf = (bound: number): bigint =>
  bound === WIDE.least ? -(2n ** 63n) : bound === -WIDE.inner ? 1n - 2n ** 63n : BigInt(bound);
const highOf = (bound: number): bigint =>
  bound === WIDE.greatest ? 2n ** 63n - 1n : bound === WIDE.inner ? 2n ** 63n - 2n : BigInt(bound);

// The tightest bounds that can be represented.
const least = (type: Type, x: bigint): number =>
  type === Int64 && x < -(2n ** 52n) && x > -(2n ** 63n)
    ? -WIDE.inner
    : roundedLow(widthOf(type), Number(x));
const greatest = (type: Type, x: bigint): number =>
  type === Int64 && x > 2n ** 52n && x < 2n ** 63n - 1n
    ? WIDE.inner
    : roundedHigh(widthOf(type), Number(x));

const proc = new Procedure("law", Void);
const constant = (type: Type, x: bigint): Value =>
  proc.newConstant(type, Number(BigInt.asIntN(32, x)), type === Int64 ? Number(x >> 32n) : 0);

interface Case {
  readonly opcode: Opcode;
  readonly from: Type;
  readonly count: Type | null;
}

// Rows whose operands and result are integers; T is the first operand's type.
const cases = ALL_OPCODES.flatMap((opcode): Case[] => {
  const { args, result } = specOf(opcode);
  if (args.includes("U") || args.length === 0) return [];
  const firsts = args[0] === "T" ? typesOver(opcode).filter(isInteger) : [typeNamed(args[0])];
  return firsts.flatMap((from): Case[] => {
    if (from === null || !isInteger(from)) return [];
    const second = args[1] === "T" ? from : args[1] === "Int32" ? Int32 : null;
    const type = result === "T" ? from : typeNamed(result);
    return type !== null && isInteger(type) ? [{ opcode, from, count: second }] : [];
  });
});

test("results lie in the range of their operation", (t) => {
  let checked = 0;
  const words = { lo: 0, hi: 0 };
  const scratch = new TransferRanges();
  for (const { opcode, from, count } of cases) {
    const { result } = specOf(opcode);
    const type = result === "T" ? from : (typeNamed(result) ?? Void);
    const value = proc.newValue(opcode, type);
    const flag = proc.newValue(CHECKED[opcode] ?? Op.Nop, Int32);
    const inner = proc.newValue(UNCHECKED[opcode] ?? opcode, type);
    const xs = BOUNDARY[from];
    const ys = count === null ? [0n] : BOUNDARY[count];
    xs.forEach((x, i) => {
      ys.forEach((y, j) => {
        inner.a = constant(from, x);
        inner.b = count === null ? null : constant(count, y);
        flag.a = inner.a;
        flag.b = inner.b;
        const overflows = CHECKED[opcode] !== undefined && foldValue(flag, words) && words.lo === 1;
        if (!foldValue(inner, words)) return;
        const exact = signed(proc.newConstant(type, words.lo, words.hi));
        // Ranges that contain the operands: exact, one step wider on one side, and much wider.
        for (const [before, after] of [
          [0, 0],
          [0, 1],
          [1, 0],
          [3, 2],
          [99, 99],
        ]) {
          scratch.from = widthOf(from);
          scratch.xMin = least(from, xs[Math.max(0, i - before)]);
          scratch.xMax = greatest(from, xs[Math.min(xs.length - 1, i + after)]);
          scratch.yMin = least(count ?? from, ys[Math.max(0, j - after)]);
          scratch.yMax = greatest(count ?? from, ys[Math.min(ys.length - 1, j + before)]);
          const given = `${nameOfOpcode(opcode)} of ${x} in [${scratch.xMin}, ${scratch.xMax}], ${y}`;
          const again = Object.assign(new TransferRanges(), scratch);
          if (overflows) {
            if (!mayExit(value, scratch)) t.fail(`${given} cannot exit, but does`);
            continue;
          }
          transfer(value, again);
          if (exact < lowOf(again.low) || exact > highOf(again.high)) {
            t.fail(`${given} is ${exact}, outside [${again.low}, ${again.high}]`);
          }
          checked++;
        }
      });
    });
  }
  t.true(checked > 100_000, `${checked}`);
});

const UNCHECKED: { readonly [opcode: number]: Opcode } = {
  [Op.CheckAdd]: Op.Add,
  [Op.CheckSub]: Op.Sub,
  [Op.CheckMul]: Op.Mul,
};

const DRAWN = 400;

test("results of drawn operands lie in the range of their operation", (t) => {
  const source = new SeedSource(1n, "ranges");
  const words = { lo: 0, hi: 0 };
  const scratch = new TransferRanges();
  const draw = (type: Type): bigint => {
    const bits = type === Int64 ? 64 : 32;
    const word = (BigInt(source.below(2 ** 32)) << 32n) | BigInt(source.below(2 ** 32));
    return BigInt.asIntN(1 + source.below(bits), word);
  };
  /** Draws a range and a number in it. */
  const drawRange = (type: Type): readonly [bigint, bigint, bigint] => {
    const [low, x, high] = [draw(type), draw(type), draw(type)].sort((a, b) => (a < b ? -1 : 1));
    return [low, source.below(4) === 0 ? low : source.below(3) === 0 ? high : x, high];
  };
  let checked = 0;
  for (const { opcode, from, count } of cases) {
    const { result } = specOf(opcode);
    const type = result === "T" ? from : (typeNamed(result) ?? Void);
    const value = proc.newValue(opcode, type);
    for (let n = 0; n < DRAWN; n++) {
      const [xMin, x, xMax] = drawRange(from);
      const [yMin, y, yMax] = drawRange(count ?? from);
      value.a = constant(from, x);
      value.b = count === null ? null : constant(count, y);
      if (!foldValue(value, words)) continue;
      scratch.from = widthOf(from);
      scratch.xMin = least(from, xMin);
      scratch.xMax = greatest(from, xMax);
      scratch.yMin = least(count ?? from, yMin);
      scratch.yMax = greatest(count ?? from, yMax);
      transfer(value, scratch);
      const exact = signed(proc.newConstant(type, words.lo, words.hi));
      const { low, high } = scratch;
      if (exact < lowOf(low) || exact > highOf(high)) {
        t.fail(
          `${nameOfOpcode(opcode)} of ${x} in [${xMin}, ${xMax}], ${y} in [${yMin}, ${yMax}]: ${exact}`,
        );
      }
      checked++;
    }
  }
  t.true(checked > 10_000, `${checked}`);
});

test("the order of two integers is among the cases that their ranges allow", (t) => {
  const comparisons = ALL_OPCODES.filter((opcode) => casesOf(opcode) !== 0);
  t.is(comparisons.length, 10);
  const words = { lo: 0, hi: 0 };
  for (const type of [Int32, Int64]) {
    const xs = BOUNDARY[type];
    xs.forEach((x, i) => {
      xs.forEach((y, j) => {
        let exact = 31;
        for (const opcode of comparisons) {
          const value = proc.newValue(opcode, Int32);
          value.a = constant(type, x);
          value.b = constant(type, y);
          if (!foldValue(value, words)) t.fail();
          exact &= words.lo === 1 ? casesOf(opcode) : ~casesOf(opcode);
        }
        t.is(exact & (exact - 1), 0); // exactly one case remains
        for (const wider of [0, 1, 3, 99]) {
          const low = least(type, xs[Math.max(0, i - wider)]);
          const high = greatest(type, xs[Math.min(xs.length - 1, i + wider)]);
          const [yMin, yMax] = [least(type, xs[j]), greatest(type, xs[j])];
          const known = casesOfRanges(low, high, yMin, yMax);
          if ((known & exact) === 0) t.fail(`${x} in [${low}, ${high}] and ${y}: ${known}`);
          const mirrored = casesOfRanges(yMin, yMax, low, high);
          t.is(mirrored, exchanged(known));
        }
      });
    });
  }
});
