// What shows a finding: the program, and what the oracle and the subject made of it.

import type { JudgeOptions } from "../compare/judge-program.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";

/** One execution: what the oracle saw, and what the subject did. */
export interface Execution {
  readonly input: Input;
  readonly expected: Outcome;
  /** Null if the subject has no outcome. */
  readonly got: Outcome | null;
}

export interface Reproducer {
  /** Names and contents. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Lines of Markdown. */
  readonly says: readonly string[];
}

export interface Evidence {
  /** Reduced, or as it was found. */
  readonly module: Module;
  /** Of that module, the one that shows the finding first; none if it must not be run. */
  readonly executions: readonly Execution[];
  readonly original: Module;
  readonly originalInputs: readonly Input[];
  /** What shows the first execution without Touchstone, for a subject that is an engine of others. */
  readonly reproducer?: Reproducer;
  /** How the subject was judged: planted bugs stand here. */
  readonly options?: Pick<JudgeOptions, "parts" | "settings">;
}
