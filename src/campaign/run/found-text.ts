// Converts a finding's data from and to JSON, for states and deliveries.

import { z } from "zod";
import { ASPECTS } from "../../compare/aspects.js";
import { FINDING_KINDS } from "../../report/finding.js";
import { COUNT, SEED, type ShapeOf, TEXT } from "../file/shapes.js";
import { isParents, NO_PARENTS } from "../program/lineage.js";
import type { RawFinding } from "./found.js";

const SEED_BITS = SEED.refine((text) => BigInt(text) < 1n << 64n);

export const FOUND = z.object({
  kind: z.enum(FINDING_KINDS),
  seed: SEED_BITS,
  parents: TEXT.refine((text) => text === NO_PARENTS || isParents(text)),
  subject: TEXT.nullable(),
  aspect: z.enum(ASPECTS).nullable(),
  input: COUNT.nullable(),
  detail: TEXT,
  known: TEXT.exactOptional(),
  what: TEXT.exactOptional(),
});
type FoundText = ShapeOf<typeof FOUND>;

export const printFound = (found: RawFinding): FoundText => ({
  ...found,
  seed: String(found.seed),
});

export const parseFound = (found: FoundText): RawFinding => ({
  ...found,
  seed: BigInt(found.seed),
});
