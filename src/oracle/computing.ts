// Executes operations that compute or move: docs/language.md, section 3. The table MEANINGS defines the arithmetic.

import { nameOfOpcode, Op } from "../ir/opcodes.js";
import type { UndefinedRule } from "../ir/outcome.js";
import { argumentOf, type Value } from "../ir/procedure.js";
import { isFloating, isInteger, nameOfType } from "../ir/types.js";
import {
  GUARDED_CONVERSIONS,
  MEANINGS,
  MOVES,
  ON_BITS,
  TRUE_RESULTS,
  UNDEFINED_BY,
} from "./meanings.js";
import { bitsAsNumber, datumOf, datumOfNumber, numberOf, type StoredBits } from "./memory.js";
import {
  endIfNaNBits,
  endIfUndefined,
  get,
  type ProcedureActivation,
  type ProcedureRun,
} from "./state.js";

/** The result of a value: null if it has none, "exits" for a guard that fails. */
export type ValueResult = StoredBits | null | "exits";
type NumericOperand = number | bigint;
type ComputingMeaning<Result> = (...operands: NumericOperand[]) => Result;
type ComputingMeanings<Result> =
  | ComputingMeaning<Result>
  | { readonly [type: string]: ComputingMeaning<Result> };

/**
 * Returns the function of a table of meanings for an opcode at a type; the type of each table checks its functions
 * (language.md, section 3).
 */
function meaningIn<Result>(
  table: object,
  { opcode }: Value,
  { type }: StoredBits,
): ComputingMeaning<Result> | null {
  const row = (table as { readonly [name: string]: ComputingMeanings<Result> | undefined })[
    nameOfOpcode(opcode)
  ];
  return (typeof row === "object" ? row[nameOfType(type)] : row) ?? null;
}

/** Looks at integers: ends the run if one has the bits of any NaN (language.md, section 8). */
export function lookAtIntegers(run: ProcedureRun, operands: readonly StoredBits[]): void {
  endIfNaNBits(
    run,
    operands.some(({ type, anyNaN }) => isInteger(type) && anyNaN),
  );
}

/**
 * Returns true for a value other than zero, after looking at its bits (language.md, section 3: Select, Check, Branch).
 */
export function isNonZero(run: ProcedureRun, condition: StoredBits): boolean {
  lookAtIntegers(run, [condition]);
  return (condition.lo | condition.hi) !== 0;
}

/** Returns the result of a pure or partial operation or of a guard (language.md, sections 3, 7 and 8). */
export function compute(
  { run }: ProcedureActivation,
  value: Value,
  operands: readonly StoredBits[],
): ValueResult {
  const [x, ...others] = operands;
  lookAtIntegers(run, operands);
  const meaning = meaningIn<NumericOperand>(MEANINGS, value, x);
  if (nameOfOpcode(value.opcode) in ON_BITS && isFloating(x.type) && meaning !== null) {
    endIfNaNBits(
      run,
      others.some(({ anyNaN }) => anyNaN),
    ); // CopySign looks at the sign of its second operand
    const staysOpen = x.anyNaN && value.opcode !== Op.PurifyNaN;
    return datumOf(value.type, BigInt(meaning(...operands.map(bitsAsNumber))), staysOpen);
  }
  const seen = operands.map(numberOf);
  const rule = meaningIn<UndefinedRule | null>(UNDEFINED_BY, value, x)?.(...seen) ?? null;
  if (rule !== null) endIfUndefined(run, true, rule);
  const conversion = meaningIn<number | null>(GUARDED_CONVERSIONS, value, x);
  const trueResult = meaningIn<NumericOperand>(TRUE_RESULTS, value, x);
  const result = (conversion ?? trueResult ?? meaning)?.(...seen) ?? null;
  if (result === null) return "exits";
  const datum = datumOfNumber(value.type, result);
  const fits = trueResult === null || numberOf(datum) === result;
  return fits ? withAddressTarget(value, operands, datum) : "exits";
}

/** Returns the sum or difference as an address, if exactly one operand is an address (language.md, section 5). */
function withAddressTarget(
  { opcode }: Value,
  [x, y]: readonly StoredBits[],
  datum: StoredBits,
): StoredBits {
  const isSum = opcode === Op.Add || opcode === Op.CheckAdd;
  const isDifference = opcode === Op.Sub || opcode === Op.CheckSub;
  if (!isSum && !isDifference) return datum;
  const slot = x.slot ?? y.slot;
  if (slot !== undefined) return { ...datum, slot };
  if (x.object !== undefined && y.object !== undefined) return datum;
  const object = isSum ? (x.object ?? y.object) : x.object;
  return object === undefined ? datum : { ...datum, object };
}

export const isMove = ({ opcode }: Value): boolean =>
  MOVES.some((name) => name === nameOfOpcode(opcode));

/** Returns the result of an operation that moves an operand bit for bit (language.md, sections 3 and 6). */
export function move(
  activation: ProcedureActivation,
  value: Value,
  [x, y, z]: readonly StoredBits[],
): StoredBits {
  if (value.opcode === Op.Select) return isNonZero(activation.run, x) ? y : z;
  if (value.opcode !== Op.ArgumentReg) return { ...x, type: value.type };
  return get(activation, argumentOf(activation.procedure, value.type, value.argumentIndex));
}
