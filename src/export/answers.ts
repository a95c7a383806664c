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
export const listens = ({ procedures }: Module): boolean =>
  procedures.some(({ blocks }) =>
    blocks.some(({ values }) => values.some(({ opcode }) => opcode === Op.CallCheck)),
  );

const row = (name: string, parameters: readonly Type[], result: Type): HostFunction => ({
  ...{ name, parameters, result, index: -1, class: "pure", asks: false, kept: null },
  apply() {},
});

/** Writes the deoptimization flag. */
export const ANSWER = row("answer", [Int32], Void);
/** Reads the deoptimization flag. */
export const ASKED = row("asked", [], Int32);

/** Returns whether each format defines the body of the function itself. */
export const isOwn = (host: HostFunction): boolean =>
  host.kept !== null || host === ANSWER || host === ASKED || variableOf(host) !== null;

/**
 * Replaces a CallCheck by a call and a read of the deoptimization flag, which is the condition of
 * the guard.
 */
export function callAndListen(proc: Procedure, value: Value): [call: Value, asked: Value] {
  value.opcode = Op.CallIndirect;
  value.extra = null;
  const asked = proc.newValue(Op.CCall, Int32);
  asked.rest = [];
  asked.extra = ASKED;
  return [value, asked];
}

/**
 * Returns the values that set the deoptimization flag before a return; none before other control
 * values.
 */
export function answerBefore(proc: Procedure, last: Value): Value[] {
  if (!isReturn(last.opcode)) return [];
  const asks = proc.newConstant(Int32, last.opcode === Op.ReturnAsking ? 1 : 0, 0);
  const answer = proc.newValue(Op.CCall, Void);
  answer.rest = [asks];
  answer.extra = ANSWER;
  return [asks, answer];
}
