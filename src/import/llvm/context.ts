// The state of an import: a part that all procedures of the program share, and a part for each procedure.

import type { Procedure, Value } from "../../ir/procedure.js";
import type { LlvmFunction, LlvmGlobal, LlvmInstruction, LlvmModule } from "../../llvm/module.js";
import type { LlvmLayout } from "./layout.js";
import type { LlvmScalars } from "./leaves.js";
import type { MemoryContext, RangeProcedures, RefinementSide } from "./memory.js";

export interface ProgramContext {
  readonly llvm: LlvmModule;
  readonly layout: LlvmLayout;
  readonly side: RefinementSide;
  readonly ranges: RangeProcedures;
  /** Returns the procedure of a function, which is written later. */
  procedureOf(called: LlvmFunction): Procedure;
  /** Marks a global whose initial value the program stores. */
  useGlobal(global: LlvmGlobal): void;
  /** Returns the scalars of a constant expression. */
  expression(c: FunctionContext, instruction: LlvmInstruction): LlvmScalars | null;
  /** Records a digest of the memory that a function of another module can read. */
  recordMemory(c: FunctionContext): void;
}

export interface FunctionContext extends MemoryContext {
  readonly program: ProgramContext;
  readonly called: LlvmFunction;
  /** The scalars of results and parameters, by name. */
  readonly frame: Map<string, LlvmScalars>;
  /** The end of the stack when the function began; null if it has no variables. */
  stackEnd: Value | null;
  /** Values whose alternatives the search of inputs tries: conditions of the text. */
  readonly decisions: Set<Value>;
}

export interface WrittenCall {
  readonly instruction: LlvmInstruction;
  readonly args: readonly LlvmScalars[];
}
