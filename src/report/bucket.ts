// Groups findings into buckets, one for each cause. If the cause is not located, findings with the
// same symptom share a bucket.

import { createHash } from "node:crypto";
import { type Cause, isLocated } from "../localize/cause.js";

interface BucketFacts {
  readonly kind: string;
  readonly subject: string | null;
  readonly aspect: string | null;
  readonly detail: string;
  /** The known bugs of an engine that explain the difference; absent if none do. */
  readonly known?: string;
  readonly cause: Cause | null;
  /**
   * The opcodes that distinguish this finding from the first one of the same cause; null or absent:
   * nothing distinguishes it.
   */
  readonly outline?: string | null;
}

/**
 * Returns the name of a bucket: `optimizer/reduce-strength/sub-self`, or
 * `internal-error/x64-O1/...`.
 */
export function bucketOf(facts: BucketFacts): string {
  const { kind, aspect, cause, outline = null } = facts;
  if (cause === null) return symptomOf(facts);
  // The remaining opcodes of an engine's finding are no location, so the aspect distinguishes its
  // bugs.
  const shown = isLocated(cause) ? null : (aspect ?? kind);
  const bucket = [cause.stage, cause.part, cause.rule, shown].filter(isText).join("/");
  return outline === null ? bucket : `${bucket} (${outline})`;
}

/** Returns the title of a report: the cause, if it is located, and the symptom. */
export function titleOf({
  kind,
  subject,
  aspect,
  cause,
}: Omit<BucketFacts, "detail" | "outline">): string {
  if (cause === null) return `${subject ?? kind}: ${aspect ?? kind}`;
  const { stage, part, rule } = cause;
  // The stage of a foreign subject is its name; no other cause may be known.
  const shown = [aspect ?? kind, stage === subject ? null : subject].filter(isText).join(" of ");
  return `${[stage, part, rule].filter((text) => isText(text) && text !== "").join("/")}: ${shown}`;
}

/** Returns the symptom: a bucket's name while the cause is not located. */
export function symptomOf({
  kind,
  subject,
  aspect,
  detail,
  known,
}: Omit<BucketFacts, "cause" | "outline">): string {
  // Numbers in a message belong to the program, so only its words count.
  const words = kind === "internal-error" ? wordsOf(detail) : null;
  const shown = known === undefined ? aspect : `${aspect} (${known})`;
  return [kind, subject, shown, words].filter(isText).join("/");
}

/** A symptom as people read it: one bug often shows in dozens of subjects. */
interface SymptomParts {
  /** The symptom without its subject. */
  readonly what: string;
  /** The subject in the symptom; null if it contains none. */
  readonly subject: string | null;
}

/** Splits a symptom, as `symptomOf` returns it, into its subject and the rest. */
export function splitSymptom(symptom: string): SymptomParts {
  const [kind, ...rest] = symptom.split("/");
  // The aspect, or the words of a message.
  const end = kind === "difference" || kind === "internal-error" ? rest.pop() : undefined;
  const subject = rest.length === 0 ? null : rest.join("/");
  return { what: end === undefined ? kind : `${kind}/${end}`, subject };
}

const isText = (part: string | null): part is string => part !== null;

const WORDS_MAX = 60;
const wordsOf = (message: string): string =>
  message
    .replace(/\d+/g, "N")
    .replace(/[^\w@#:. -]+/g, " ")
    .slice(0, WORDS_MAX)
    .trim();

/** Returns ten hexadecimal digits that depend on the bucket's name only. */
export const bucketIdOf = (bucket: string): string =>
  createHash("sha256").update(bucket).digest("hex").slice(0, 10);
