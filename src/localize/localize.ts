// From a difference to the stage that makes it: the optimizer is asked first, alone, in the oracle;
// what it leaves being right, the fault lies behind it.

import { PARTS } from "../../reference/parts.js";
import type { JudgeOptions } from "../compare/judge-program.js";
import type { Subject } from "../execute/subject.js";
import { chaoticSettings, DEFAULT_SETTINGS } from "../execute/unit.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { findGuilty, type Guilty } from "./guilty-application.js";

export type Located =
  | ({ readonly stage: "optimizer" } & Guilty)
  /** The optimized program is right in the oracle: lowering, allocation, emission or exits. */
  | { readonly stage: "code generation" };

export function localize(
  module: Module,
  inputs: readonly Input[],
  subject: Pick<Subject, "level" | "target" | "chaos">,
  {
    settings = DEFAULT_SETTINGS,
    parts = PARTS,
    fuelMax,
  }: Pick<JudgeOptions, "settings" | "parts" | "fuelMax">,
): Located {
  const guilty = findGuilty({
    module,
    inputs,
    level: subject.level,
    target: subject.target,
    settings: subject.chaos ? chaoticSettings(settings) : settings,
    parts,
    fuelMax,
  });
  return guilty === null ? { stage: "code generation" } : { stage: "optimizer", ...guilty };
}
