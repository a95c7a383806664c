// What a function of an exported module knows of the rest of it: indices.

import type { HostFunction } from "../../ir/host-functions.js";
import type { Procedure } from "../../ir/procedure.js";
import type { Type } from "../../ir/types.js";
import type { Hidden } from "./hidden.js";
import type { Layout } from "./layout.js";

export interface Linked {
  readonly layout: Layout;
  /**
   * Procedures take one more argument, the last: 1 if the program calls, 0 where an exit or the driver does.
   * Only modules with continuations need it.
   */
  readonly isFlagged: boolean;
  /** See ../answers.ts. */
  readonly listens: boolean;
  /** The global that says where the frames of stack slots end. */
  readonly stackPointer: number;
  /** Instructions that see no constant as their last operand, and the global by which that is done. */
  readonly hidden: Hidden;
  readonly zero: number;
  /** The function that makes room for a record of so many bytes, and gives its address. */
  readonly reserve: number;
  /** The function that writes the records before the execution traps; null if a driver reads them. */
  readonly leave: number | null;
  functionOf(proc: Procedure): number;
  /** The position of the procedure in its module. */
  positionOf(proc: Procedure): number;
  /** Its index among those that can be called by address. */
  tableIndex(proc: Procedure): number;
  /** The index of its type. */
  typeOf(proc: Procedure): number;
  hostFunction(host: HostFunction): number;
  remainder(): number;
  /** The function that records that an activation returned: it takes the result, and the position. */
  returned(result: Type): number;
  /** Empty if the exit has none. */
  continuationsOf(exit: number): readonly Procedure[];
}
