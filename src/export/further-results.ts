// Further results of procedures, in formats whose functions give one result: a variable of the format for each number
// and type. A return writes them, and behind the call they are read, before anything else is called. Functions do
// that, which each format has of its own.

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

/** The variable of one further result of one type. */
export interface Variable {
  /** From 1. */
  readonly number: number;
  readonly type: Type;
  /** Writes it. */
  readonly give: HostFunction;
  /** Reads it. */
  readonly take: HostFunction;
}

const row = (name: string, parameters: readonly Type[], result: Type): HostFunction => ({
  ...{ name, parameters, result, index: -1, class: "pure", asks: false, kept: null },
  apply() {},
});

export const VARIABLES: readonly Variable[] = Array.from(
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

/** Of a module without further results nothing is written. */
export const givesFurther = ({ procedures }: Module): boolean =>
  procedures.some(({ further }) => further.length > 0);

/** The variable of which the function is; null of others. */
export const variableOf = (host: HostFunction): Variable | null =>
  VARIABLES.find(({ give, take }) => give === host || take === host) ?? null;

/** Those of the further results of the procedure, in order. */
export const variablesOf = ({ further }: Procedure): Variable[] =>
  further.map((type, i) => variable(i + 1, type));

function variable(number: number, type: Type): Variable {
  const found = VARIABLES.find((each) => each.number === number && each.type === type);
  assert(found !== undefined, () => `no variable holds result ${number} of type ${type}`);
  return found;
}

/** Lets further results go through variables: there are no Extracts then, and returns have one operand. */
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
    const { take } = variable(value.lo, value.type);
    value.opcode = Op.CCall;
    value.a = null;
    value.lo = 0;
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
