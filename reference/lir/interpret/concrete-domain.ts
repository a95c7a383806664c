// Defines the types of values that the LIR interpreter computes.

import type { InstructionMeaning, LirMachine } from "./lir-machine.js";

/** Computes a value from the state before the instruction. */
export type LirComputation<V> = (m: LirMachine) => V;

export interface FloatComputation<B extends number | bigint> {
  readonly number: LirComputation<number>;
  readonly bits: LirComputation<B>;
  /** Whether the bits are the result, because no number is computed. */
  readonly isMoved: boolean;
}

/** The types of values that the LIR interpreter computes. */
export interface ConcreteDomain {
  readonly l: LirComputation<number>;
  readonly q: LirComputation<bigint>;
  readonly ss: FloatComputation<number>;
  readonly sd: FloatComputation<bigint>;
  readonly claim: LirComputation<boolean>;
  readonly address: LirComputation<bigint>;
  readonly effect: InstructionMeaning;
}
