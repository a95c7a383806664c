// Operations that compute or move: docs/language.md, section 3. The table of meanings has what they compute.

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
import { bitsSeen, type Datum, datumOf, datumOfNumber, numberSeen } from "./memory.js";
import { type Activation, get, nanBitsIf, type Run, undefinedIf } from "./state.js";

/** The result of a value: null if it has none, "exits" for a guard that fails. */
export type Given = Datum | null | "exits";
type Seen = number | bigint;
type Meaning<Result> = (...operands: Seen[]) => Result;
type Row<Result> = Meaning<Result> | { readonly [type: string]: Meaning<Result> };

/** Returns what a table of meanings has for an opcode at a type; its own type checks it (language.md, section 3). */
function rowOf<Result>(table: object, { opcode }: Value, { type }: Datum): Meaning<Result> | null {
  const row = (table as { readonly [name: string]: Row<Result> | undefined })[nameOfOpcode(opcode)];
  return (typeof row === "object" ? row[nameOfType(type)] : row) ?? null;
}

/** Looks at integers: none may have the bits of any NaN (language.md, section 8). */
export function lookAtIntegers(run: Run, operands: readonly Datum[]): void {
  nanBitsIf(
    run,
    operands.some(({ type, anyNaN }) => isInteger(type) && anyNaN),
  );
}

/** Returns true for a value other than zero, which is looked at (language.md, section 3: Select, Check, Branch). */
export function isNonZero(run: Run, condition: Datum): boolean {
  lookAtIntegers(run, [condition]);
  return (condition.lo | condition.hi) !== 0;
}

/** Returns what a pure or partial operation or a guard gives (language.md, sections 3, 7 and 8). */
export function compute({ run }: Activation, value: Value, operands: readonly Datum[]): Given {
  const [x, ...others] = operands;
  lookAtIntegers(run, operands);
  const meaning = rowOf<Seen>(MEANINGS, value, x);
  if (nameOfOpcode(value.opcode) in ON_BITS && isFloating(x.type) && meaning !== null) {
    nanBitsIf(
      run,
      others.some(({ anyNaN }) => anyNaN),
    ); // the sign that CopySign takes
    const staysOpen = x.anyNaN && value.opcode !== Op.PurifyNaN;
    return datumOf(value.type, BigInt(meaning(...operands.map(bitsSeen))), staysOpen);
  }
  const seen = operands.map(numberSeen);
  const rule = rowOf<UndefinedRule | null>(UNDEFINED_BY, value, x)?.(...seen) ?? null;
  if (rule !== null) undefinedIf(run, true, rule);
  const conversion = rowOf<number | null>(GUARDED_CONVERSIONS, value, x);
  const trueResult = rowOf<Seen>(TRUE_RESULTS, value, x);
  const result = (conversion ?? trueResult ?? meaning)?.(...seen) ?? null;
  if (result === null) return "exits";
  const datum = datumOfNumber(value.type, result);
  const fits = trueResult === null || numberSeen(datum) === result;
  return fits ? asAddress(value, operands, datum) : "exits";
}

/** Returns the sum or difference as an address, if an operand is one and the other is none (language.md, section 5). */
function asAddress({ opcode }: Value, [x, y]: readonly Datum[], datum: Datum): Datum {
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

/** Returns what an operation gives that moves an operand, bit for bit (language.md, sections 3 and 6). */
export function move(at: Activation, value: Value, [x, y, z]: readonly Datum[]): Datum {
  if (value.opcode === Op.Select) return isNonZero(at.run, x) ? y : z;
  if (value.opcode !== Op.ArgumentReg) return { ...x, type: value.type };
  return get(at, argumentOf(at.procedure, value.type, value.lo));
}
