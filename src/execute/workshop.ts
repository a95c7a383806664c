// Defines the shared state that the subjects of a process are opened with. It also carries the
// changes to the compiler that plant a bug.

import type { Parts } from "../../reference/parts.js";
import type { Outcome } from "../ir/outcome.js";
import type { Oracle } from "../oracle/fast/oracle.js";
import type { Continuations } from "./continuations.js";
import type { Emulators } from "./emulator/emulators.js";
import type { ResumeFilter } from "./machine/machine.js";
import type { Runners } from "./machine/runners.js";

/**
 * Returns true if a run produced the expected outcome. The comparison is in a folder that this one
 * may not import.
 */
export type Agree = (expected: Outcome, actual: Outcome) => boolean;

export interface Workshop {
  readonly oracle: Oracle;
  readonly parts: Parts;
  readonly emulators: Emulators;
  readonly runners: Runners;
  readonly continuations: Pick<Continuations, "resumeOf">;
  /** Continuations may use quicker machines; absent means false. */
  readonly isQuick?: boolean;
  readonly agree: Agree;
  readonly resumeFilter: ResumeFilter | null;
  readonly checkAllocation: boolean;
}
