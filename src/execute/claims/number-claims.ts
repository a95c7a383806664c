// Checks the claims of lowering about floats against executions: each is a number within the bounds
// that its expression proves. Because of these bounds, a conversion to an integer omits a test.

import { type NumberRange, numberRangeOf } from "../../../reference/lower/number-ranges.js";
import { numberOf } from "../../../reference/optimize/rules/fold.js";
import { nameOfOpcode } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { printValue } from "../../ir/text/print.js";
import { isFloating } from "../../ir/types.js";
import type { ExecutionTrace } from "../../oracle/fast/trace.js";
import type { ClaimChecker, FalseClaim } from "./claim.js";

/** The name of a false claim; the opcode with the wrong bounds follows it. */
export const NUMBER_BY = "number range by ";

interface NumberClaim {
  readonly value: Value;
  readonly range: NumberRange;
}

export function numberClaims(proc: Procedure): ClaimChecker {
  const claims = new Map<number, NumberClaim>();
  for (const { values } of proc.blocks) {
    for (const value of values) {
      const range = isFloating(value.type) && !value.isConstant ? numberRangeOf(value) : null;
      if (range !== null) claims.set(value.id, { value, range });
    }
  }
  return { firstFalse: (trace, index) => firstFalse(trace, index, claims) };
}

// Operands are executed before their users, so the first value beyond its bounds is the cause.
function firstFalse(
  trace: ExecutionTrace,
  index: number,
  claims: ReadonlyMap<number, NumberClaim>,
): FalseClaim | null {
  if (claims.size === 0) return null;
  for (let event = 0; event < trace.length; event++) {
    const claim = trace.procedures[event] === index ? claims.get(trace.ids[event]) : undefined;
    if (claim === undefined) continue;
    const { value, range } = claim;
    const [lo, hi] = [trace.results[2 * event], trace.results[2 * event + 1]];
    const x = numberOf({ type: value.type, constantLow: lo, constantHigh: hi });
    if (x >= range.low && x <= range.high) continue; // false for a NaN
    const by = nameOfOpcode(value.opcode);
    const bounds = `is claimed to lie from ${range.low} to ${range.high}, and is ${x}`;
    const detail = `${printValue(value)}: @${value.id} ${bounds}`;
    return { what: NUMBER_BY + by, by, detail };
  }
  return null;
}
