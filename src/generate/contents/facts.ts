// What is known of a value by how it is made: its range, its upper bits, whether a narrower type holds it.
// And the operations whose answer, or whose need, such a fact decides.

import { Op, type Opcode, specOf } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, sizeOf, type Type, typeNamed } from "../../ir/types.js";
import { pickParameter, pickSpecial } from "../maker/conditions.js";
import { drawBoundary } from "../maker/constants.js";
import type { Maker } from "../maker/maker.js";
import { observe } from "../maker/observe.js";

/** An operation on a value of type `of`, and what kind of constant its other operand is. */
interface Row {
  readonly opcode: Opcode;
  readonly of: Type;
  readonly by: "none" | "mask" | "count" | "boundary";
}

const row = (opcode: Opcode, of: Type, by: Row["by"] = "none"): Row => ({ opcode, of, by });

function ofIntegers(type: Type): Row[] {
  const shifts = [Op.ZShr, Op.SShr, Op.Shl].map((opcode) => row(opcode, type, "count"));
  const bounds = [Op.Min, Op.Max, Op.UMin, Op.UMax, Op.BitOr].map((opcode) =>
    row(opcode, type, "boundary"),
  );
  return [row(Op.BitAnd, type, "mask"), row(Op.BitAnd, type, "mask"), ...shifts, ...bounds];
}

/** By type of the result. */
const FACTS: { readonly [type: number]: readonly Row[] } = {
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
const comparisons = (opcodes: readonly Opcode[], of: Type): Row[] =>
  opcodes.map((opcode) => row(opcode, of, "boundary"));

function usesOfIntegers(type: Type): Row[] {
  const toFloats = [Op.IToD, Op.UToD, Op.IToF, Op.UToF].map((opcode) => row(opcode, type));
  return [
    ...comparisons([...COMPARED, ...COMPARED_UNSIGNED], type),
    ...toFloats,
    ...[Op.ZShr, Op.SShr].map((opcode) => row(opcode, type, "count")),
    ...[Op.Add, Op.Mul, Op.AddOverflows].map((opcode) => row(opcode, type, "boundary")),
    row(Op.BitAnd, type, "mask"),
  ];
}

/** By type of the operand: what a fact makes superfluous, narrower, or known. */
const USES: { readonly [type: number]: readonly Row[] } = {
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
function apply(maker: Maker, { opcode, of, by }: Row, type: Type, x: Value): Value {
  return maker.emit(opcode, type, x, by === "none" ? null : constant(maker, of, by));
}

function constant(maker: Maker, type: Type, by: Row["by"]): Value {
  const width = 8 * sizeOf(type);
  if (by === "count") return maker.integer(Int32, 1 + maker.below(width - 1));
  if (by === "boundary") return maker.constantOf(type, ...drawBoundary(maker.source, type));
  const bits = 1 + maker.below(width - 1);
  const [lo, hi] = bits < 32 ? [2 ** bits - 1, 0] : [-1, 2 ** (bits - 32) - 1];
  return maker.constantOf(type, lo, hi);
}

/** Makes a value; each time another one of which the same is known. */
export type MakeFact = (maker: Maker) => Value;

/** A fact, or none: a constant, or any value. */
function drawFact(maker: Maker, type: Type): MakeFact {
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

const operandOf = (maker: Maker, type: Type): Value =>
  maker.chance(25) ? pickSpecial(maker, type) : maker.pickValue(type);

/** Facts of one value by where it comes from: mostly all the same but one, at any place. */
export function drawFacts(maker: Maker, type: Type, count: number): MakeFact[] {
  const usual = drawFact(maker, type);
  if (maker.chance(30)) return Array.from({ length: count }, () => drawFact(maker, type));
  const odd = drawFact(maker, type);
  const at = maker.below(count);
  return Array.from({ length: count }, (_, i) => (i === at ? odd : usual));
}

/** Uses the value where what is known of it matters, or in any operation at all; shows what comes of it. */
export function useFact(maker: Maker, x: Value): void {
  for (let count = 1 + maker.below(2); count > 0; count--) {
    let used = useOnce(maker, x);
    if (maker.chance(40)) used = useOnce(maker, used);
    if (maker.chance(70)) observe(maker, used);
  }
}

function useOnce(maker: Maker, x: Value): Value {
  const { hasType } = maker.swarm;
  const { type } = x;
  if (maker.chance(30)) return useAnyhow(maker, x);
  const rows = USES[type];
  const use = rows[maker.below(rows.length)];
  const result = resultOf(use.opcode, type);
  return hasType[result] ? apply(maker, use, result, x) : useAnyhow(maker, x);
}

const resultOf = (opcode: Opcode, of: Type): Type => typeNamed(specOf(opcode).result) ?? of;

/** An operation that takes the type, all alike: not by weight. */
function useAnyhow(maker: Maker, x: Value): Value {
  const { instances } = maker.swarm;
  const start = maker.below(Math.max(1, instances.length));
  for (let i = 0; i < instances.length; i++) {
    const { kind, opcode, operands, result } = instances[(start + i) % instances.length];
    if (kind !== "pure" || operands.length > 2 || operands[0] !== x.type) continue;
    // Their bits, or their sign, must be specified.
    const first = opcode === Op.BitwiseCast ? maker.closed(x) : x;
    const other = operands.length > 1 ? maker.pickBeside(operands[1], x) : null;
    const second = opcode === Op.CopySign && other !== null ? maker.closed(other) : other;
    return maker.emit(opcode, result, first, second);
  }
  return maker.emit(Op.Identity, x.type, x);
}
