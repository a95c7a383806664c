// Finds addresses of slots, of procedures and of the frame, which only some operands may use.

import { Op, type Opcode } from "../ir/opcodes.js";
import { forEachOperand, type Procedure, type Value } from "../ir/procedure.js";

/** Returns the values that derive from such addresses; the rewriter does not change them. */
export function addressesOf(proc: Procedure): ReadonlySet<Value> {
  const found = new Set<Value>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    proc.forEachValue((value) => {
      let isOne = ADDRESSES.has(value.opcode);
      forEachOperand(value, (operand) => {
        isOne ||= found.has(operand);
      });
      if (isOne) found.add(value);
    });
  }
  return found;
}
const ADDRESSES: ReadonlySet<Opcode> = new Set([Op.SlotBase, Op.FunctionAddress, Op.FramePointer]);
