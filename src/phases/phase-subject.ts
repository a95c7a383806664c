// Defines the interface of a compiler for the judge of phases: the programs of its texts, the inputs, and a comparison.
// b3-phases.ts and llvm-phases.ts implement it.

import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";

/** The text that a compiler prints after one phase, as a program. */
export interface PhaseProgram {
  readonly name: string;
  /** The line of the log, or of the text, at which the text begins. */
  readonly line: number;
  readonly text: string;
  /** True if the phase did not change the procedure. */
  readonly isSame: boolean;
  /** The programs to run before the next phase, and after this one; null if the text cannot be imported. */
  readonly modules: { readonly before: Module; readonly after: Module } | null;
  /** The reason why the text cannot be imported; empty if it can. */
  readonly refusal: string;
  /** The rule of the compiler's IR that the text violates; null if it violates none that is checked. */
  readonly violation: string | null;
}

export type PhaseComparison =
  | { readonly kind: "equal" }
  | { readonly kind: "open"; readonly reason: string }
  | { readonly kind: "different"; readonly difference: string };

/** One procedure or function, with the texts of all its phases. */
export interface PhaseSubject {
  /** Returns the texts in order, the one before the first phase too. */
  programs(): Iterable<PhaseProgram>;
  inputs(): readonly Input[];
  /** The fuel of the first program; a loop with random bounds need not end. */
  readonly fuelMax: number;
  /** Returns the fuel of a later program. */
  fuelAfter(used: number): number;
  /** Whether the execution can be compared with a later one. */
  isJudged(outcome: Outcome): boolean;
  compare(expected: Outcome, actual: Outcome): PhaseComparison;
  /** Repeats a difference in another way. Returns why it is no fault of the phase; null if it recurs. */
  reasonToDiscard(before: PhaseProgram, after: PhaseProgram, input: Input): string | null;
}
