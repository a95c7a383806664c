// Of the profile `evolved`: what the programs of an interval mutate, as it travels through the database to a worker. It
// is read as hostile.

import type { Breeding } from "../campaign/evolved/evolution.js";
import { FEATURE_COUNT } from "../campaign/evolved/features.js";
import { isText, listOf, objectOf } from "../campaign/file/shapes.js";
import { isParents, parentsOf } from "../campaign/program/lineage.js";

export interface BreedingText {
  readonly parents: Breeding["parents"];
  /** In base64. */
  readonly common: string;
}

export const printBreeding = ({ parents, common }: Breeding): BreedingText => ({
  parents,
  common: Buffer.from(common).toString("base64"),
});

/**
 * @param count programs of the interval
 * @param outside steps of lineages that stand for programs from outside, all that the campaign has
 * @returns a string that says what is wrong
 */
export function parseBreeding(
  value: unknown,
  count: number,
  outside: readonly string[],
): Breeding | string {
  if (!isBreedingText(value)) return "what its programs mutate is not of this build";
  const { parents } = value;
  const common = new Uint8Array(Buffer.from(value.common, "base64"));
  if (parents.length !== count || common.length !== FEATURE_COUNT) {
    return "what its programs mutate is of other programs";
  }
  const isLineages = (own: readonly string[]) => own.length === 0 || isParents(parentsOf(own));
  if (!parents.every(isLineages)) return "what its programs mutate is no lineage";
  const steps = parents.flat().flatMap((lineage) => lineage.split(","));
  const lacking = steps.find((step) => step.startsWith("o") && !outside.includes(step));
  if (lacking === undefined) return { parents, common };
  return `its settings have no program from outside that is named ${lacking}`;
}

const hasShape = objectOf({ parents: listOf(listOf(isText)), common: isText });
const isBreedingText = (value: unknown): value is BreedingText => hasShape(value);
