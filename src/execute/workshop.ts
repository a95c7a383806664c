// What the subjects of this process are opened with: what they share, and how their compiler is
// changed to plant a bug.

import type { Parts } from "../../reference/parts.js";
import type { Outcome } from "../ir/outcome.js";
import type { Oracle } from "../oracle/fast/oracle.js";
import type { Continuations } from "./continuations.js";
import type { Emulators } from "./emulator/emulators.js";
import type { ResumeFilter } from "./machine/machine.js";
import type { Runners } from "./machine/runners.js";

/** Whether a run has shown what was expected of it: the comparison of outcomes, which lies above. */
export type Agree = (expected: Outcome, actual: Outcome) => boolean;

export interface Workshop {
  readonly oracle: Oracle;
  readonly parts: Parts;
  readonly emulators: Emulators;
  readonly runners: Runners;
  readonly continuations: Pick<Continuations, "resumeOf">;
  /** Continuations may run where they run quicker; absent: they may not. */
  readonly isQuick?: boolean;
  readonly agree: Agree;
  readonly resumeFilter: ResumeFilter | null;
  readonly checkAllocation: boolean;
}
