// Lists the subjects that run without native parts: x86-64 code in the LIR interpreter, AArch64 code
// in the simulator.

import { LEVELS } from "../../reference/levels.js";
import { LEVEL_ALLOCATORS } from "../../reference/pipeline.js";
import { ALLOCATOR_NAMES } from "../../reference/regalloc/allocator-names.js";
import { openSimulatedSteps } from "../execute/compiled-subject.js";
import { type ReferenceSubject, referenceSubject } from "../execute/reference-subject.js";
import { SimulatedCpu } from "../execute/simulator/simulated-cpu.js";
import { subjectNamed } from "../execute/subjects.js";
import type { ExecutionResources } from "../execute/workshop.js";
import type { ShownCompilation } from "../report/page-state.js";
import { assert } from "../support/assert.js";

interface PageSubject extends ShownCompilation {
  readonly by: string;
  readonly subject: ReferenceSubject;
}

/** The machine that runs the code of each target. */
const MACHINES = { x64: "LIR interpreter", arm64: "AArch64 simulator" } as const;

export const PAGE_SUBJECTS: readonly PageSubject[] = (["x64", "arm64"] as const).flatMap((target) =>
  LEVELS.flatMap((level) =>
    ALLOCATOR_NAMES.map((allocator) => ({
      ...{ target, level, allocator, by: MACHINES[target] },
      subject: subjectOf({ target, level, allocator }),
    })),
  ),
);

function subjectOf({ target, level, allocator }: ShownCompilation): ReferenceSubject {
  const place = target === "x64" ? "alloc-x64" : "arm64";
  const name = [place, level, ...(allocator === LEVEL_ALLOCATORS[level] ? [] : [allocator])];
  const subject = subjectNamed(name.join("-"));
  assert(subject !== null, () => `no subject is named ${name.join("-")}`);
  if (target === "x64") return subject;
  const { quicker: _, ...facts } = subject;
  return referenceSubject({ ...facts, missing: () => null }, (opened, resources) =>
    openSimulatedSteps(opened, resources, simulatorOf(resources)),
  );
}

/** The simulator of each judge: one takes 19 MB, and its subjects run one after the other. */
const simulators = new WeakMap<ExecutionResources, SimulatedCpu>();

function simulatorOf(resources: ExecutionResources): SimulatedCpu {
  const known = simulators.get(resources);
  if (known !== undefined) return known;
  const made = new SimulatedCpu();
  simulators.set(resources, made);
  return made;
}
