// Defines the types of values that the LIR interpreter computes.

import type { LirMachine, Meaning } from "./lir-machine.js";

/** Computes a value from the state before the instruction. */
export type Code<V> = (m: LirMachine) => V;

export interface FloatCode<B extends number | bigint> {
  readonly number: Code<number>;
  readonly bits: Code<B>;
  /** Whether the bits are the result, because no number is computed. */
  readonly isMoved: boolean;
}

/** The types of values that the LIR interpreter computes. */
export interface Concrete {
  readonly l: Code<number>;
  readonly q: Code<bigint>;
  readonly ss: FloatCode<number>;
  readonly sd: FloatCode<bigint>;
  readonly claim: Code<boolean>;
  readonly address: Code<bigint>;
  readonly effect: Meaning;
}
