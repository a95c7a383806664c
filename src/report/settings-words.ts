// Prints settings of the compiler as words of a command.

import { printPressure } from "../execute/pressure-text.js";
import { printThresholds } from "../execute/thresholds-text.js";
import { DEFAULT_SETTINGS, type OptimizeSettings } from "../execute/unit.js";

/**
 * Returns the options with which `fuzz exec` compiles with these settings; empty for the ordinary
 * settings.
 * @param isChaotic whether the subject uses the chaos number
 */
export function wordsOf(settings: OptimizeSettings, isChaotic: boolean): string[] {
  const { applicationsMax, disabled, phases, chaos, branchReach, pressure, halves, thresholds } =
    settings;
  const words: string[] = [];
  const say = (option: string, text: string | null): void => {
    if (text !== null) words.push(option, text);
  };
  const isLimited = applicationsMax !== DEFAULT_SETTINGS.applicationsMax;
  say("--opt-limit", isLimited ? String(applicationsMax) : null);
  say("--disable", disabled.size > 0 ? [...disabled].join(",") : null);
  say("--phases", phases?.join(",") ?? null);
  say("--chaos", isChaotic ? String(chaos) : null);
  say("--branch-reach", branchReach === null ? null : String(branchReach));
  say("--pressure", pressure === null ? null : printPressure(pressure));
  say("--thresholds", thresholds === null ? null : printThresholds(thresholds));
  return halves ? [...words, "--halves"] : words;
}
