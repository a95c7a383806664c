// The writer of one function, as the files that write parts of it see it.

import type { Procedure, Value } from "../../ir/procedure.js";
import type { ByteWriter } from "./byte-writer.js";
import type { Mnemonic } from "./instructions.js";
import type { Linked } from "./linked.js";

export interface FunctionWriter {
  readonly proc: Procedure;
  readonly linked: Linked;
  readonly code: ByteWriter;
  /** Of a flagged procedure: the local that is 1 if the program called this activation. */
  readonly flagLocal: number;
  op(name: Mnemonic, immediate?: number): void;
  newLocal(wasmType: number): number;
  /** Pushes the value. */
  push(value: Value): void;
  /** Pushes the address of a stack slot, by its position. */
  pushSlotAddress(slot: number): void;
  /** Gives the room of the frame's slots back. */
  popFrame(): void;
  /** Ends the whole execution with that status. */
  endExecution(status: number): void;
}
