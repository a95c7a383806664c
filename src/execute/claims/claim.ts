// What an analysis claims of a procedure, in a form that can be held against what was executed.

import type { Value } from "../../ir/procedure.js";
import { bitsOf } from "../../ir/words.js";
import type { Trace } from "../../oracle/fast/trace.js";

/** A claim and the execution that shows it false. */
export interface FalseClaim {
  /** What is wrong, with nothing of the program in it. */
  readonly what: string;
  /** Of a range: the opcode whose function gave it, or what else did; null of another claim. */
  readonly by: string | null;
  readonly detail: string;
}

export interface Claims {
  /**
   * The first that is false of an execution.
   * @param index of the procedure
   */
  firstFalse(trace: Trace, index: number): FalseClaim | null;
}

/** The event of the operand that an event has read, in the same activation; -1 if that is not recorded. */
export function eventRead(trace: Trace, event: number, operand: Pick<Value, "id">): number {
  const { procedures, ids, starts, dependences } = trace;
  for (let d = starts[event]; d < starts[event + 1]; d++) {
    const from = dependences[d];
    if (ids[from] === operand.id && procedures[from] === procedures[event]) return from;
  }
  return NOT_RECORDED;
}
export const NOT_RECORDED = -1;

/** The result of an integer's event, as a signed number. */
export function numberAt({ results }: Trace, event: number, { type }: Value): bigint {
  return bitsOf(type, results[2 * event], results[2 * event + 1]);
}
