// How a return asks the caller to leave, in formats whose functions give one result: a variable of the format holds
// the answer. Every return of a program with a CallCheck writes it, and each CallCheck reads it behind the call. Two
// functions do that, which each format has of its own.

import type { HostFunction } from "../ir/host-functions.js";
import { isReturn, Op } from "../ir/opcodes.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { Int32, type Type, Void } from "../ir/types.js";
import { variableOf } from "./further-results.js";

/** Of a module where no call listens, nothing is written. */
export const listens = ({ procedures }: Module): boolean =>
  procedures.some(({ blocks }) =>
    blocks.some(({ values }) => values.some(({ opcode }) => opcode === Op.CallCheck)),
  );

const row = (name: string, parameters: readonly Type[], result: Type): HostFunction => ({
  ...{ name, parameters, result, index: -1, class: "pure", asks: false, kept: null },
  apply() {},
});

/** Writes the answer. */
export const ANSWER = row("answer", [Int32], Void);
/** Gives it. */
export const ASKED = row("asked", [], Int32);

/** True for functions whose body a format has of its own. */
export const isOwn = (host: HostFunction): boolean =>
  host.kept !== null || host === ANSWER || host === ASKED || variableOf(host) !== null;

/** The values that stand for one that calls and listens, the condition of its guard last. */
export function callAndListen(proc: Procedure, value: Value): [call: Value, asked: Value] {
  value.opcode = Op.CallIndirect;
  value.extra = null;
  const asked = proc.newValue(Op.CCall, Int32);
  asked.rest = [];
  asked.extra = ASKED;
  return [value, asked];
}

/** What stands in front of a control value: a return says whether it asks. */
export function answerBefore(proc: Procedure, last: Value): Value[] {
  if (!isReturn(last.opcode)) return [];
  const asks = proc.newConstant(Int32, last.opcode === Op.ReturnAsking ? 1 : 0, 0);
  const answer = proc.newValue(Op.CCall, Void);
  answer.rest = [asks];
  answer.extra = ANSWER;
  return [asks, answer];
}
