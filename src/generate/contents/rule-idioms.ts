// Defines patterns of several operations that optimizers match and that random operands never form.
// Near misses have a constant that is off by one, or a different operand.

import { isValueOperand, Op, type Opcode, specOf, typeOfName } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  isWide,
  type Type,
  typeNamed,
} from "../../ir/types.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { drawInteger, drawType } from "../maker/swarm.js";

type IdiomTerm = "x" | "y" | "z" | number | IdiomPattern;
type IdiomPattern = readonly [opcode: Opcode, ...operands: IdiomTerm[]];

interface RuleIdiom {
  readonly pattern: IdiomPattern;
  /** The type T of the outermost operation, if it differs from the type of the variables. */
  readonly gives?: "Int32";
  /** The type of the variables, which determines the type T of the innermost operations. */
  readonly of: "any" | "integers" | "Int32" | "Int64" | "Float" | "floats";
}

const not = (term: IdiomTerm): IdiomPattern => [Op.BitXor, term, -1];
const widened = (term: IdiomTerm): IdiomPattern => [Op.FloatToDouble, term];

// biome-ignore format: a table
const ROWS: readonly RuleIdiom[] = [
  { of: "integers", pattern: [Op.Add, not("x"), 1] },
  { of: "integers", pattern: [Op.Add, not("x"), "x"] },
  { of: "integers", pattern: [Op.Neg, not("x")] },
  { of: "integers", pattern: [Op.BitAnd, not("x"), "x"] },
  { of: "integers", pattern: [Op.BitOr, "x", not("x")] },
  { of: "integers", pattern: [Op.BitAnd, not("x"), not("y")] },
  { of: "integers", pattern: [Op.BitOr, not("x"), not("y")] },
  { of: "integers", pattern: [Op.Sub, not("x"), not("y")] },
  { of: "integers", pattern: [Op.Equal, not("x"), not("y")] },
  { of: "integers", pattern: [Op.LessThan, not("x"), not("y")] },
  { of: "integers", pattern: [Op.BelowEqual, not("x"), not("y")] },
  { of: "any",      gives: "Int32", pattern: [Op.Select, [Op.LessThan, "x", "y"], 1, 0] },
  { of: "any",      gives: "Int32", pattern: [Op.Select, [Op.Equal, "x", "y"], 0, 1] },
  { of: "Int32",    pattern: [Op.Select, [Op.LessThan, "x", 0], -1, 0] },
  { of: "any",      pattern: [Op.Select, [Op.Equal, "x", "y"], "x", "y"] },
  { of: "any",      pattern: [Op.Select, [Op.NotEqual, "x", "y"], "x", "y"] },
  { of: "integers", pattern: [Op.Select, "x", [Op.Select, "x", "y", "z"], "z"] },
  { of: "integers", pattern: [Op.Select, "x", "y", [Op.Select, "x", "z", "y"]] },
  { of: "integers", pattern: [Op.Sub, 7, [Op.Sub, -3, "x"]] },
  { of: "integers", pattern: [Op.Add, [Op.BitAnd, "x", "y"], [Op.BitOr, "x", "y"]] },
  { of: "integers", pattern: [Op.Add, [Op.BitAnd, "x", "y"], [Op.BitXor, "x", "y"]] },
  { of: "integers", pattern: [Op.BitXor, [Op.BitAnd, "x", "y"], [Op.BitXor, "x", "y"]] },
  { of: "integers", pattern: [Op.Sub, [Op.BitOr, "x", "y"], [Op.BitAnd, "x", "y"]] },
  { of: "integers", pattern: [Op.Sub, [Op.Add, "x", 9], [Op.Add, "y", -5]] },
  { of: "integers", pattern: [Op.Sub, [Op.Add, "x", "z"], [Op.Add, "y", "z"]] },
  { of: "integers", pattern: [Op.Add, [Op.Add, [Op.Add, "x", "y"], 11], "z"] },
  { of: "integers", pattern: [Op.Mul, [Op.Mul, [Op.Mul, "x", 3], "y"], [Op.Mul, "z", 5]] },
  { of: "integers", pattern: [Op.BitXor, [Op.BitXor, [Op.BitXor, "x", "y"], "z"], "x"] },
  { of: "floats",   pattern: [Op.FMin, [Op.FMin, [Op.FMin, "x", "y"], "z"], "x"] },
  { of: "floats",   pattern: [Op.Add, [Op.Add, [Op.Add, "x", "y"], "z"], "x"] },
  { of: "floats",   pattern: [Op.Mul, [Op.Mul, [Op.Mul, "x", "y"], "z"], "y"] },
  { of: "integers", pattern: [Op.RotL, [Op.RotL, "x", 5], 30] },
  { of: "Int32",    pattern: [Op.RotR, [Op.RotL, "x", "y"], "y"] },
  { of: "Int32",    pattern: [Op.RotL, -1, "x"] },
  { of: "Int32",    pattern: [Op.SShr, [Op.Shl, "x", 24], 24] },
  { of: "Int32",    pattern: [Op.SShr, [Op.Shl, "x", 16], 16] },
  { of: "Int64",    pattern: [Op.Stitch, [Op.TruncHigh, "x"], [Op.Trunc, "x"]] },
  { of: "Int32",    pattern: [Op.Stitch, [Op.SShr, "x", 31], "x"] },
  { of: "Int32",    pattern: [Op.TruncHigh, [Op.Stitch, "x", "y"]] },
  { of: "Int64",    pattern: [Op.Trunc, [Op.BitXor, "x", 2 ** 40]] },
  { of: "Int32",    pattern: [Op.Trunc, [Op.Mul, [Op.SExt32, "x"], [Op.SExt32, "y"]]] },
  { of: "integers", pattern: [Op.ChillDiv, "x", -1] },
  { of: "integers", pattern: [Op.ChillMod, "x", -1] },
  { of: "integers", pattern: [Op.ChillDiv, "x", 7] },
  { of: "integers", pattern: [Op.ChillMod, "x", -12] },
  { of: "integers", pattern: [Op.UDiv, "x", 7] },
  { of: "integers", pattern: [Op.UMod, "x", 10] },
  { of: "integers", pattern: [Op.MulHigh, "x", 16] },
  { of: "floats",   pattern: [Op.Mul, [Op.Abs, "x"], [Op.Abs, "x"]] },
  { of: "floats",   pattern: [Op.LessThan, [Op.Abs, "x"], 0] },
  { of: "floats",   pattern: [Op.FMin, [Op.Neg, "x"], [Op.Neg, "y"]] },
  { of: "floats",   pattern: [Op.FMax, [Op.Neg, "x"], [Op.Neg, "y"]] },
  { of: "floats",   pattern: [Op.CopySign, [Op.CopySign, "x", "y"], "z"] },
  { of: "floats",   pattern: [Op.CopySign, "x", [Op.CopySign, "y", "z"]] },
  { of: "floats",   pattern: [Op.CopySign, "x", [Op.Abs, "y"]] },
  { of: "Float",    pattern: [Op.DoubleToFloat, [Op.FMax, widened("x"), widened("y")]] },
  { of: "Float",    pattern: [Op.DoubleToFloat, [Op.Nearest, widened("x")]] },
  { of: "Int32",    pattern: [Op.TruncS32, [Op.IToD, "x"]] },
  { of: "integers", pattern: [Op.DoubleToFloat, [Op.IToD, "x"]] },
];

/** Appends the pattern of a row, or a near miss. */
export function emitRuleIdiom(maker: ProcedureMaker): void {
  const row = ROWS[maker.below(ROWS.length)];
  const type = typeFor(maker, row);
  if (type === null || !usesTypesInUse(maker, row.pattern)) return;
  const variables = {
    x: maker.closed(maker.pickValue(type)),
    y: maker.closed(maker.pickValue(type)),
    z: maker.closed(maker.pickValue(type)),
  };
  const making = { type, variables, mayMiss: maker.chance(20) };
  emitPattern(maker, row.pattern, row.gives === undefined ? null : Int32, making);
}

interface PatternContext {
  readonly type: Type;
  readonly variables: Readonly<Record<"x" | "y" | "z", Value>>;
  /** Whether one leaf may still differ from the row. */
  mayMiss: boolean;
}

function typeFor(maker: ProcedureMaker, { of }: RuleIdiom): Type | null {
  const { hasType } = maker.swarm;
  if (of === "any") return drawType(maker.source, maker.swarm);
  if (of === "integers") return drawInteger(maker.source, maker.swarm);
  if (of === "Int32") return Int32;
  if (of === "Int64" || of === "Float") {
    const type = of === "Int64" ? Int64 : Float;
    return hasType[type] ? type : null;
  }
  const type = maker.chance(50) ? Float : Double;
  return hasType[type] ? type : null;
}

function usesTypesInUse(maker: ProcedureMaker, pattern: IdiomPattern): boolean {
  const { hasType } = maker.swarm;
  const [opcode, ...operands] = pattern;
  const { args, result } = specOf(opcode);
  for (const name of [...args.filter(isValueOperand), result]) {
    if (name === "Int64" && !hasType[Int64]) return false;
    if (name === "Float" && !hasType[Float]) return false;
    if (name === "Double" && !hasType[Double]) return false;
  }
  return operands.every((term) => typeof term !== "object" || usesTypesInUse(maker, term));
}

function emitTerm(
  maker: ProcedureMaker,
  term: IdiomTerm,
  wanted: Type | null,
  making: PatternContext,
): Value {
  if (typeof term === "object") return emitPattern(maker, term, wanted, making);
  const isMiss = making.mayMiss && maker.chance(40);
  if (isMiss) making.mayMiss = false;
  if (typeof term === "number") {
    const type = wanted ?? making.type;
    const number = isMiss ? term + 1 : term;
    return isFloating(type) ? floating(maker, type, number) : maker.integer(type, number);
  }
  const value = isMiss ? maker.closed(maker.pickValue(making.type)) : making.variables[term];
  if (wanted === null || value.type === wanted) return value;
  return maker.closed(maker.pickValue(wanted));
}

// For floats the rows contain only 0; any other constant becomes 1.
function floating(maker: ProcedureMaker, type: Type, number: number): Value {
  if (number === 0) return maker.constantOf(type, 0, 0);
  return isWide(type)
    ? maker.constantOf(type, 0, 0x3ff0_0000)
    : maker.constantOf(type, 0x3f80_0000, 0);
}

function emitPattern(
  maker: ProcedureMaker,
  [opcode, ...operands]: IdiomPattern,
  wanted: Type | null,
  making: PatternContext,
): Value {
  const { args, result } = specOf(opcode);
  const t = result === "T" ? (wanted ?? making.type) : typeOfFirst(operands, making.type);
  const kinds = args.filter(isValueOperand);
  const [a, b, c] = operands.map((term, i) => {
    const kind = kinds[i];
    if (kind === "U") return emitTerm(maker, term, null, making);
    return emitTerm(maker, term, kind === "T" ? t : typeOfName(kind), making);
  });
  return maker.emit(opcode, result === "T" ? t : (typeNamed(result) ?? t), a, b, c);
}

/** Returns type T if the result does not determine it: the type of the first operand. */
function typeOfFirst([first]: readonly IdiomTerm[], type: Type): Type {
  if (typeof first !== "object") return type;
  return typeNamed(specOf(first[0]).result) ?? type;
}
