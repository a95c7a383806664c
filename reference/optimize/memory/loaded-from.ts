// Computes the result of a load from a known value that contains its bytes.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64, isFloating, otherBank, sizeOf, type Type } from "../../../src/ir/types.js";

/**
 * Returns the result of `load`, which reads `bytes` bytes from `distance` bytes above the low end
 * of `known`. The values that compute it are appended to `made`.
 */
export function loadedFrom(
  proc: Procedure,
  known: Value,
  load: Value,
  distance: number,
  bytes: number,
  made: Value[],
): Value {
  const make = (opcode: Opcode, type: Type, a: Value, b: Value | null = null): Value => {
    const value = proc.newValue(opcode, type, a, b);
    made.push(value);
    return value;
  };
  const constant = (number: number): Value => {
    const value = proc.newConstant(Int32, number, 0);
    made.push(value);
    return value;
  };
  let bits = isFloating(known.type) ? make(Op.BitwiseCast, otherBank(known.type), known) : known;
  if (bytes < sizeOf(bits.type)) {
    if (distance === 4 && bits.type === Int64) bits = make(Op.TruncHigh, Int32, bits);
    else {
      if (distance > 0) bits = make(Op.ZShr, bits.type, bits, constant(8 * distance));
      if (bits.type === Int64) bits = make(Op.Trunc, Int32, bits);
    }
  }
  switch (load.opcode) {
    case Op.Load8Z:
      return make(Op.BitAnd, Int32, bits, constant(0xff));
    case Op.Load8S:
      return make(Op.SExt8, Int32, bits);
    case Op.Load16Z:
      return make(Op.BitAnd, Int32, bits, constant(0xffff));
    case Op.Load16S:
      return make(Op.SExt16, Int32, bits);
    default:
      return isFloating(load.type) ? make(Op.BitwiseCast, load.type, bits) : bits;
  }
}
