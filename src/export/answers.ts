// Implements the deoptimization flag of returns in formats whose functions return one result. The
// flag is a variable of the format. In a module with a CallCheck every return writes the flag, and
// each CallCheck reads it after the call. Each format defines the two functions that write and read
// it.

import type { HostFunction } from "../ir/host-functions.js";
import { isReturn, Op } from "../ir/opcodes.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { Int32, type Type, Void } from "../ir/types.js";
import { variableOf } from "./further-results.js";

/**
 * Returns whether the module contains a CallCheck. In a module without one, no return writes the
 * flag.
 */
export const hasCallCheck = ({ procedures }: Module): boolean =>
  procedures.some(({ blocks }) =>
    blocks.some(({ values }) => values.some(({ opcode }) => opcode === Op.CallCheck)),
  );

const row = (name: string, parameters: readonly Type[], result: Type): HostFunction => ({
  ...{ name, parameters, result, index: -1, class: "pure", asks: false, kept: null },
  apply() {},
});

export const SET_DEOPT_FLAG = row("setDeoptFlag", [Int32], Void);
/** Reads the deoptimization flag. */
export const GET_DEOPT_FLAG = row("getDeoptFlag", [], Int32);

/** Returns whether each format defines the body of the function itself. */
export const hasFormatBody = (host: HostFunction): boolean =>
  host.kept !== null ||
  host === SET_DEOPT_FLAG ||
  host === GET_DEOPT_FLAG ||
  variableOf(host) !== null;

/**
 * Replaces a CallCheck by a call and a read of the deoptimization flag, which is the condition of
 * the guard.
 */
export function replaceCallCheck(proc: Procedure, value: Value): [call: Value, flag: Value] {
  value.opcode = Op.CallIndirect;
  value.extra = null;
  const flag = proc.newValue(Op.CCall, Int32);
  flag.rest = [];
  flag.extra = GET_DEOPT_FLAG;
  return [value, flag];
}

/**
 * Returns the values that set the deoptimization flag before a return; none before other control
 * values.
 */
export function deoptFlagWrite(proc: Procedure, last: Value): Value[] {
  if (!isReturn(last.opcode)) return [];
  const flag = proc.newConstant(Int32, last.opcode === Op.ReturnDeopt ? 1 : 0, 0);
  const write = proc.newValue(Op.CCall, Void);
  write.rest = [flag];
  write.extra = SET_DEOPT_FLAG;
  return [flag, write];
}
