// Defines the claims of an analysis about a procedure in a form that executions can contradict.

import type { Value } from "../../ir/procedure.js";
import { bitsOf } from "../../ir/words.js";
import type { ExecutionTrace } from "../../oracle/fast/trace.js";

/** A claim, and the execution that contradicts it. */
export interface FalseClaim {
  /** The kind of the false claim, without any part of the program. */
  readonly what: string;
  /** The opcode, or the other source, whose function made a false range; null for other claims. */
  readonly by: string | null;
  readonly detail: string;
}

export interface ClaimChecker {
  /**
   * Returns the first claim that the execution contradicts; null if there is none.
   * @param index index of the procedure
   */
  firstFalse(trace: ExecutionTrace, index: number): FalseClaim | null;
}

/**
 * Returns the event of the operand that an event has read, in the same activation; -1 if it is not
 * recorded.
 */
export function eventRead(
  trace: ExecutionTrace,
  event: number,
  operand: Pick<Value, "id">,
): number {
  const { procedures, ids, starts, dependences } = trace;
  for (let d = starts[event]; d < starts[event + 1]; d++) {
    const from = dependences[d];
    if (ids[from] === operand.id && procedures[from] === procedures[event]) return from;
  }
  return NOT_RECORDED;
}
export const NOT_RECORDED = -1;

/** Returns the result of an integer's event as a signed number. */
export function numberAt({ results }: ExecutionTrace, event: number, { type }: Value): bigint {
  return bitsOf(type, results[2 * event], results[2 * event + 1]);
}
