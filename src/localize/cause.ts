// Names the cause of a difference, as far as it was located. Findings are counted by it.

import { INTERPRETERS_DISAGREE } from "../compare/interpreters.js";
import { COVERED, OVERLAP } from "../execute/claims/alias-claims.js";
import type { FalseClaim } from "../execute/claims/claim.js";
import { NUMBER_BY } from "../execute/claims/number-claims.js";
import { RANGE_BY } from "../execute/claims/range-claims.js";
import type { CompilationSettings } from "../execute/compilation.js";
import { subjectNamed } from "../execute/subjects.js";
import type { LocatedCause } from "./located-cause.js";

export interface Cause {
  /** `optimizer`, `lowering`, `allocation`, ...: the stages of localize.ts; `oracle` if its interpreters disagree. */
  readonly stage: string;
  /**
   * The phase of the optimizer, or `ranges`, `aliases`; for lowering `number-ranges`; for later stages the target, for
   * a continuation its own.
   */
  readonly part: string | null;
  /**
   * The rule of the phase, the opcode whose range is wrong, or the row of the instruction that is written wrong; null
   * if no part is known.
   */
  readonly rule: string | null;
}

/** The name of the range analysis as a cause. Several phases rely on it, so no phase is named. */
const RANGES = "ranges";
const ALIASES = "aliases";
/**
 * The name of the analysis of float ranges as a cause. Lowering uses it to prove that a conversion
 * fits.
 */
const NUMBER_RANGES = "number-ranges";

const EMISSION = "emission";

export function causeOf(
  located: LocatedCause,
  { target }: Pick<CompilationSettings, "target">,
): Cause {
  if (located.stage === "analysis") return located.cause;
  if (located.stage !== "optimizer") {
    const { stage, resumedBy, instruction } = located;
    const resuming = resumedBy === null ? null : subjectNamed(resumedBy);
    const rule = stage === EMISSION ? (instruction?.row ?? null) : null;
    return { stage, part: resuming === null ? target : resuming.target, rule };
  }
  const { stage, phase, application, claim } = located;
  const analysis = claim === null ? null : causeOfClaim(claim.what);
  if (analysis !== null) return analysis;
  const rule = application?.by ?? null;
  return { stage, part: phase, rule: rule === phase ? null : rule };
}

/** Returns the cause of a false claim, or of interpreters that disagree; null for any other error. */
export function causeOfError(what: string | undefined): Cause | null {
  if (what === INTERPRETERS_DISAGREE) return { stage: "oracle", part: null, rule: null };
  return causeOfClaim(what);
}

/** Returns the cause of a false claim of an analysis, by the name of the error; null for any other error. */
export function causeOfClaim(what: string | undefined): Cause | null {
  if (what?.startsWith(NUMBER_BY) === true) {
    return { stage: "lowering", part: NUMBER_RANGES, rule: what.slice(NUMBER_BY.length) };
  }
  const stage = "optimizer";
  if (what === OVERLAP || what === COVERED) return { stage, part: ALIASES, rule: null };
  if (what?.startsWith(RANGE_BY) !== true) return null;
  return { stage, part: RANGES, rule: what.slice(RANGE_BY.length) };
}

/** Describes the false claim that a wrong phase relies on. */
export function describeReliance({ what, detail }: FalseClaim): string {
  const cause = causeOfClaim(what);
  return `relies on a false claim of ${cause === null ? what : nameOfCause(cause)}: ${detail}`;
}

const KNOWN_BUG = "known bug";

/** Returns the cause of a difference that known bugs of an engine explain, by the names of their files. */
export const causeOfKnownBugs = (names: string): Cause => ({
  stage: KNOWN_BUG,
  part: names,
  rule: null,
});

const STAGES: ReadonlySet<string> = new Set([
  KNOWN_BUG,
  ...["optimizer", "lowering", "allocation", "clean-up", "moves", "exit records", "exit table"],
  ...["frame placement", "emission", "emulator", "oracle", "recorder", "links"],
]);

/** Returns whether a cause names a part of the reference compiler or a known bug, and not only a wrong result of an engine. */
export const isLocated = ({ stage }: Pick<Cause, "stage">): boolean => STAGES.has(stage);

/** Returns the name of the cause, from the widest part to the narrowest: `optimizer/reduce-strength/sub-self`. */
export const nameOfCause = ({ stage, part, rule }: Cause): string =>
  [stage, part, rule].filter((name) => name !== null && name !== "").join("/");

/** Analyses: a false claim names one of them, and has no rule. */
const ANALYSES: readonly (string | null)[] = [RANGES, ALIASES];

/** Returns whether several bugs of the optimizer may share the cause: it names neither a rule nor an analysis. */
export const isCoarse = ({ stage, part, rule }: Cause): boolean =>
  stage === "optimizer" && rule === null && !ANALYSES.includes(part);

const isSameCause = (x: Cause, y: Cause): boolean =>
  x.stage === y.stage && x.part === y.part && x.rule === y.rule;

/** Returns whether emission is the cause and a smaller program may show the row that is written wrong. */
export const isWithoutRow = ({ stage, rule }: Cause): boolean =>
  stage === EMISSION && rule === null;

/** Returns whether a finding of the cause `found` may count as one of `wanted`, whose row may be unknown. */
export const isOfCause = (found: Cause, wanted: Cause): boolean =>
  isSameCause(isWithoutRow(wanted) ? { ...found, rule: null } : found, wanted);
