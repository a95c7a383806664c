// Finds the floating-point values that are numbers of JavaScript: no NaN with specific bits, which
// would be a BigInt, can reach them.
//
// Input:  a procedure without guards (leave-by-blocks.ts).
// Output: a set of values. It starts with all candidates and only shrinks, so it ends.

import { CONSTANT, EFFECTS, nameOfOpcode, Op } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { isFloating } from "../../ir/types.js";
import { NUMBER_RESULTS } from "../opcode-rows.js";
import { isNumber, literal } from "./literals.js";
import { inputsOfPhis } from "./phi-inputs.js";

export function knownNumbers(proc: Procedure): ReadonlySet<Value> {
  const values = proc.blocks.flatMap(({ values: own }) => own);
  const inputs = inputsOfPhis(proc);
  /** Returns the values of which this value is one; null: it is a number by itself or never one. */
  const sourcesOf = (value: Value): readonly (Value | null)[] | null => {
    const { opcode, a, b, c } = value;
    if (opcode === Op.Phi) return inputs.get(value) ?? [];
    if (opcode === Op.Select) return [b, c];
    return opcode === Op.Identity || opcode === Op.Opaque ? [a] : null;
  };
  const isNumberByItself = (value: Value): boolean =>
    (EFFECTS[value.opcode] & CONSTANT) !== 0
      ? isNumber(literal(value.type, value.constantLow, value.constantHigh))
      : NUMBER_RESULTS.has(nameOfOpcode(value.opcode));
  const known = new Set(
    values.filter(
      (value) => isFloating(value.type) && (sourcesOf(value) !== null || isNumberByItself(value)),
    ),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const value of known) {
      const sources = sourcesOf(value);
      if (sources === null || sources.every((source) => source !== null && known.has(source)))
        continue;
      known.delete(value);
      changed = true;
    }
  }
  return known;
}
