// Evaluates operations on arbitrary operands, by the oracle's meanings, on bits.

import { isValueOperand, OPCODE_COUNT, type Opcode, opcodeNamed, specOf } from "../ir/opcodes.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  type Type,
  typeNamed,
  VALUE_TYPES,
} from "../ir/types.js";
import {
  GUARDED_CONVERSIONS,
  MEANINGS,
  ON_BITS,
  TRUE_RESULTS,
  UNDEFINED_BY,
} from "../oracle/meanings.js";
import { bitsOfNumber, numberOf, type SignedBits, wrap } from "./bits.js";

/**
 * A function that computes an operation on bits; it returns null if the operation has no result.
 */
type OperationEvaluator = (...operands: SignedBits[]) => SignedBits | null;

/**
 * Returns the function of a pure operation at its T (any type, for a row without T). Returns null
 * for opcodes that are not functions of their operands (moves, memory, calls), and for fused sums,
 * because aims support two operands.
 */
export const evaluatorOf = (opcode: Opcode, type: Type): OperationEvaluator | null =>
  EVALUATORS[opcode * TYPE_END + type];

const TYPE_END = Double + 1;
const EVALUATORS: (OperationEvaluator | null)[] = Array.from(
  { length: OPCODE_COUNT * TYPE_END },
  () => null,
);

type MeaningOperand = number | bigint;
type OperationMeaning = (...operands: MeaningOperand[]) => MeaningOperand | null;

/** Converts bits to the operand type of a meaning: a bigint or a number. */
function seenAs(type: Type, bits: SignedBits, onBits: boolean): MeaningOperand {
  if (type === Int32 || (type === Float && onBits)) return Number(bits);
  return isFloating(type) && !onBits ? numberOf(type, bits) : bits;
}

function bitsFrom(type: Type, seen: MeaningOperand | null, onBits: boolean): SignedBits | null {
  if (seen === null) return null;
  return isFloating(type) && !onBits ? bitsOfNumber(type, Number(seen)) : wrap(type, BigInt(seen));
}

function evaluator(
  opcode: Opcode,
  type: Type,
  meaning: OperationMeaning,
  onBits: boolean,
): OperationEvaluator {
  const { args, result } = specOf(opcode);
  const typeOf = (kind: string): Type => typeNamed(kind) ?? type; // else T
  const types = args.filter(isValueOperand).map(typeOf);
  const given = typeOf(result);
  if (types.length === 1) {
    const [only] = types;
    return (x) => bitsFrom(given, meaning(seenAs(only, x, onBits)), onBits);
  }
  const [first, second] = types;
  return (x, y) =>
    bitsFrom(given, meaning(seenAs(first, x, onBits), seenAs(second, y, onBits)), onBits);
}

type AnyMeaning = (x: never, y: never) => unknown;

/** Like `evaluate`, but returns null if the rule refuses the operands. */
function whereDefined(
  type: Type,
  evaluate: OperationEvaluator,
  rule: AnyMeaning | undefined,
): OperationEvaluator {
  if (rule === undefined) return evaluate;
  // The cast is safe: the rule of a type takes the same operands as its meaning.
  const refuses = rule as (x: MeaningOperand, y: MeaningOperand) => unknown;
  return (x, y) =>
    refuses(seenAs(type, x, false), seenAs(type, y, false)) === null ? evaluate(x, y) : null;
}

type MeaningByType = Readonly<Record<string, (...operands: never[]) => MeaningOperand | null>>;

function add(name: string, row: MeaningByType[string] | MeaningByType): void {
  const opcode = opcodeNamed(name);
  if (opcode === null || specOf(opcode).args.filter(isValueOperand).length > 2) return;
  for (const type of VALUE_TYPES) {
    const meaning = typeof row === "function" ? row : row[TYPE_KEYS[type]];
    if (meaning === undefined) continue;
    // The cast is safe: a meaning takes operands of the types that its row in OPCODES names.
    const evaluate = evaluator(opcode, type, meaning as OperationMeaning, name in ON_BITS);
    const rules = RULES.get(name);
    const rule = type === Int32 ? rules?.Int32 : type === Int64 ? rules?.Int64 : undefined;
    EVALUATORS[opcode * TYPE_END + type] = whereDefined(type, evaluate, rule);
  }
}

const RULES = new Map(Object.entries(UNDEFINED_BY));
const TYPE_KEYS = ["", "Int32", "Int64", "Float", "Double"];
for (const [name, row] of Object.entries(MEANINGS)) add(name, row);
for (const [name, row] of Object.entries(TRUE_RESULTS)) add(name, row);
for (const [name, row] of Object.entries(GUARDED_CONVERSIONS)) add(name, row);
