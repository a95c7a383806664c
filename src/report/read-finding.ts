// Reads `finding.json` as untrusted input: every field that is used is checked.

import { parseVersioned } from "../support/versioned-json.js";
import { FINDING_SCHEMA, FINDING_VERSION } from "./finding.js";

/** The fields that a replay reads. */
interface ReplayedFinding {
  /** The subject that judges the reduced program. */
  readonly subject: string | null;
  /** The subject that judges the original program. */
  readonly foundBy: string | null;
  readonly aspect: string | null;
  readonly bucket: string;
  /** The description of the difference or error, in one line. */
  readonly detail: string;
  readonly canary: string | null;
  /** The seed of the program; null if no seed names it. */
  readonly seed: bigint | null;
  /** The profile of the seed, and the programs that it mutates: letters, digits and commas. */
  readonly profile: string;
  readonly parents: string;
  /** Whether it is a bug of a foreign compiler. */
  readonly isForeign: boolean;
  /** The value of --subject-command with which it was found; null: there was none. */
  readonly subjectCommand: string | null;
}

/** A profile that targets parts of the compiler names rules and opcodes after the colon. */
const PROFILE = /^[a-z]+(-[a-z]+)*(:[\w+-]+)?$/;

/**
 * Parses a finding.
 * @returns the finding, or a string with the error
 */
export function readFinding(text: string): ReplayedFinding | string {
  const value = parseVersioned(text, FINDING_SCHEMA, FINDING_VERSION);
  if (typeof value === "string") return value;
  const { bucket = "finding", detail = "" } = value;
  if (typeof bucket !== "string" || typeof detail !== "string") {
    return `"bucket" and "detail" are not both text`;
  }
  const { subject, foundBy = subject, aspect, canary, seed = null } = value;
  const { profile = "usual", parents = "" } = value;
  if (!isTextOrNull(subject)) return `"subject" is neither text nor null`;
  if (!isTextOrNull(foundBy)) return `"foundBy" is neither text nor null`;
  if (!isTextOrNull(aspect)) return `"aspect" is neither text nor null`;
  if (!isTextOrNull(canary)) return `"canary" is neither text nor null`;
  if (seed !== null && !(typeof seed === "string" && /^\d{1,20}$/.test(seed))) {
    return `"seed" is neither the digits of a number nor null`;
  }
  if (typeof profile !== "string" || !PROFILE.test(profile)) {
    return `"profile" is not the name of a profile`;
  }
  if (typeof parents !== "string" || !/^[mx\d,]*$/.test(parents)) {
    return `"parents" is not what --parents takes`;
  }
  const number = seed === null ? null : BigInt(seed);
  const isForeign = value["engine"] !== undefined;
  const subjectCommand = optionIn("--subject-command", value["command"]);
  const told = { subject, foundBy, aspect, bucket, detail, canary, seed: number };
  return { ...told, profile, parents, isForeign, subjectCommand };
}

/** Returns the value of an option in a list of words; null if there is none. */
function optionIn(option: string, words: unknown): string | null {
  if (!Array.isArray(words) || !words.includes(option)) return null;
  const value: unknown = words[words.indexOf(option) + 1];
  return typeof value === "string" ? value : null;
}

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === "string";
