// Defines a subject of the reference compiler: a compilation, and the machine that runs the code.
// subjects.ts has the table of them.

import type { CompilationSettings } from "./compilation.js";
import { ALL_CAPABILITIES, type LocalSubject, type OpenLocalSubject } from "./subject.js";
import type { ExecutionResources } from "./workshop.js";

/** Opens any subject it is passed; another `SubjectOpener` runs the same subject on another machine. */
export type SubjectOpener = (
  subject: ReferenceSubject,
  workshop: ExecutionResources,
) => OpenLocalSubject;

export interface ReferenceSubject extends LocalSubject, CompilationSettings {
  /** The first part of the name: the machine, and the form in which it runs the program. */
  readonly where: string;
  /** The program is interpreted, and only its recorded traces are compiled. */
  readonly traced: boolean;
}

/** Returns a subject with this name and compilation, opened by `open`. */
export function referenceSubject(
  facts: Omit<ReferenceSubject, "kind" | "capabilities" | "open">,
  open: SubjectOpener,
): ReferenceSubject {
  const subject: ReferenceSubject = {
    ...facts,
    kind: "local",
    capabilities: ALL_CAPABILITIES,
    open: (workshop) => open(subject, workshop),
  };
  return subject;
}
