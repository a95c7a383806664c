// The profile `evolved`: decides which programs of a campaign are mutations, and draws their
// parents.
//
// 1. Programs are judged in rounds of a fixed size. The parents of a round are drawn from the
//    corpus as it was at the end of the round before the last. So a round may begin while the one
//    before it is still judged, and no worker waits. The drawn parents depend only on seeds, not on
//    the order of judging.
// 2. Rounds without a corpus consist of usual programs. In later rounds, the share of usual
//    programs and of mutations follows the number of new features that each kind brought recently.
//    No share is below SHARE_MIN. Programs from outside are parents from the first round on.
// 3. Results come in the order of programs.

import { z } from "zod";
import { assert } from "../../support/assert.js";
import { type ChoiceSource, SeedSource } from "../../support/source.js";
import { COUNT, type ShapeOf, TEXT } from "../file/shapes.js";
import { childOf, type Lineage, STEPS_MAX, stepCount } from "../program/lineage.js";
import { seedAt } from "../program/seeds.js";
import {
  COMMON,
  type CorpusGeneration,
  EvolvedCorpus,
  FIRST_GENERATION,
  ParentLottery,
} from "./corpus.js";
import { FEATURE_KINDS, FEATURE_LIST } from "./features.js";

export const ROUND_PROGRAMS = 512;
/** The initial share of mutations, in percent. */
const SHARE_FIRST = 50;
/** The least share of mutations, and of usual programs, in percent. */
export const SHARE_MIN = 25;
/** The number of past rounds whose results determine the share of mutations. */
const ROUNDS_LOOKED_AT = 8;
/** The share of mutations whose parent is a program from outside, if there are any, in percent. */
const OUTSIDE_SHARE = 40;
/** The share of mutations that have two parents, in percent. */
const MIXED_SHARE = 50;

/**
 * The features of a program that a worker reports, because they are not common; `at` is its index
 * in the batch, `size` the number of values in all procedures.
 */
export const PROGRAM_NEWS = z.object({ at: COUNT, size: COUNT, features: FEATURE_LIST });
export type UncommonFeatures = ShapeOf<typeof PROGRAM_NEWS>;

/** The parents and common features for a batch, which is part of one round. */
export interface BatchParents {
  /** By program of the batch: the lineages of its parents; empty for a usual program. */
  readonly parents: readonly (readonly Lineage[])[];
  /** By feature: 1 if workers need not report it. */
  readonly common: Uint8Array;
}

/** By round: usual programs and mutations, and the new features that these brought. */
export const ROUNDS = z.array(
  z.object({ usual: COUNT, mutated: COUNT, byUsual: COUNT, byMutated: COUNT }),
);
type RoundCounts = ShapeOf<typeof ROUNDS>[number];

export interface EvolutionState {
  /** The results of all complete rounds. */
  readonly rounds: readonly RoundCounts[];
  /** The corpus at the end of the round before the last, and of the last round. */
  readonly older: CorpusGeneration;
  readonly newer: CorpusGeneration;
  /**
   * For the incomplete round: the number of done programs, and their features; `at` is the index in
   * the round.
   */
  readonly done: number;
  readonly news: readonly UncommonFeatures[];
}

export const FIRST_STATE: EvolutionState = {
  rounds: [],
  older: FIRST_GENERATION,
  newer: FIRST_GENERATION,
  done: 0,
  news: [],
};

/** The figures that a campaign reports. */
export const EVOLUTION = z
  .object({
    features: z.array(z.object({ kind: TEXT, seen: COUNT, count: COUNT })),
    entries: COUNT.describe("programs in the corpus"),
    rounds: ROUNDS,
  })
  .describe("for the profile evolved: covered features, and the yield of each round");
export type EvolutionFigures = ShapeOf<typeof EVOLUTION>;

/**
 * The state at the start of a round: the share of mutations, and the corpus to draw parents from.
 */
interface RoundStart {
  /** The share of mutations, in percent. */
  readonly share: number;
  readonly lottery: ParentLottery;
  readonly common: Uint8Array;
}

/**
 * Returns the index at which the round of program `index` ends.
 * @param size number of programs of a round
 */
export const endOfRound = (index: number, size: number): number =>
  (Math.floor(index / size) + 1) * size;

export class Evolution {
  private readonly first: bigint;
  private readonly size: number;
  private readonly outside: readonly Lineage[];
  private readonly rounds: RoundCounts[];
  private older: CorpusGeneration;
  private newer: CorpusGeneration;
  private readonly corpus: EvolvedCorpus;
  /** The starting state of each round that may begin, by number of the round. */
  private readonly starts = new Map<number, RoundStart>();
  /** The number of programs of the incomplete round whose results are present. */
  private done = 0;
  private news: UncommonFeatures[] = [];
  private round = NO_NEWS;

  /**
   * @param first the seed of program 0
   * @param size number of programs of a round
   * @param outside lineages of programs from outside
   */
  constructor(
    first: bigint,
    state: EvolutionState,
    size = ROUND_PROGRAMS,
    outside: readonly Lineage[] = [],
  ) {
    const { rounds, older, newer, done, news } = state;
    this.first = first;
    this.size = size;
    this.outside = outside;
    this.rounds = [...rounds];
    this.older = older;
    this.newer = newer;
    this.corpus = new EvolvedCorpus(newer);
    this.starts.set(rounds.length, startOf(older, rounds.slice(0, -1)));
    this.starts.set(rounds.length + 1, startOf(newer, rounds));
    const begin = rounds.length * size;
    if (done > 0) this.commit(begin, this.breedingOf(begin, done).parents, news);
  }

  /**
   * Returns whether program `index` can be judged now: it depends only on results that are present.
   */
  isOpen(index: number): boolean {
    return index < (this.rounds.length + 2) * this.size;
  }

  /** Draws the parents for programs of one open round. */
  breedingOf(begin: number, count: number): BatchParents {
    const start = this.startAt(begin);
    const parents: (readonly Lineage[])[] = [];
    for (let i = begin; i < begin + count; i++) {
      const source = new SeedSource(seedAt(this.first, i), "parents");
      parents.push(drawParents(start, source, this.outside));
    }
    return { parents, common: start.common };
  }

  /**
   * Adds the results of the next programs, in order.
   * @param parents the parents of each program
   */
  commit(begin: number, parents: BatchParents["parents"], news: readonly UncommonFeatures[]): void {
    const told = new Map(news.map((program) => [program.at, program]));
    parents.forEach((own, at) => {
      const lineage = childOf(own, seedAt(this.first, begin + at));
      const { size, features } = told.get(at) ?? NO_FEATURES;
      const fresh = this.corpus.add({ lineage, size, features }, own);
      const { usual, mutated, byUsual, byMutated } = this.round;
      this.round =
        own.length === 0
          ? { ...this.round, usual: usual + 1, byUsual: byUsual + fresh }
          : { ...this.round, mutated: mutated + 1, byMutated: byMutated + fresh };
    });
    for (const program of news) this.news.push({ ...program, at: this.done + program.at });
    this.done += parents.length;
    assert(this.done <= this.size, () => `${this.done} programs in a round of ${this.size}`);
    if (this.done === this.size) this.closeRound();
  }

  private closeRound(): void {
    this.older = this.newer;
    this.newer = this.corpus.close();
    this.rounds.push(this.round);
    this.starts.set(this.rounds.length + 1, startOf(this.newer, this.rounds));
    this.starts.delete(this.rounds.length - 1);
    this.round = NO_NEWS;
    this.done = 0;
    this.news = [];
  }

  get state(): EvolutionState {
    const { rounds, older, newer, done, news } = this;
    return { rounds: [...rounds], older, newer, done, news: [...news] };
  }

  get figures(): EvolutionFigures {
    const { counts, entries } = this.corpus.generation;
    const features = FEATURE_KINDS.map(({ name, begin, end }) => {
      let seen = 0;
      for (let f = begin; f < end; f++) if (counts[f] > 0) seen++;
      return { kind: name, seen, count: end - begin };
    });
    const rounds = this.done === 0 ? [...this.rounds] : [...this.rounds, this.round];
    return { features, entries: entries.length, rounds };
  }

  private startAt(index: number): RoundStart {
    const start = this.starts.get(Math.floor(index / this.size));
    assert(start !== undefined, () => `program ${index} is of a round that is not open`);
    return start;
  }
}

/**
 * Draws one parent, or two to be mixed if their lineages are short enough; none for a usual
 * program.
 */
function drawParents(
  { lottery, share }: RoundStart,
  source: ChoiceSource,
  outside: readonly Lineage[],
): readonly Lineage[] {
  if (source.below(100) >= share) return [];
  const isOutside = outside.length > 0 && source.below(100) < OUTSIDE_SHARE;
  const kept = isOutside ? null : lottery.draw(source);
  const first = kept ?? (outside.length === 0 ? null : outside[source.below(outside.length)]);
  if (first === null) return [];
  if (source.below(100) >= MIXED_SHARE) return [first];
  const second = lottery.draw(source);
  const isShort = second !== null && stepCount(first) + stepCount(second) <= STEPS_MAX;
  return isShort && second !== first ? [first, second] : [first];
}

/** Returns the share of mutations, in percent, from the results of the last rounds. */
function shareAfter(rounds: readonly RoundCounts[]): number {
  let [usual, mutated, byUsual, byMutated] = [0, 0, 0, 0];
  for (const round of rounds.slice(-ROUNDS_LOOKED_AT)) {
    usual += round.usual;
    mutated += round.mutated;
    byUsual += round.byUsual;
    byMutated += round.byMutated;
  }
  if (usual === 0 || mutated === 0 || byUsual + byMutated === 0) return SHARE_FIRST;
  const [ofUsual, ofMutated] = [byUsual / usual, byMutated / mutated];
  const share = Math.round((100 * ofMutated) / (ofUsual + ofMutated));
  return Math.min(100 - SHARE_MIN, Math.max(SHARE_MIN, share));
}

const NO_NEWS: RoundCounts = { usual: 0, mutated: 0, byUsual: 0, byMutated: 0 };
const NO_FEATURES = { size: 0, features: [] };

const startOf = (generation: CorpusGeneration, rounds: readonly RoundCounts[]): RoundStart => ({
  share: shareAfter(rounds),
  lottery: new ParentLottery(generation),
  common: generation.counts.map((count) => (count < COMMON ? 0 : 1)),
});
