// Mutates a program several times: the entry point of this folder.

import { cloneModule } from "../ir/clone.js";
import type { Module } from "../ir/procedure.js";
import type { ChoiceSource } from "../support/source.js";
import type { DonorProgram } from "./mutant.js";
import { MUTATIONS, type MutationRow } from "./mutations.js";
import { splice } from "./splice.js";

/** Maximum number of mutations of one program. */
const MUTATIONS_MAX = 8;
/** The number of attempts to find a mutation that applies and is accepted. */
const TRIES = 6;

export interface MutatedProgram {
  readonly module: Module;
  /** Names of the mutations, in order. */
  readonly applied: readonly string[];
  /** The names of mutations that were undone, because the result was not accepted. */
  readonly refused: readonly string[];
}

/**
 * Applies one to eight mutations to a copy of the program. The same choices give the same result.
 * @param donor another program, to splice from and to merge with; called at most once
 * @param mixes whether the first mutation inserts part of the donor, if possible
 * @param accepts returns false to reject a module, for example one that is not defined
 */
export function mutateProgram(
  module: Module,
  donor: () => DonorProgram,
  source: ChoiceSource,
  accepts: (module: Module) => boolean,
  mixes = false,
): MutatedProgram {
  let current = module;
  let made: DonorProgram | null = null;
  const other = (): DonorProgram => {
    made ??= donor();
    return made;
  };
  const applied: string[] = [];
  const refused: string[] = [];
  const count = 1 + source.below(MUTATIONS_MAX);
  for (let m = 0; m < count; m++) {
    for (let t = 0; t < TRIES; t++) {
      const { name, apply } = mixes && m === 0 ? SPLICE : drawMutation(source);
      const next = cloneModule(current);
      if (!apply({ module: next, source, donor: other })) continue;
      const isKept = accepts(next);
      (isKept ? applied : refused).push(name);
      if (!isKept) continue;
      current = next;
      break;
    }
  }
  return { module: current, applied, refused };
}

function drawMutation(source: ChoiceSource): MutationRow {
  let roll = source.below(WEIGHTS);
  let at = 0;
  while (roll >= MUTATIONS[at].weight) roll -= MUTATIONS[at++].weight;
  return MUTATIONS[at];
}
const SPLICE = MUTATIONS[MUTATIONS.findIndex(({ apply }) => apply === splice)];
const WEIGHTS = MUTATIONS.reduce((sum, { weight }) => sum + weight, 0);
