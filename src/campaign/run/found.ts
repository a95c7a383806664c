// Declares the finding of one seed as data, which travels between processes.

import type { Aspect } from "../../compare/aspects.js";
import type { FindingKind } from "../../report/finding.js";
import type { ParentLineages } from "../program/lineage.js";

export interface RawFinding {
  readonly kind: FindingKind;
  readonly seed: bigint;
  /**
   * The parents of the seed's program, which the seed mutates; empty except in the profile
   * `evolved`.
   */
  readonly parents: ParentLineages;
  /** The subject that differs or fails; null if no subject is at fault. */
  readonly subject: string | null;
  /** The aspect of a difference. */
  readonly aspect: Aspect | null;
  /** The index of the input that shows the finding; null if the error belongs to no input. */
  readonly input: number | null;
  readonly detail: string;
  /** The known bugs of an engine that explain the difference; absent if none do. */
  readonly known?: string;
  /** The violated invariant of an internal error, if it is known. */
  readonly what?: string;
}

/** Returns a finding that belongs to no subject and no input. */
export const foundAt = (
  { seed, parents }: Pick<RawFinding, "seed" | "parents">,
  kind: FindingKind,
  detail: string,
): RawFinding => ({
  kind,
  seed,
  parents,
  subject: null,
  aspect: null,
  input: null,
  detail,
});
