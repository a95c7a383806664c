// Declares the evidence of a finding: the program, and the outcomes of the oracle and the subject.

import type { JudgeOptions } from "../compare/judge-program.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";

/** One execution, with the oracle's and the subject's outcome. */
export interface ComparedExecution {
  readonly input: Input;
  readonly expected: Outcome;
  /** The subject's outcome; null if it has none. */
  readonly got: Outcome | null;
}

export interface Reproducer {
  /** Contents by file name. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Instructions for the report, as lines of Markdown. */
  readonly says: readonly string[];
}

export interface FindingEvidence {
  /** The reduced module, or the original one if there was no reduction. */
  readonly module: Module;
  /** Executions of that module, the one that shows the finding first; empty if it must not run. */
  readonly executions: readonly ComparedExecution[];
  readonly original: Module;
  readonly originalInputs: readonly Input[];
  /** The files to repeat the first execution without Touchstone, for a foreign engine. */
  readonly reproducer?: Reproducer;
  /** The options with which the subject was judged; they contain planted bugs. */
  readonly options?: Pick<JudgeOptions, "parts" | "settings">;
}
