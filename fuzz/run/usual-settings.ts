// How a campaign judges of which no more than the profile is said: for what does so in a process of its own.

import type { JudgeSettings } from "../../src/campaign/run/judge-seed.js";
import { SUBJECTS } from "../../src/execute/subjects.js";
import { drawnFor } from "./draw.js";

/** By the subjects that this machine can run. */
export function usualSettings(profile: string): JudgeSettings {
  const subjects = SUBJECTS.filter(({ missing }) => missing() === null).map(({ name }) => name);
  return { subjects, canary: null, drawn: drawnFor(profile), profile, isQuick: true };
}
