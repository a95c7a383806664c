// What a file of corpus/regress says of how the optimizer must run for its bug to show: a line
// `; with: --opt-limit 1 --phases a,b --disable c`, in the words of `fuzz exec`.

import type { OptimizeSettings } from "../execute/unit.js";

export type RegressionSettings = Pick<
  OptimizeSettings,
  "applicationsMax" | "phases" | "disabled" | "verify"
>;

/**
 * Nothing is limited where the text says nothing; the program is verified after every phase.
 * @throws RangeError for a word that is none of the three
 */
export function regressionSettings(text: string): RegressionSettings {
  const words = /^; with: (.*)$/m.exec(text)?.[1].trim().split(/\s+/) ?? [];
  let applicationsMax = Number.POSITIVE_INFINITY;
  let phases: readonly string[] | null = null;
  let disabled: ReadonlySet<string> = new Set();
  for (let w = 0; w < words.length; w += 2) {
    const [option, value = ""] = words.slice(w, w + 2);
    if (option === "--opt-limit") applicationsMax = Number(value);
    else if (option === "--phases") phases = value.split(",");
    else if (option === "--disable") disabled = new Set(value.split(","));
    else throw new RangeError(`; with: ${option}: expected --opt-limit, --phases or --disable`);
  }
  return { applicationsMax, phases, disabled, verify: true };
}
