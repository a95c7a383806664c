// Which findings count as one: those of one cause. Where the cause is not located, those that look alike.

import { createHash } from "node:crypto";
import { type Cause, isLocated } from "../localize/cause.js";

/** What a bucket is named after. */
interface BucketFacts {
  readonly kind: string;
  readonly subject: string | null;
  readonly aspect: string | null;
  readonly detail: string;
  readonly cause: Cause | null;
  /** The opcodes by which it is told from the cause's first finding; none: it is not told from it. */
  readonly outline?: string | null;
}

/** `optimizer/reduce-strength/sub-self`, or `internal-error/x64-O1/...`. */
export function bucketOf(facts: BucketFacts): string {
  const { kind, aspect, cause, outline = null } = facts;
  if (cause === null) return symptomOf(facts);
  // The opcodes that are left of an engine's finding are no location: what differs tells two bugs apart.
  const shown = isLocated(cause) ? null : (aspect ?? kind);
  const bucket = [cause.stage, cause.part, cause.rule, shown].filter(isText).join("/");
  return outline === null ? bucket : `${bucket} (${outline})`;
}

/** A report's first line: the cause, if it is known, and what shows it. */
export function titleOf({
  kind,
  subject,
  aspect,
  cause,
}: Omit<BucketFacts, "detail" | "outline">): string {
  if (cause === null) return `${subject ?? kind}: ${aspect ?? kind}`;
  const { stage, part, rule } = cause;
  // Of a subject that is not ours, the stage is its name, and nothing else may be known.
  const shown = [aspect ?? kind, stage === subject ? null : subject].filter(isText).join(" of ");
  return `${[stage, part, rule].filter((text) => isText(text) && text !== "").join("/")}: ${shown}`;
}

/** A bucket's name for findings that look alike: all that is known before the cause is located. */
export function symptomOf({
  kind,
  subject,
  aspect,
  detail,
}: Omit<BucketFacts, "cause" | "outline">): string {
  // Of a message, the words: its numbers belong to the program.
  const words = kind === "internal-error" ? wordsOf(detail) : null;
  return [kind, subject, aspect, words].filter(isText).join("/");
}

/** A symptom as it is told to people: one bug often shows in dozens of subjects alike. */
interface SeenAs {
  /** The symptom without its subject. */
  readonly what: string;
  /** Null where there is none in it. */
  readonly subject: string | null;
}

/** Takes the subject out of what `symptomOf` gives. */
export function seenAs(symptom: string): SeenAs {
  const [kind, ...rest] = symptom.split("/");
  // What differs, or the words of a message.
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

/** Ten hexadecimal digits that stay the same as long as the bucket's name does. */
export const bucketIdOf = (bucket: string): string =>
  createHash("sha256").update(bucket).digest("hex").slice(0, 10);
