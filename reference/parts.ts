// Lists the replaceable parts of the compiler, each with a function type. A test replaces a part to
// compare two versions, or to check that a planted bug is found. The other parts keep their
// defaults.

import type { AllocationParts } from "./allocate.js";
import { ALLOCATORS } from "./allocators.js";
import { ARM64_TARGET } from "./arm64/target.js";
import { type FramePlacement, placeFrameLate } from "./emit/framed-blocks.js";
import type { Rule } from "./optimize/rules/patterns.js";
import { RULES } from "./optimize/rules/rules.js";
import { PHASES, type Phase } from "./pipeline.js";
import { newCleanUp } from "./regalloc/clean-up.js";
import { type MoveSequentializer, sequentialize } from "./regalloc/parallel-moves.js";
import { encodeExits } from "./snapshot/encode-exits.js";
import type { ExitRecord } from "./snapshot/exit-record.js";
import { recordExits } from "./snapshot/record-exits.js";
import { type LoweringPlan, makePlan } from "./target/plan.js";
import type { TargetName } from "./target/target.js";
import { X64_TARGET } from "./x64/target.js";

export interface CompilerParts extends AllocationParts {
  readonly rules: readonly Rule[];
  /** The phases of the optimizer, in the order of PHASES. */
  readonly phases: readonly Phase[];
  readonly plans: { readonly [T in TargetName]: LoweringPlan };
  readonly sequentialize: MoveSequentializer;
  /** Decides where a frame is created, above level O0. At O0 it is created at the entry. */
  readonly placeFrame: FramePlacement;
  readonly recordExits: typeof recordExits;
  readonly encodeExits: (records: readonly ExitRecord[]) => Uint8Array;
}

export const PARTS: CompilerParts = {
  rules: RULES,
  phases: PHASES,
  plans: { x64: makePlan(X64_TARGET), arm64: makePlan(ARM64_TARGET) },
  allocators: ALLOCATORS,
  cleanUp: newCleanUp,
  sequentialize,
  placeFrame: placeFrameLate,
  recordExits,
  encodeExits,
};
