// What a campaign keeps of its programs: those that had a feature that hardly any other had.
// Parents are drawn from them, in proportion to how rare their features still are.
//
// 1. A feature is counted up to COMMON; beyond, workers no longer report it.
// 2. A program enters with a feature that fewer than FEW programs before it had.
// 3. Its worth is the sum of 1 / count over the features that were not common when it entered,
//    divided by its size, and by its children so far: a program that was a parent often, and whose
//    children covered nothing new, has been tried often enough. So of two programs with the same features the
//    smaller is worth more.
// 4. Bounded: at the end of a round the ENTRIES_MAX entries of greatest worth stay; those of no
//    worth go.
// 5. All of it depends on the order in which programs are added, and on nothing else.

import type { Source } from "../../support/source.js";
import { type Lineage, STEPS_MAX, stepCount } from "../program/lineage.js";
import { FEATURE_COUNT } from "./features.js";

/** Programs that have a feature, from which on it is common. */
export const COMMON = 64;
/** Programs that enter for one feature. */
export const FEW = 4;
export const ENTRIES_MAX = 1024;
/** Added to the size of a program: what compiling and running any program costs. */
const SIZE_BASE = 200;
/** Children that halve the worth of a program. */
const CHILDREN_HALVE = 16;

export interface Entry {
  readonly lineage: Lineage;
  /** Values, in all procedures. */
  readonly size: number;
  /** Those that are not common. */
  readonly features: readonly number[];
  /** Programs that it has been the parent of. */
  readonly children: number;
}

/** A corpus at a moment; never changed. */
export interface Generation {
  /** By feature: programs that have it, up to COMMON. */
  readonly counts: Uint8Array;
  /** In the order in which they entered. */
  readonly entries: readonly Entry[];
}

export const FIRST_GENERATION: Generation = { counts: new Uint8Array(FEATURE_COUNT), entries: [] };

function worthOf({ size, features, children }: Entry, counts: Uint8Array): number {
  let rarity = 0;
  for (const feature of features) {
    if (counts[feature] < COMMON) rarity += 1 / counts[feature];
  }
  return rarity / ((size + SIZE_BASE) * (1 + children / CHILDREN_HALVE));
}

type Kept = { -readonly [K in keyof Entry]: Entry[K] };

export class Corpus {
  private readonly counts: Uint8Array;
  private kept: Kept[];
  private readonly byName = new Map<Lineage, Kept>();

  constructor({ counts, entries }: Generation) {
    this.counts = counts.slice();
    this.kept = entries.map((entry) => ({ ...entry }));
    for (const entry of this.kept) this.byName.set(entry.lineage, entry);
  }

  /**
   * Counts a program, and keeps it if that is worth it.
   * @param features those that were not common, at least
   * @param parents lineages of programs that it is made of
   * @returns how many of them no program had before
   */
  add({ lineage, size, features }: Omit<Entry, "children">, parents: readonly Lineage[]): number {
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

  /** The end of a round: keeps what is worth it, and gives what there is. */
  close(): Generation {
    const { counts, kept } = this;
    const worths = kept.map((entry) => worthOf(entry, counts));
    const ranks = [...kept.keys()].sort((a, b) => worths[b] - worths[a] || a - b);
    const stays = new Set(ranks.slice(0, ENTRIES_MAX).filter((k) => worths[k] > 0));
    for (let k = 0; k < kept.length; k++) {
      if (!stays.has(k)) this.byName.delete(kept[k].lineage);
    }
    this.kept = kept.filter((_, k) => stays.has(k));
    // What is common by now weighs nothing.
    for (const entry of this.kept) {
      entry.features = entry.features.filter((feature) => counts[feature] < COMMON);
    }
    return this.generation;
  }

  get generation(): Generation {
    return { counts: this.counts.slice(), entries: this.kept.map((entry) => ({ ...entry })) };
  }
}

/** Draws parents from a generation, each with a probability in proportion to its worth. */
export class Lottery {
  private readonly entries: readonly Entry[];
  /** By entry: its worth and that of all before it. */
  private readonly sums: Float64Array;

  constructor({ counts, entries }: Generation) {
    this.entries = entries;
    this.sums = new Float64Array(entries.length);
    let sum = 0;
    entries.forEach((entry, i) => {
      sum += worthOf(entry, counts);
      this.sums[i] = sum;
    });
  }

  /** Null if there are no entries. */
  draw(source: Source): Lineage | null {
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
