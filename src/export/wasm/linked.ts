// Declares the indices and settings of the module that a function writer needs.

import type { HostFunction } from "../../ir/host-functions.js";
import type { Procedure } from "../../ir/procedure.js";
import type { Type } from "../../ir/types.js";
import type { SourceForm } from "../forms.js";
import type { InstructionsToHide } from "./hidden.js";
import type { MemoryLayout } from "./layout.js";

export interface ModuleIndices {
  readonly layout: MemoryLayout;
  /**
   * Whether procedures take a flag as last argument: 1 if the program calls, 0 if an exit or the
   * driver calls. Only modules with continuations need the flag.
   */
  readonly isFlagged: boolean;
  /** Whether returns write the deoptimization flag; see ../answers.ts. */
  readonly hasCallCheck: boolean;
  /** The global that holds the end of the frames of stack slots. */
  readonly stackPointer: number;
  readonly form: SourceForm;
  /** Instructions whose last operand is hidden, and the global that hides it. */
  readonly hidden: InstructionsToHide;
  readonly zero: number;
  /** The function that reserves space for a record of the given size and returns its address. */
  readonly reserve: number;
  /**
   * The function that writes the records before the execution traps; null if a driver reads them.
   */
  readonly leave: number | null;
  functionOf(proc: Procedure): number;
  positionOf(proc: Procedure): number;
  /** Returns the index of the procedure in the table of callable addresses. */
  tableIndex(proc: Procedure): number;
  /** Returns the index of the procedure's type. */
  typeOf(proc: Procedure): number;
  /** Returns the immediate of a construct with these parameters and results. */
  blockType(takes: readonly Type[], gives: readonly Type[]): number;
  isEntry(proc: Procedure): boolean;
  /** Returns the index of a global that always has this value, and that an engine must read. */
  variableWith(type: Type, lo: number, hi: number): number;
  /** Returns the function that copies bytes; it takes destination, source and their number. */
  copier(): number;
  hostFunction(host: HostFunction): number;
  remainder(): number;
  /**
   * Returns the function that records a return; it takes the result and the position of the
   * procedure.
   */
  returnRecorder(result: Type): number;
  /** Returns an empty array if the exit has no continuations. */
  continuationsOf(exit: number): readonly Procedure[];
}
