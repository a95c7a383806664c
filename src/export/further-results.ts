// Implements further results in formats whose functions return one result. The format has a
// variable for each position and type of a further result. A return writes the variables, and the
// caller reads them directly after the call. Each format defines the functions that write and read
// them.

import type { HostFunction } from "../ir/host-functions.js";
import { isReturn, Op } from "../ir/opcodes.js";
import {
  type BasicBlock,
  FURTHER_MAX,
  gatherExtracts,
  type Module,
  type Procedure,
} from "../ir/procedure.js";
import { Double, Float, Int32, Int64, nameOfType, type Type, Void } from "../ir/types.js";
import { assert } from "../support/assert.js";

export interface ResultVariable {
  /** The position of the further result, from 1. */
  readonly number: number;
  readonly type: Type;
  /** Writes the variable. */
  readonly give: HostFunction;
  /** Reads the variable. */
  readonly take: HostFunction;
}

const row = (name: string, parameters: readonly Type[], result: Type): HostFunction => ({
  ...{ name, parameters, result, index: -1, class: "pure", asks: false, kept: null },
  apply() {},
});

export const VARIABLES: readonly ResultVariable[] = Array.from(
  { length: FURTHER_MAX },
  (_, i) => i + 1,
).flatMap((number) =>
  [Int32, Int64, Float, Double].map((type) => ({
    number,
    type,
    give: row(`give${number}${nameOfType(type)}`, [type], Void),
    take: row(`take${number}${nameOfType(type)}`, [], type),
  })),
);

export const hasFurtherResults = ({ procedures }: Module): boolean =>
  procedures.some(({ further }) => further.length > 0);

/** Returns the variable that the function writes or reads; null for other functions. */
export const variableOf = (host: HostFunction): ResultVariable | null =>
  VARIABLES.find(({ give, take }) => give === host || take === host) ?? null;

/** Returns the variables of the procedure's further results, in order. */
export const variablesOf = ({ further }: Procedure): ResultVariable[] =>
  further.map((type, i) => variable(i + 1, type));

function variable(number: number, type: Type): ResultVariable {
  const found = VARIABLES.find((each) => each.number === number && each.type === type);
  assert(found !== undefined, () => `no variable holds result ${number} of type ${type}`);
  return found;
}

/** Replaces Extracts by reads of variables, and the further operands of returns by writes. */
export function passFurther(proc: Procedure): void {
  for (const block of proc.blocks) {
    takeFurther(block);
    if (isReturn(block.last.opcode)) giveFurther(proc, block);
  }
}

function takeFurther(block: BasicBlock): void {
  gatherExtracts(block);
  for (const value of block.values) {
    if (value.opcode !== Op.Extract) continue;
    const { take } = variable(value.resultIndex, value.type);
    value.opcode = Op.CCall;
    value.a = null;
    value.clearImmediates();
    value.rest = [];
    value.extra = take;
  }
}

function giveFurther(proc: Procedure, { last, values }: BasicBlock): void {
  [last.b, last.c].forEach((result, i) => {
    if (result === null) return;
    const call = proc.newValue(Op.CCall, Void);
    call.rest = [result];
    call.extra = variable(i + 1, result.type).give;
    call.block = last.block;
    values.splice(-1, 0, call);
  });
  last.b = null;
  last.c = null;
}
