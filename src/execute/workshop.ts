// Defines the shared state that the subjects of a process are opened with. It also carries the
// changes to the compiler that plant a bug.

import type { CompilerParts } from "../../reference/parts.js";
import type { Outcome } from "../ir/outcome.js";
import type { Oracle } from "../oracle/fast/oracle.js";
import type { ContinuationRunner } from "./continuations.js";
import type { EmulatorCache } from "./emulator/emulators.js";
import type { ResumeFilter } from "./machine/machine.js";
import type { MachineRunners } from "./machine/runners.js";

/**
 * Returns true if a run produced the expected outcome. The comparison is in a folder that this one
 * may not import.
 */
export type OutcomeTest = (expected: Outcome, actual: Outcome) => boolean;

export interface ExecutionResources {
  readonly oracle: Oracle;
  readonly parts: CompilerParts;
  readonly emulators: EmulatorCache;
  readonly runners: MachineRunners;
  readonly continuations: Pick<ContinuationRunner, "resumeOf">;
  /** Continuations may use quicker machines; absent means false. */
  readonly isQuick?: boolean;
  readonly agree: OutcomeTest;
  readonly resumeFilter: ResumeFilter | null;
  readonly checkAllocation: boolean;
}
