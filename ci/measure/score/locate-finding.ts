// Localizes the finding of a planted bug, while the bug is active.

import { programOf } from "../../../src/campaign/program/seeds.js";
import type { RawFinding } from "../../../src/campaign/run/found.js";
import { judgeOptionsOf } from "../../../src/campaign/run/judge-seed.js";
import { subjectNamed } from "../../../src/execute/subjects.js";
import { type Cause, causeOf, causeOfError } from "../../../src/localize/cause.js";
import { localize } from "../../../src/localize/localize.js";
import { InternalError } from "../../../src/support/assert.js";

/** Returns the cause of a finding; null if no subject differs, or localization is not possible. */
export function causeOfFinding(finding: RawFinding, profile: string): Cause | null {
  const { seed, parents, subject: name, kind, what } = finding;
  const claim = causeOfError(what);
  if (claim !== null) return claim;
  const subject = name === null ? null : subjectNamed(name);
  // The search in traces judges each form as a whole, and an error counts as a difference.
  if (subject === null || (kind !== "difference" && !subject.traced)) return null;
  const options = {
    ...judgeOptionsOf({ subjects: [subject.name], canary: null }, seed),
    mayRunNatively: true,
  };
  const { module, inputs } = programOf(seed, profile, parents);
  try {
    return causeOf(localize(module, inputs, subject, options, false), subject);
  } catch (error) {
    if (error instanceof InternalError) return null;
    throw error;
  }
}
