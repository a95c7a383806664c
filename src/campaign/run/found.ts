// What is wrong with one seed, as it travels between processes.

import type { Aspect } from "../../compare/aspects.js";
import type { FindingKind } from "../../report/finding.js";
import type { Parents } from "../program/lineage.js";

export interface Found {
  readonly kind: FindingKind;
  readonly seed: bigint;
  /** What the seed mutates; nothing, but in the profile `evolved`. */
  readonly parents: Parents;
  /** Null where no subject is to blame. */
  readonly subject: string | null;
  /** What differs, for a difference. */
  readonly aspect: Aspect | null;
  /** Index of the input; null where none is to blame. */
  readonly input: number | null;
  readonly detail: string;
  /** Of an internal error, which invariant is broken, where that is known. */
  readonly what?: string;
}

/** Where no subject and no input is to blame. */
export const foundAt = (
  { seed, parents }: Pick<Found, "seed" | "parents">,
  kind: FindingKind,
  detail: string,
): Found => ({
  kind,
  seed,
  parents,
  subject: null,
  aspect: null,
  input: null,
  detail,
});
