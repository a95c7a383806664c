// Converts a finding's data from and to JSON, for states and deliveries.

import { ASPECTS } from "../../compare/aspects.js";
import { FINDING_KINDS } from "../../report/finding.js";
import { isCount, isText, objectOf, type Shape } from "../file/shapes.js";
import { isParents, NO_PARENTS } from "../program/lineage.js";
import type { Found } from "./found.js";

export type FoundText = Omit<Found, "seed"> & { readonly seed: string };

export const printFound = (found: Found): FoundText => ({ ...found, seed: String(found.seed) });

export const parseFound = (found: FoundText): Found => ({ ...found, seed: BigInt(found.seed) });

export const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);
const oneOf =
  (names: readonly string[]): Shape =>
  (value) =>
    typeof value === "string" && names.includes(value);
const isSeed: Shape = (value) => {
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
