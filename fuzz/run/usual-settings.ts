// Returns the judge settings of a campaign with default options, for processes outside of a
// campaign.

import { isForTraces, USUAL } from "../../src/campaign/program/seeds.js";
import type { JudgeSettings } from "../../src/campaign/run/judge-seed.js";
import type { ReferenceSubject } from "../../src/execute/reference-subject.js";
import { SUBJECTS, TRACED_SUBJECTS } from "../../src/execute/subjects.js";
import { drawnFor } from "./draw.js";

/** Uses the subjects that this machine can run. */
export function usualSettings(profile: string): JudgeSettings {
  const drawn = drawnFor(profile);
  const subjects = usualSubjects(profile, drawn)
    .filter(({ missing }) => missing() === null)
    .map(({ name }) => name);
  return { subjects, canary: null, drawn, profile, isQuick: true };
}

/**
 * Returns the default subjects.
 * @param drawn the number of subjects for each program; null if all judge it
 */
export function usualSubjects(profile: string, drawn: number | null): readonly ReferenceSubject[] {
  if (isForTraces(profile)) return TRACED_SUBJECTS;
  return profile === USUAL && drawn !== null ? [...SUBJECTS, ...TRACED_SUBJECTS] : SUBJECTS;
}
