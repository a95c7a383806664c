// Emits values about which their computation implies facts: a range, known upper bits, a narrower
// type. Then emits operations whose result or necessity depends on such a fact.

import { Op, type Opcode, specOf } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isInteger,
  sizeOf,
  type Type,
  typeNamed,
} from "../../ir/types.js";
import { pickParameter, pickSpecial } from "../maker/conditions.js";
import { drawBoundary } from "../maker/constants.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { observe } from "../maker/observe.js";
import { drawInteger } from "../maker/swarm.js";

/** An operation on a value of type `of`, with the kind of constant of its other operand. */
/** A row of FACTS or USES: an operation on a value of type `of`; `by` is the kind of its constant operand. */
interface FactOperation {
  readonly opcode: Opcode;
  readonly of: Type;
  readonly by: "none" | "mask" | "count" | "boundary" | "divisor" | "end";
}

const row = (opcode: Opcode, of: Type, by: FactOperation["by"] = "none"): FactOperation => ({
  opcode,
  of,
  by,
});

function ofIntegers(type: Type): FactOperation[] {
  const shifts = [Op.ZShr, Op.SShr, Op.Shl].map((opcode) => row(opcode, type, "count"));
  const bounds = [Op.Min, Op.Max, Op.UMin, Op.UMax, Op.BitOr].map((opcode) =>
    row(opcode, type, "boundary"),
  );
  const quotients = [Op.Div, Op.ChillDiv, Op.UDiv, Op.Mod, Op.ChillMod, Op.UMod, Op.FloorMod].map(
    (opcode) => row(opcode, type, "divisor"),
  );
  const masks = [1, 2, 3].map(() => row(Op.BitAnd, type, "mask"));
  const ends = [1, 2, 3].map(() => row(Op.Add, type, "end"));
  return [...masks, ...ends, ...shifts, ...bounds, ...quotients, row(Op.Neg, type)];
}

/** Operations that establish facts, by type of the result. */
const FACTS: { readonly [type: number]: readonly FactOperation[] } = {
  [Int32]: [
    ...ofIntegers(Int32),
    ...[Op.SExt8, Op.SExt16, Op.Clz, Op.PopCnt].map((opcode) => row(opcode, Int32)),
    ...[Op.Trunc, Op.TruncHigh].map((opcode) => row(opcode, Int64)),
    row(Op.ToInt32, Double),
    row(Op.LessThan, Double, "boundary"),
    row(Op.Equal, Int32, "boundary"),
  ],
  [Int64]: [
    ...ofIntegers(Int64),
    ...[Op.ZExt32, Op.ZExt32, Op.SExt32, Op.SExt32].map((opcode) => row(opcode, Int32)),
    ...[Op.SExt8To64, Op.SExt16To64].map((opcode) => row(opcode, Int32)),
  ],
  [Float]: [
    ...[Op.IToF, Op.UToF].map((opcode) => row(opcode, Int32)),
    ...[Op.DoubleToFloat, Op.DoubleToFloat].map((opcode) => row(opcode, Double)),
    ...[Op.FTrunc, Op.Abs, Op.PurifyNaN].map((opcode) => row(opcode, Float)),
  ],
  [Double]: [
    ...[Op.FloatToDouble, Op.FloatToDouble, Op.FloatToDouble].map((opcode) => row(opcode, Float)),
    ...[Op.IToD, Op.IToD, Op.UToD].map((opcode) => row(opcode, Int32)),
    ...[Op.IToD, Op.UToD].map((opcode) => row(opcode, Int64)),
    ...[Op.FTrunc, Op.Abs, Op.PurifyNaN].map((opcode) => row(opcode, Double)),
  ],
};

const COMPARED = [Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.GreaterEqual, Op.Equal];
const COMPARED_UNSIGNED = [Op.Below, Op.Above, Op.AboveEqual];
const comparisons = (opcodes: readonly Opcode[], of: Type): FactOperation[] =>
  opcodes.map((opcode) => row(opcode, of, "boundary"));

function usesOfIntegers(type: Type): FactOperation[] {
  const toFloats = [Op.IToD, Op.UToD, Op.IToF, Op.UToF].map((opcode) => row(opcode, type));
  return [
    ...comparisons([...COMPARED, ...COMPARED_UNSIGNED], type),
    ...toFloats,
    ...[Op.ZShr, Op.SShr].map((opcode) => row(opcode, type, "count")),
    ...OF_TWO.map((opcode) => row(opcode, type, "boundary")),
    row(Op.BitAnd, type, "mask"),
  ];
}

/**
 * Operations whose result range depends on both ends of both operands, in a different way for each
 * opcode.
 */
const OF_TWO: readonly Opcode[] = [
  ...[Op.Add, Op.Sub, Op.Mul, Op.AddOverflows, Op.MulHigh, Op.UMulHigh],
  ...[Op.BitOr, Op.BitXor, Op.BitAnd, Op.Min, Op.Max, Op.UMin, Op.UMax],
];

/** Operations that a fact makes redundant, narrower or constant, by type of the operand. */
const USES: { readonly [type: number]: readonly FactOperation[] } = {
  [Int32]: [
    ...usesOfIntegers(Int32),
    ...[Op.ZExt32, Op.SExt32, Op.ZExt32, Op.SExt32, Op.ZExt32, Op.SExt32].map((opcode) =>
      row(opcode, Int32),
    ),
    ...[Op.SExt8, Op.SExt16, Op.SExt8To64].map((opcode) => row(opcode, Int32)),
  ],
  [Int64]: [
    ...usesOfIntegers(Int64),
    ...[Op.Trunc, Op.Trunc, Op.TruncHigh].map((opcode) => row(opcode, Int64)),
  ],
  [Float]: [
    ...comparisons(COMPARED, Float),
    ...[Op.FloatToDouble, Op.FloatToDouble, Op.FTrunc].map((opcode) => row(opcode, Float)),
    ...[Op.Add, Op.Mul].map((opcode) => row(opcode, Float, "boundary")),
  ],
  [Double]: [
    ...comparisons(COMPARED, Double),
    ...[Op.DoubleToFloat, Op.DoubleToFloat, Op.DoubleToFloat].map((opcode) => row(opcode, Double)),
    ...[Op.ToInt32, Op.TruncS32, Op.TruncS64, Op.FTrunc].map((opcode) => row(opcode, Double)),
    ...[Op.Add, Op.Mul].map((opcode) => row(opcode, Double, "boundary")),
  ],
};

/** Appends the operation on a value. */
function apply(
  maker: ProcedureMaker,
  { opcode, of, by }: FactOperation,
  type: Type,
  x: Value,
): Value {
  if (by === "end") return besideAnEnd(maker, type, x);
  if (by === "boundary" && maker.chance(FACTS_OF_TWO)) {
    return maker.emit(opcode, type, x, drawFact(maker, of)(maker));
  }
  const made = maker.emit(opcode, type, x, by === "none" ? null : constant(maker, of, by));
  return by === "boundary" ? maker.markFree(made) : made;
}

/**
 * Returns a value with a small range whose first or last number is an end of the type, 0, or next
 * to 0.
 */
function besideAnEnd(maker: ProcedureMaker, type: Type, x: Value): Value {
  const most = 2 ** (1 + maker.below(maker.chance(50) ? 3 : 31)) - 1;
  const low = maker.append(Op.BitAnd, type, x, maker.integer(type, most));
  const isWide = type === Int64;
  const ends = [-1, -1, 1, -2, -most, -most - 1, -most + 1];
  const roll = maker.below(ends.length + 2);
  if (roll < ends.length) return maker.emit(Op.Add, type, low, maker.integer(type, ends[roll]));
  const isLeast = roll === ends.length;
  const sign = isLeast ? -0x8000_0000 : 0x7fff_ffff;
  const end = maker.constantOf(type, isWide ? (isLeast ? 0 : -1) : sign, isWide ? sign : 0);
  return isLeast ? maker.emit(Op.Add, type, low, end) : maker.emit(Op.Sub, type, end, low);
}

/**
 * Percentage of operations on a fact whose other operand is also a fact, so that the result depends
 * on both.
 */
const FACTS_OF_TWO = 40;

/** Divisors of both signs, except 0 and -1, for which some quotients are undefined. */
const DIVISORS = [
  2, 3, 5, 7, 8, 10, 100, 255, 1000, 0x7fff_ffff, -2, -3, -7, -8, -100, -0x8000_0000,
];

function constant(maker: ProcedureMaker, type: Type, by: FactOperation["by"]): Value {
  const width = 8 * sizeOf(type);
  if (by === "count") return maker.integer(Int32, maker.chance(8) ? 0 : someBits(maker, width));
  if (by === "boundary") return maker.constantOf(type, ...drawBoundary(maker.source, type));
  if (by === "divisor") return maker.integer(type, DIVISORS[maker.below(DIVISORS.length)]);
  const bits = someBits(maker, width);
  const [lo, hi] = bits < 32 ? [2 ** bits - 1, 0] : [-1, 2 ** (bits - 32) - 1];
  return maker.constantOf(type, lo, hi);
}

/** Widths next to the ends of narrower types. */
const NARROWER_ENDS = [7, 8, 9, 15, 16, 17, 30, 31, 32, 33];

/**
 * Returns a number of bits from 1 to the width less one; half of the time next to the width of a
 * narrower type.
 */
function someBits(maker: ProcedureMaker, width: number): number {
  const near = maker.chance(50) ? NARROWER_ENDS[maker.below(NARROWER_ENDS.length)] : width;
  return near < width ? near : 1 + maker.below(width - 1);
}

/** Creates a value; each call creates another value with the same facts. */
export type MakeFact = (maker: ProcedureMaker) => Value;

/** Returns a maker of values with a fact, of constants, or of arbitrary values. */
function drawFact(maker: ProcedureMaker, type: Type): MakeFact {
  const roll = maker.below(10);
  if (roll === 0) return () => maker.constantOf(type, ...drawBoundary(maker.source, type));
  if (roll <= 2) return () => pickSpecial(maker, type);
  if (roll <= 4) return () => pickParameter(maker, type);
  const { hasType } = maker.swarm;
  const rows = FACTS[type];
  const first = maker.below(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const fact = rows[(first + i) % rows.length];
    if (!hasType[fact.of]) continue;
    return () => apply(maker, fact, type, operandOf(maker, fact.of));
  }
  return () => maker.pickValue(type);
}

// Returns an operand that at times has a fact itself, so that facts pass through several
// operations.
function operandOf(maker: ProcedureMaker, type: Type): Value {
  if (maker.chance(25)) return pickSpecial(maker, type);
  const roll = maker.below(10);
  if (roll < 2 && isInteger(type)) return besideAnEnd(maker, type, maker.pickValue(type));
  return roll < 4 ? drawFact(maker, type)(maker) : maker.pickValue(type);
}

/**
 * Returns makers of one value by its origin: mostly the same maker except for one, at any position.
 */
export function drawFacts(maker: ProcedureMaker, type: Type, count: number): MakeFact[] {
  const usual = drawFact(maker, type);
  if (maker.chance(30)) return Array.from({ length: count }, () => drawFact(maker, type));
  const odd = drawFact(maker, type);
  const at = maker.below(count);
  return Array.from({ length: count }, (_, i) => (i === at ? odd : usual));
}

/** The most operations after one that uses a fact. */
const MORE_USES_MAX = 3;

/**
 * Uses the value in operations to which its facts matter, or in any operation, and stores the
 * result.
 */
export function useFact(maker: ProcedureMaker, x: Value): void {
  for (let count = 1 + maker.below(2); count > 0; count--) {
    let used = useOnce(maker, x);
    for (let more = 0; more < MORE_USES_MAX && maker.chance(40); more++)
      used = useOnce(maker, used);
    if (maker.chance(70)) observe(maker, used);
  }
}

/** Integer operations that truncate, shift or extend, by type of the operand. */
const WIDTHS: { readonly [type: number]: readonly FactOperation[] } = {
  [Int32]: [
    ...[Op.ZExt32, Op.ZExt32, Op.SExt32, Op.SExt32].map((opcode) => row(opcode, Int32)),
    ...[Op.SExt8, Op.SExt16, Op.SExt8To64, Op.SExt16To64].map((opcode) => row(opcode, Int32)),
    ...[Op.Shl, Op.SShr, Op.ZShr].map((opcode) => row(opcode, Int32, "count")),
    row(Op.BitAnd, Int32, "mask"),
  ],
  [Int64]: [
    ...[Op.Trunc, Op.Trunc, Op.Trunc, Op.TruncHigh].map((opcode) => row(opcode, Int64)),
    ...[Op.Shl, Op.SShr, Op.ZShr].map((opcode) => row(opcode, Int64, "count")),
    row(Op.BitAnd, Int64, "mask"),
  ],
};
const CHAIN_MIN = 3;

/** Emits a chain of these operations, each on the result of the previous one. */
export function chainOfWidths(maker: ProcedureMaker): void {
  const { hasType } = maker.swarm;
  let x = pickParameter(maker, drawInteger(maker.source, maker.swarm));
  for (let count = CHAIN_MIN + maker.below(3); count > 0; count--) {
    const rows = WIDTHS[x.type].filter(({ opcode }) => hasType[resultOf(opcode, x.type)]);
    const { type } = x;
    const step = rows[maker.below(rows.length)];
    x = apply(maker, step, resultOf(step.opcode, type), x);
    if (maker.chance(20)) observe(maker, x);
  }
  observe(maker, x);
}

function useOnce(maker: ProcedureMaker, x: Value): Value {
  const { hasType } = maker.swarm;
  const { type } = x;
  if (maker.chance(30)) return useInAnyOperation(maker, x);
  const rows = USES[type];
  const use = rows[maker.below(rows.length)];
  const result = resultOf(use.opcode, type);
  return hasType[result] ? apply(maker, use, result, x) : useInAnyOperation(maker, x);
}

const resultOf = (opcode: Opcode, of: Type): Type => typeNamed(specOf(opcode).result) ?? of;

/** Emits an operation that takes the type, with equal probability for each instance. */
function useInAnyOperation(maker: ProcedureMaker, x: Value): Value {
  const { instances } = maker.swarm;
  const start = maker.below(Math.max(1, instances.length));
  for (let i = 0; i < instances.length; i++) {
    const { kind, opcode, operands, result } = instances[(start + i) % instances.length];
    if (kind !== "pure" || operands.length > 2 || operands[0] !== x.type) continue;
    // The bits of a BitwiseCast's operand, and the sign of a CopySign's, must not be open.
    const first = opcode === Op.BitwiseCast ? maker.closed(x) : x;
    const other = operands.length > 1 ? maker.pickBeside(operands[1], x) : null;
    const second = opcode === Op.CopySign && other !== null ? maker.closed(other) : other;
    return maker.emit(opcode, result, first, second);
  }
  return maker.emit(Op.Identity, x.type, x);
}
