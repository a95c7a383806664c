// Makes objects that the program allocates (LangRef, "Object Lifetime").

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int64 } from "../../ir/types.js";
import type { FunctionContext } from "./context.js";
import { BYTE_STATES, CELLS } from "./layout.js";
import { fillStates } from "./memory.js";

/** Returns the address of a new object that the program allocates. */
export function freshObject(
  c: FunctionContext,
  size: Value,
  state: number = BYTE_STATES.defined,
): Value {
  const { e, base, layout } = c;
  const address = e.load(Op.Load, Int64, base, CELLS.freshEnd);
  const isLarge = e.compare(Op.Above, size, e.long(layout.stackAt - layout.freshAt));
  e.leaveIf(isLarge, "objects that are too large");
  const end = e.and(e.add(e.add(address, size), e.long(layout.gap + 63)), e.long(-64));
  const isFull = e.compare(Op.Above, e.sub(end, base), e.long(layout.stackAt));
  e.leaveIf(isFull, "objects that are too large");
  e.store(Op.Store, end, base, CELLS.freshEnd);
  fillStates(c, address, size, state);
  return address;
}
