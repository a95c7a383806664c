// Parses the settings under which the bug of a file in corpus/regress appears: its line `; with: --opt-limit 1 --phases
// a,b --disable c --pressure registers=2`, with options of `fuzz exec`.

import { parsePressure } from "../execute/pressure-text.js";
import { parseThresholds } from "../execute/thresholds-text.js";
import type { OptimizeSettings } from "../execute/unit.js";

type RegressionSettings = Pick<
  OptimizeSettings,
  "applicationsMax" | "phases" | "disabled" | "branchReach" | "pressure" | "thresholds" | "verify"
>;

/**
 * Parses the settings of a file. Without an option nothing is limited; the program is verified after every phase.
 * @throws RangeError for a word that is none of the six options, or for a malformed value
 */
export function regressionSettings(text: string): RegressionSettings {
  const words = /^; with: (.*)$/m.exec(text)?.[1].trim().split(/\s+/) ?? [];
  let applicationsMax = Number.POSITIVE_INFINITY;
  let phases: readonly string[] | null = null;
  let disabled: ReadonlySet<string> = new Set();
  let branchReach: number | null = null;
  let pressure: RegressionSettings["pressure"] = null;
  let thresholds: RegressionSettings["thresholds"] = null;
  for (let w = 0; w < words.length; w += 2) {
    const [option, value = ""] = words.slice(w, w + 2);
    if (option === "--opt-limit") applicationsMax = Number(value);
    else if (option === "--phases") phases = value.split(",");
    else if (option === "--disable") disabled = new Set(value.split(","));
    else if (option === "--branch-reach") branchReach = Number(value);
    else if (option === "--pressure") pressure = pressureOf(value);
    else if (option === "--thresholds") thresholds = thresholdsOf(value);
    else throw new RangeError(`; with: ${option}: expected one of ${OPTIONS}`);
  }
  return { applicationsMax, phases, disabled, branchReach, pressure, thresholds, verify: true };
}

const OPTIONS = "--opt-limit, --phases, --disable, --branch-reach, --pressure, --thresholds";

function pressureOf(text: string): NonNullable<RegressionSettings["pressure"]> {
  const plan = parsePressure(text);
  if (typeof plan === "string") throw new RangeError(`; with: --pressure: ${plan}`);
  return plan;
}

function thresholdsOf(text: string): NonNullable<RegressionSettings["thresholds"]> {
  const thresholds = parseThresholds(text);
  if (typeof thresholds === "string") throw new RangeError(`; with: --thresholds: ${thresholds}`);
  return thresholds;
}
