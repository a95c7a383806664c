// Emits one number in two widths, and a comparison at the end of the narrower range. On each path
// the number is converted between the widths or compared, in a form that is correct only up to that
// end. A fact about the wide number may or may not hold for the narrow one.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64 } from "../../ir/types.js";
import { wideWords } from "../../ir/words.js";
import { guardedRange } from "../contents/range-idioms.js";
import { aimAt, COMPARISONS, pickParameter } from "../maker/conditions.js";
import { twoArms } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { observe } from "../maker/observe.js";
import { oneOf } from "../maker/rows.js";

/** The same number in two widths, if it fits. */
interface BothWidths {
  readonly narrow: Value;
  readonly wide: Value;
}

export function narrowEnd(maker: ProcedureMaker): void {
  if (!maker.swarm.hasType[Int64]) {
    guardedRange(maker);
    return;
  }
  const end = drawEnd(maker);
  const widths = maker.chance(60) ? extended(maker, end) : truncated(maker, end);
  const bound = wideWords(nearEnd(maker, end));
  const constant = maker.constantOf(Int64, ...bound);
  const flag = maker.emit(oneOf(maker, COMPARISONS), Int32, widths.wide, constant);
  maker.flags.push(flag);
  const arm = (): readonly Value[] => [combinedUses(maker, widths)];
  const [phi] = twoArms(maker, flag, [arm, arm], [Int64]);
  observe(maker, phi);
}

/** Returns a combination of several uses, each of which affects the result. */
function combinedUses(maker: ProcedureMaker, widths: BothWidths): Value {
  let sum = oneOf(maker, WIDTH_USES)(maker, widths);
  for (let count = 2 + maker.below(3); count > 0; count--) {
    const mixed = maker.append(Op.RotL, Int64, sum, maker.integer(Int32, 7));
    sum = maker.append(Op.BitXor, Int64, mixed, oneOf(maker, WIDTH_USES)(maker, widths));
  }
  return sum;
}

/**
 * Returns a power of two that ends the range of a narrower integer, signed or unsigned; mostly that
 * of 32 bits.
 */
function drawEnd(maker: ProcedureMaker): bigint {
  const bits = maker.chance(70) ? oneOf(maker, [31, 32]) : oneOf(maker, [7, 8, 15, 16, 63]);
  const end = 1n << BigInt(bits);
  return maker.chance(25) ? -end : end;
}

function extended(maker: ProcedureMaker, end: bigint): BothWidths {
  const narrow = pickParameter(maker, Int32);
  aimAt(maker, narrow, [wideWords(nearEnd(maker, end))[0], 0]);
  const wide = maker.append(maker.chance(60) ? Op.ZExt32 : Op.SExt32, Int64, narrow);
  return { narrow, wide };
}

function truncated(maker: ProcedureMaker, end: bigint): BothWidths {
  const wide = pickParameter(maker, Int64);
  aimAt(maker, wide, wideWords(nearEnd(maker, end)));
  return { narrow: maker.append(Op.Trunc, Int32, wide), wide };
}

const nearEnd = (maker: ProcedureMaker, end: bigint): bigint => end + BigInt(maker.below(3) - 1);

type WidthUse = (maker: ProcedureMaker, widths: BothWidths) => Value;

const widen =
  (opcode: typeof Op.SExt32 | typeof Op.ZExt32): WidthUse =>
  (maker, { narrow }) =>
    maker.emit(opcode, Int64, narrow);
/** Truncates and extends. */
const throughNarrow =
  (opcode: typeof Op.SExt32 | typeof Op.ZExt32): WidthUse =>
  (maker, { wide }) =>
    maker.emit(opcode, Int64, maker.append(Op.Trunc, Int32, wide));
/**
 * Returns as 0 or 1 whether the narrow or the wide number is in some order to 0 or another number.
 */
const comparedAsNumber =
  (isWide: boolean): WidthUse =>
  (maker, { narrow, wide }) => {
    const [x, type] = isWide ? ([wide, Int64] as const) : ([narrow, Int32] as const);
    const other = maker.chance(50) ? maker.integer(type, 0) : maker.pickBeside(type, x);
    const flag = maker.emit(oneOf(maker, COMPARISONS), Int32, x, other);
    return maker.append(Op.ZExt32, Int64, flag);
  };
const shifted: WidthUse = (maker, { wide }) => {
  const count = maker.integer(Int32, oneOf(maker, [1, 31, 32, 33]));
  return maker.emit(oneOf(maker, [Op.Shl, Op.SShr, Op.ZShr]), Int64, wide, count);
};
const divided: WidthUse = (maker, { wide }) => {
  const divisor = maker.integer(Int64, oneOf(maker, [2, 3, 7, 10, 16]));
  return maker.emit(oneOf(maker, [Op.Div, Op.UDiv, Op.Mod, Op.UMod]), Int64, wide, divisor);
};
const summed: WidthUse = (maker, { narrow }) => {
  const sum = maker.emit(Op.Add, Int32, narrow, maker.integer(Int32, oneOf(maker, [1, -1])));
  return maker.append(maker.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, sum);
};

const WIDTH_USES: readonly WidthUse[] = [
  ...[widen(Op.SExt32), widen(Op.ZExt32), throughNarrow(Op.SExt32), throughNarrow(Op.ZExt32)],
  ...[
    comparedAsNumber(false),
    comparedAsNumber(false),
    comparedAsNumber(true),
    shifted,
    divided,
    summed,
  ],
];
