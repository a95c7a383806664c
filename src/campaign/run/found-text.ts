// Converts a finding's data from and to JSON, for states and deliveries.

import { ASPECTS } from "../../compare/aspects.js";
import { FINDING_KINDS } from "../../report/finding.js";
import { isCount, isText, type JsonCheck, objectOf } from "../file/shapes.js";
import { isParents, NO_PARENTS } from "../program/lineage.js";
import type { RawFinding } from "./found.js";

export type FoundText = Omit<RawFinding, "seed"> & { readonly seed: string };

export const printFound = (found: RawFinding): FoundText => ({
  ...found,
  seed: String(found.seed),
});

export const parseFound = (found: FoundText): RawFinding => ({
  ...found,
  seed: BigInt(found.seed),
});

export const orNull =
  (shape: JsonCheck): JsonCheck =>
  (value) =>
    value === null || shape(value);
const oneOf =
  (names: readonly string[]): JsonCheck =>
  (value) =>
    typeof value === "string" && names.includes(value);
const isSeed: JsonCheck = (value) => {
  const text = String(value);
  return isText(value) && /^\d{1,20}$/.test(text) && BigInt(text) < 1n << 64n;
};

export const isFoundText = objectOf({
  kind: oneOf(FINDING_KINDS),
  seed: isSeed,
  parents: (value) => value === NO_PARENTS || (typeof value === "string" && isParents(value)),
  subject: orNull(isText),
  aspect: orNull(oneOf(ASPECTS)),
  input: orNull(isCount),
  detail: isText,
});
