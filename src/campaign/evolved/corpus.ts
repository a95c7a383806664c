// The corpus of a campaign: programs with a feature that few others have. Parents are drawn from
// them with a probability that grows with the rarity of their features.
//
// 1. A feature is counted up to COMMON; beyond that, workers no longer report it.
// 2. A program enters the corpus with a feature that fewer than FEW programs before it had.
// 3. The worth of a program is the sum of 1 / count over its features that are not common. It is
//    divided by the size of the program, so the smaller of two programs with the same features is
//    worth more. It falls with the number of children, so programs that were parents often are
//    drawn less.
// 4. The corpus is bounded: at the end of a round the ENTRIES_MAX entries of greatest worth stay;
//    those without worth are removed.
// 5. The corpus depends on the order in which programs are added, and on nothing else.

import type { ChoiceSource } from "../../support/source.js";
import { type Lineage, STEPS_MAX, stepCount } from "../program/lineage.js";
import { FEATURE_COUNT } from "./features.js";

/** A feature is common if at least this many programs have it. */
export const COMMON = 64;
/** The number of programs that enter the corpus because of one feature. */
export const FEW = 4;
export const ENTRIES_MAX = 1024;
/** The fixed cost of a program, in values: added to its size when its worth is computed. */
const SIZE_BASE = 200;
/** The number of mutations of a program that halve its worth as a parent. */
const CHILDREN_HALVE = 16;

interface EvolvedEntry {
  readonly lineage: Lineage;
  /** Number of values in all procedures. */
  readonly size: number;
  /** The features that are not common. */
  readonly features: readonly number[];
  /** Number of programs that have it as a parent. */
  readonly children: number;
}

/** A state of the corpus; immutable. */
export interface CorpusGeneration {
  /** By feature: the number of programs that have it, up to COMMON. */
  readonly counts: Uint8Array;
  /** The programs of the corpus, in the order in which they entered. */
  readonly entries: readonly EvolvedEntry[];
}

export const FIRST_GENERATION: CorpusGeneration = {
  counts: new Uint8Array(FEATURE_COUNT),
  entries: [],
};

function worthOf({ size, features, children }: EvolvedEntry, counts: Uint8Array): number {
  let rarity = 0;
  for (const feature of features) {
    if (counts[feature] < COMMON) rarity += 1 / counts[feature];
  }
  return rarity / ((size + SIZE_BASE) * (1 + children / CHILDREN_HALVE));
}

type MutableEvolvedEntry = { -readonly [K in keyof EvolvedEntry]: EvolvedEntry[K] };

export class EvolvedCorpus {
  private readonly counts: Uint8Array;
  private kept: MutableEvolvedEntry[];
  private readonly byName = new Map<Lineage, MutableEvolvedEntry>();

  constructor({ counts, entries }: CorpusGeneration) {
    this.counts = counts.slice();
    this.kept = entries.map((entry) => ({ ...entry }));
    for (const entry of this.kept) this.byName.set(entry.lineage, entry);
  }

  /**
   * Counts a program, and keeps it if it has a rare feature.
   * @param features at least all features that are not common
   * @param parents lineages of its parents
   * @returns the number of its features that no program had before
   */
  add(
    { lineage, size, features }: Omit<EvolvedEntry, "children">,
    parents: readonly Lineage[],
  ): number {
    for (const parent of parents) {
      const entry = this.byName.get(parent);
      if (entry !== undefined) entry.children++;
    }
    const { counts } = this;
    const rare = features.filter((feature) => counts[feature] < COMMON);
    const isWanted = rare.some((feature) => counts[feature] < FEW);
    let fresh = 0;
    for (const feature of rare) if (counts[feature]++ === 0) fresh++;
    if (isWanted && stepCount(lineage) < STEPS_MAX) {
      const entry = { lineage, size, features: rare, children: 0 };
      this.kept.push(entry);
      this.byName.set(lineage, entry);
    }
    return fresh;
  }

  /** Ends a round: removes entries of little worth, and returns the state. */
  close(): CorpusGeneration {
    const { counts, kept } = this;
    const worths = kept.map((entry) => worthOf(entry, counts));
    const ranks = [...kept.keys()].sort((a, b) => worths[b] - worths[a] || a - b);
    const stays = new Set(ranks.slice(0, ENTRIES_MAX).filter((k) => worths[k] > 0));
    for (let k = 0; k < kept.length; k++) {
      if (!stays.has(k)) this.byName.delete(kept[k].lineage);
    }
    this.kept = kept.filter((_, k) => stays.has(k));
    // Common features add nothing to the worth of a program.
    for (const entry of this.kept) {
      entry.features = entry.features.filter((feature) => counts[feature] < COMMON);
    }
    return this.generation;
  }

  get generation(): CorpusGeneration {
    return { counts: this.counts.slice(), entries: this.kept.map((entry) => ({ ...entry })) };
  }
}

/** Draws parents from a generation, each with a probability in proportion to its worth. */
export class ParentLottery {
  private readonly entries: readonly EvolvedEntry[];
  /** The sum of the worths of each entry and all before it. */
  private readonly sums: Float64Array;

  constructor({ counts, entries }: CorpusGeneration) {
    this.entries = entries;
    this.sums = new Float64Array(entries.length);
    let sum = 0;
    entries.forEach((entry, i) => {
      sum += worthOf(entry, counts);
      this.sums[i] = sum;
    });
  }

  /** Draws an entry; null if there are none. */
  draw(source: ChoiceSource): Lineage | null {
    const { sums, entries } = this;
    if (entries.length === 0) return null;
    const drawn = (source.below(DRAWS) / DRAWS) * sums[sums.length - 1];
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] > drawn) high = middle;
      else low = middle + 1;
    }
    return entries[low].lineage;
  }
}
const DRAWS = 2 ** 32;
