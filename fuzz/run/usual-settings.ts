// Returns the judge settings of a campaign with default options, for processes outside of a
// campaign.

import type { JudgeSettings } from "../../src/campaign/run/judge-seed.js";
import { SUBJECTS } from "../../src/execute/subjects.js";
import { drawnFor } from "./draw.js";

/** Uses the subjects that this machine can run. */
export function usualSettings(profile: string): JudgeSettings {
  const subjects = SUBJECTS.filter(({ missing }) => missing() === null).map(({ name }) => name);
  return { subjects, canary: null, drawn: drawnFor(profile), profile, isQuick: true };
}
