// From a difference to what makes it: the optimizer is asked first, alone, in the oracle; what it
// leaves being right, the fault lies behind it, and the LIR interpreter says where.

import { PARTS } from "../../reference/parts.js";
import type { JudgeOptions } from "../compare/judge-program.js";
import type { Subject } from "../execute/subject.js";
import { subjectNamed } from "../execute/subjects.js";
import { chaoticSettings, DEFAULT_SETTINGS } from "../execute/unit.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { type Behind, locateBehind } from "./behind-optimizer.js";
import { findGuilty, type Guilty } from "./guilty-application.js";

export type Located = ({ readonly stage: "optimizer" } & Guilty) | Behind;

/**
 * @param options as the difference was found; a native subject among them allows to ask the processor
 * @param looksFor the first wrong value behind the optimizer too; the stage alone is quicker
 */
export function localize(
  module: Module,
  inputs: readonly Input[],
  subject: Subject,
  options: JudgeOptions,
  looksFor = true,
): Located {
  const guilty = guiltyOn(subject);
  if (guilty !== null) return guilty;
  const behind = locateBehind(module, inputs, subject, options, looksFor);
  if (behind.stage !== "lowering" || behind.resumedBy === null) return behind;
  // The continuation was optimized as for another subject.
  const other = subjectNamed(behind.resumedBy);
  return (other === null ? null : guiltyOn(other)) ?? behind;

  function guiltyOn({ level, target, chaos }: Subject): Located | null {
    const { settings = DEFAULT_SETTINGS, parts = PARTS, fuelMax } = options;
    const drawn = chaos ? chaoticSettings(settings) : settings;
    const found = findGuilty({ module, inputs, level, target, settings: drawn, parts, fuelMax });
    return found === null ? null : { stage: "optimizer", ...found };
  }
}
