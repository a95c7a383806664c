// What is wrong with one seed, as it travels between processes.

import type { Aspect } from "../compare/compare.js";
import type { FindingKind } from "../report/finding.js";

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

/** Where no subject and no input is to blame. */
export const foundAt = (seed: bigint, kind: FindingKind, detail: string): Found => ({
  kind,
  seed,
  subject: null,
  aspect: null,
  input: null,
  detail,
});
