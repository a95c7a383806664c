// The state that the procedures of an imported program share.

import type { LirFragment, LirInstruction, LirProgram } from "../../lir/parse.js";
import type { LirEmitter } from "./lir-emitter.js";

/** A location on the stack that `allocp` reserves. */
export interface LirAllocation {
  readonly size: number;
  /** Its offset in the heap, if its address is used as a number; null: it is a stack slot. */
  readonly heapAt: number | null;
}

/** A fragment that may be called, with the fragments that continue its guards. */
export interface LirTree {
  /** The called fragment first. */
  readonly fragments: readonly LirFragment[];
  readonly emitter: LirEmitter;
  /** True: a guard that fails returns to the caller, since there is no other way to end. */
  readonly exitsReturn: boolean;
}

/** The state that the procedures of a program share. */
export interface LirContext {
  readonly program: LirProgram;
  /** True: each procedure has the address of the heap as its first parameter. */
  readonly hasHeap: boolean;
  /** The offset in the heap of the address that `malloc` returns next. */
  readonly mallocAt: number;
  /** The locations of all instructions of the form `allocate`. */
  readonly allocations: ReadonlyMap<LirInstruction, LirAllocation>;
  /** The fragments that continue guards. */
  readonly continuations: ReadonlyMap<LirInstruction, LirFragment>;
  /** Returns the tree of a fragment that `caller` may call; null if there is none. */
  readonly treeNamed: (name: string, caller: LirFragment) => LirTree | null;
  /** Counts a translated instruction. */
  readonly count: (line: number) => void;
}
