// Prints and parses the parents that the programs of an interval mutate, for the profile `evolved`.
// They travel to a worker through the database, and are read as hostile.

import { z } from "zod";
import type { BatchParents } from "../campaign/evolved/evolution.js";
import { FEATURE_COUNT } from "../campaign/evolved/features.js";
import { hasShape, type ShapeOf, TEXT, TEXTS } from "../campaign/file/shapes.js";
import { isParents, parentsOf } from "../campaign/program/lineage.js";

/** `common` is in base64. */
const BREEDING = z.object({ parents: z.array(TEXTS), common: TEXT });
export type BreedingText = ShapeOf<typeof BREEDING>;

export const printBreeding = ({ parents, common }: BatchParents): BreedingText => ({
  parents,
  common: Buffer.from(common).toString("base64"),
});

/**
 * Parses the breeding of an interval.
 * @param count number of programs of the interval
 * @param outside the lineage steps of all programs from outside that the campaign has
 * @returns the breeding, or a string with the error
 */
export function parseBreeding(
  value: unknown,
  count: number,
  outside: readonly string[],
): BatchParents | string {
  if (!hasShape(value, BREEDING))
    return "the parents of its programs do not have the form of this build";
  const { parents } = value;
  const common = new Uint8Array(Buffer.from(value.common, "base64"));
  if (parents.length !== count || common.length !== FEATURE_COUNT) {
    return "the parents of its programs belong to other programs";
  }
  const isLineages = (own: readonly string[]) => own.length === 0 || isParents(parentsOf(own));
  if (!parents.every(isLineages)) return "the parents of its programs are no lineages";
  const steps = parents.flat().flatMap((lineage) => lineage.split(","));
  const lacking = steps.find((step) => step.startsWith("o") && !outside.includes(step));
  if (lacking === undefined) return { parents, common };
  return `its settings have no program from outside that is named ${lacking}`;
}
