// The profile `evolved`: which programs of a campaign are mutations of programs that brought
// something new.
//
// 1. Programs are judged in rounds of a fixed number. The parents of a round are drawn from the
//    corpus as the round before the last has left it. So a round may begin while the one before it
//    is still judged, and no worker waits; what is drawn depends on seeds alone, not on the order
//    of judging.
// 2. Rounds that have no corpus yet consist of usual programs. Of later ones, usual programs and
//    mutations have shares that follow what a program of either has brought in the last rounds, and
//    never less than SHARE_MIN. Where the campaign has programs from outside, these are parents from the first round on.
// 3. Results come in the order of programs.

import { assert } from "../../support/assert.js";
import { SeedSource, type Source } from "../../support/source.js";
import { childOf, type Lineage, STEPS_MAX, stepCount } from "../program/lineage.js";
import { seedAt } from "../program/seeds.js";
import { COMMON, Corpus, FIRST_GENERATION, type Generation, Lottery } from "./corpus.js";
import { FEATURE_KINDS } from "./features.js";

export const ROUND_PROGRAMS = 512;
/** Of a hundred programs, mutations: at first. */
const SHARE_FIRST = 50;
/** Mutations at least, and usual programs at least. */
export const SHARE_MIN = 25;
/** Rounds that shares follow. */
const ROUNDS_LOOKED_AT = 8;
/** Of a hundred mutations so many are of a program from outside, where there are such. */
const OUTSIDE_SHARE = 40;
/** Of a hundred mutations so many have two parents. */
const MIXED_SHARE = 50;

/** What a worker reports of a program with an uncommon feature. */
export interface ProgramNews {
  /** Among the programs of the batch. */
  readonly at: number;
  /** Values, in all procedures. */
  readonly size: number;
  /** Those that the batch did not say are common. */
  readonly features: readonly number[];
}

/** What a worker has to know of a batch, which is of one round. */
export interface Breeding {
  /** By program of the batch: the lineages of what it is made of; none if it is a usual one. */
  readonly parents: readonly (readonly Lineage[])[];
  /** By feature: 1 if workers need not report it. */
  readonly common: Uint8Array;
}

/** Of a round: features that no program before had. */
interface RoundNews {
  /** Programs that were usual ones, and mutations of others. */
  readonly usual: number;
  readonly mutated: number;
  /** Features that usual programs brought, and mutations. */
  readonly byUsual: number;
  readonly byMutated: number;
}

/** Where a campaign stands. */
export interface EvolutionState {
  /** Whole rounds. */
  readonly rounds: readonly RoundNews[];
  /** What the last round but one has left, and the last. */
  readonly older: Generation;
  readonly newer: Generation;
  /** Of the round that is not whole: programs that are done, and what they brought, `at` among them. */
  readonly done: number;
  readonly news: readonly ProgramNews[];
}

export const FIRST_STATE: EvolutionState = {
  rounds: [],
  older: FIRST_GENERATION,
  newer: FIRST_GENERATION,
  done: 0,
  news: [],
};

/** What a campaign reports of it. */
export interface EvolutionFigures {
  /** By kind: features that some program had, of how many. */
  readonly features: readonly {
    readonly kind: string;
    readonly seen: number;
    readonly count: number;
  }[];
  /** Programs in the corpus. */
  readonly entries: number;
  readonly rounds: readonly RoundNews[];
}

/** What is known before a round begins. */
interface Start {
  /** Of a hundred programs, mutations. */
  readonly share: number;
  readonly lottery: Lottery;
  readonly common: Uint8Array;
}

/**
 * The program before which the round of program `index` ends.
 * @param size programs of a round
 */
export const endOfRound = (index: number, size: number): number =>
  (Math.floor(index / size) + 1) * size;

export class Evolution {
  private readonly first: bigint;
  private readonly size: number;
  private readonly outside: readonly Lineage[];
  private readonly rounds: RoundNews[];
  private older: Generation;
  private newer: Generation;
  private readonly corpus: Corpus;
  /** By round: those that have begun or may begin. */
  private readonly starts = new Map<number, Start>();
  /** Of the round that is not whole. */
  private done = 0;
  private news: ProgramNews[] = [];
  private round = NO_NEWS;

  /**
   * @param first the seed of program 0
   * @param size programs of a round
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
    this.corpus = new Corpus(newer);
    this.starts.set(rounds.length, startOf(older, rounds.slice(0, -1)));
    this.starts.set(rounds.length + 1, startOf(newer, rounds));
    const begin = rounds.length * size;
    if (done > 0) this.commit(begin, this.breedingOf(begin, done).parents, news);
  }

  /** True if program `index` depends on nothing that is still to come. */
  isOpen(index: number): boolean {
    return index < (this.rounds.length + 2) * this.size;
  }

  /** For programs of one round that is open. */
  breedingOf(begin: number, count: number): Breeding {
    const start = this.startAt(begin);
    const parents: (readonly Lineage[])[] = [];
    for (let i = begin; i < begin + count; i++) {
      const source = new SeedSource(seedAt(this.first, i), "parents");
      parents.push(drawParents(start, source, this.outside));
    }
    return { parents, common: start.common };
  }

  /**
   * Results of the next programs, in order.
   * @param parents by program
   */
  commit(begin: number, parents: Breeding["parents"], news: readonly ProgramNews[]): void {
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

  private startAt(index: number): Start {
    const start = this.starts.get(Math.floor(index / this.size));
    assert(start !== undefined, () => `program ${index} is of a round that is not open`);
    return start;
  }
}

/**
 * One parent, or two that are mixed where their lineages are short enough; none for a usual
 * program.
 */
function drawParents(
  { lottery, share }: Start,
  source: Source,
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

/** Of a hundred programs, mutations; from what the last rounds have brought. */
function shareAfter(rounds: readonly RoundNews[]): number {
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

const NO_NEWS: RoundNews = { usual: 0, mutated: 0, byUsual: 0, byMutated: 0 };
const NO_FEATURES = { size: 0, features: [] };

const startOf = (generation: Generation, rounds: readonly RoundNews[]): Start => ({
  share: shareAfter(rounds),
  lottery: new Lottery(generation),
  common: generation.counts.map((count) => (count < COMMON ? 0 : 1)),
});
