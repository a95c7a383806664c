// Declares the interface through which other files write parts of one function.

import type { Procedure, Value } from "../../ir/procedure.js";
import type { ByteWriter } from "../byte-writer.js";
import type { Mnemonic } from "./instructions.js";
import type { ModuleIndices } from "./linked.js";

export interface FunctionWriter {
  readonly proc: Procedure;
  readonly linked: ModuleIndices;
  readonly code: ByteWriter;
  /** In a flagged procedure, the local that is 1 if the program called this activation. */
  readonly flagLocal: number;
  op(name: Mnemonic, immediate?: number): void;
  newLocal(wasmType: number): number;
  push(value: Value): void;
  /** Pushes the address of a stack slot, by its position. */
  pushSlotAddress(slot: number): void;
  /** Releases the frame of the slots. */
  popFrame(): void;
  /** Ends the whole execution with this status. */
  endExecution(status: number): void;
}
