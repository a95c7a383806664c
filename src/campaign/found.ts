// What is wrong with one seed, and which findings count as one.

import type { Aspect } from "../compare/compare.js";
import type { FindingKind } from "../report/finding.js";

/** What is wrong with one seed, as it travels between processes. */
export interface Found {
  readonly kind: FindingKind;
  readonly seed: bigint;
  /** Null where no subject is to blame. */
  readonly subject: string | null;
  /** What differs, for a difference. */
  readonly aspect: Aspect | null;
  /** Index of the input; null where none is to blame. */
  readonly input: number | null;
  readonly detail: string;
}

/** Two findings of one bucket have, as far as we can tell here, one cause. */
export function bucketOf({ kind, subject, aspect, detail }: Found): string {
  const parts: string[] = [kind];
  if (subject !== null) parts.push(subject);
  if (aspect !== null) parts.push(aspect);
  // Of a message, the words: its numbers belong to the program.
  if (kind === "internal-error") parts.push(wordsOf(detail));
  return parts.join("/");
}

const WORDS_MAX = 60;
const wordsOf = (message: string): string =>
  message
    .replace(/\d+/g, "N")
    .replace(/[^\w@#:. -]+/g, " ")
    .slice(0, WORDS_MAX)
    .trim();

/** Where no subject and no input is to blame. */
export const foundAt = (seed: bigint, kind: FindingKind, detail: string): Found => ({
  kind,
  seed,
  subject: null,
  aspect: null,
  input: null,
  detail,
});
