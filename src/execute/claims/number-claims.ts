// What lowering claims of floats, held against what was executed: each is a number, and lies between the bounds
// that its expression is thought to prove. A conversion to an integer does without a test because of them.

import { type NumberRange, numberRangeOf } from "../../../reference/lower/number-ranges.js";
import { numberOf } from "../../../reference/optimize/rules/fold.js";
import { nameOfOpcode } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { printValue } from "../../ir/text/print.js";
import { isFloating } from "../../ir/types.js";
import type { Trace } from "../../oracle/fast/trace.js";
import type { Claims, FalseClaim } from "./claim.js";

/** What a false claim is named after; the opcode whose bounds are wrong stands behind it. */
export const NUMBER_BY = "number range by ";

interface NumberClaim {
  readonly value: Value;
  readonly range: NumberRange;
}

export function numberClaims(proc: Procedure): Claims {
  const claims = new Map<number, NumberClaim>();
  for (const { values } of proc.blocks) {
    for (const value of values) {
      const range = isFloating(value.type) && !value.isConstant ? numberRangeOf(value) : null;
      if (range !== null) claims.set(value.id, { value, range });
    }
  }
  return { firstFalse: (trace, index) => firstFalse(trace, index, claims) };
}

// Operands are executed before what is computed of them, so the first that is beyond its bounds is to blame.
function firstFalse(
  trace: Trace,
  index: number,
  claims: ReadonlyMap<number, NumberClaim>,
): FalseClaim | null {
  if (claims.size === 0) return null;
  for (let event = 0; event < trace.length; event++) {
    const claim = trace.procedures[event] === index ? claims.get(trace.ids[event]) : undefined;
    if (claim === undefined) continue;
    const { value, range } = claim;
    const [lo, hi] = [trace.results[2 * event], trace.results[2 * event + 1]];
    const x = numberOf({ type: value.type, lo, hi });
    if (x >= range.low && x <= range.high) continue; // a NaN is neither
    const by = nameOfOpcode(value.opcode);
    const bounds = `is claimed to lie from ${range.low} to ${range.high}, and is ${x}`;
    const detail = `${printValue(value)}: @${value.id} ${bounds}`;
    return { what: NUMBER_BY + by, by, detail };
  }
  return null;
}
