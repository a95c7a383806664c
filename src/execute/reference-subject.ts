// A subject of the reference compiler: which of its ways to compile, and where the code runs. The
// table of them is subjects.ts.

import type { Compilation } from "./compilation.js";
import { ALL_CAPABILITIES, type LocalSubject, type OpenLocal } from "./subject.js";
import type { Workshop } from "./workshop.js";

/** Opens whatever subject it is given: by replacing it, a subject runs in another way. */
export type Open = (subject: ReferenceSubject, workshop: Workshop) => OpenLocal;

export interface ReferenceSubject extends LocalSubject, Compilation {
  /** Where it runs, and as what: the first part of its name. */
  readonly where: string;
  /** The program is interpreted, and what runs so is what was recorded of it. */
  readonly traced: boolean;
}

/** The subject of that name, compiled and run in that way. */
export function referenceSubject(
  facts: Omit<ReferenceSubject, "kind" | "capabilities" | "open">,
  open: Open,
): ReferenceSubject {
  const subject: ReferenceSubject = {
    ...facts,
    kind: "local",
    capabilities: ALL_CAPABILITIES,
    open: (workshop) => open(subject, workshop),
  };
  return subject;
}
