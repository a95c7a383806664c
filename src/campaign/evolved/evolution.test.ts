// Tests the profile `evolved`: parents do not depend on batches, and come only from judged
// programs. The corpus stays bounded and prefers rare features.

import test from "ava";
import { assert } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";
import { isParents, parentsOf, STEPS_MAX, stepCount } from "../program/lineage.js";
import {
  COMMON,
  type CorpusGeneration,
  ENTRIES_MAX,
  EvolvedCorpus,
  FEW,
  FIRST_GENERATION,
  ParentLottery,
} from "./corpus.js";
import {
  type BatchParents,
  Evolution,
  endOfRound,
  FIRST_STATE,
  type UncommonFeatures,
} from "./evolution.js";
import { FEATURE_COUNT } from "./features.js";

const ROUND = 60;

/** Makes up features of programs: most become common soon, some are rare. */
function newsOf(begin: number, { parents, common }: BatchParents): UncommonFeatures[] {
  return parents.flatMap((own, at) => {
    const source = new SeedSource(BigInt(begin + at), parentsOf(own));
    const all = Array.from({ length: 30 }, () => {
      const bits = 1 + source.below(14);
      return source.below(2 ** bits);
    });
    const features = [...new Set(all)].filter((feature) => common[feature] === 0);
    return features.length === 0 ? [] : [{ at, size: 50 + source.below(500), features }];
  });
}

/** Judges programs in batches of that many, as many at once as are open. */
function evolve(evolution: Evolution, from: number, count: number, batch: number): void {
  const open: { begin: number; breeding: BatchParents }[] = [];
  for (let next = from; next < count || open.length > 0; ) {
    while (next < count && evolution.isOpen(next)) {
      const end = Math.min(next + batch, endOfRound(next, ROUND), count);
      open.push({ begin: next, breeding: evolution.breedingOf(next, end - next) });
      next = end;
    }
    const first = open.shift();
    assert(first !== undefined, () => "nothing is open");
    const { begin, breeding } = first;
    evolution.commit(begin, breeding.parents, newsOf(begin, breeding));
  }
}

test("the drawn parents do not depend on the distribution of programs to workers", (t) => {
  const figures = [1, 7, 60].map((batch) => {
    const evolution = new Evolution(1000n, FIRST_STATE, ROUND);
    evolve(evolution, 0, 7 * ROUND + 11, batch);
    return evolution.figures;
  });
  t.deepEqual(figures[1], figures[0]);
  t.deepEqual(figures[2], figures[0]);
  const [{ rounds }] = figures;
  t.deepEqual([rounds[0].mutated, rounds[1].mutated], [0, 0], "no corpus yet");
  t.true(rounds.slice(2).every(({ usual, mutated }) => usual > 0 && mutated > 0));
});

test("parents are lineages of programs that were judged before, as commands take them", (t) => {
  const evolution = new Evolution(0n, FIRST_STATE, ROUND);
  let [mixed, longest] = [0, 0];
  for (let round = 0; round < 12; round++) {
    const begin = round * ROUND;
    const breeding = evolution.breedingOf(begin, ROUND);
    for (const own of breeding.parents) {
      const parents = parentsOf(own);
      if (own.length === 0) continue;
      t.true(isParents(parents), parents);
      if (own.length === 2) mixed++;
      longest = Math.max(longest, stepCount(parents));
      const seeds = parents.split(/[,mx]+/).map(Number);
      t.true(
        seeds.every((seed) => seed < begin - ROUND),
        `${parents} in round ${round}`,
      );
    }
    evolution.commit(begin, breeding.parents, newsOf(begin, breeding));
  }
  t.true(mixed > 0);
  t.true(longest > 3 && longest <= STEPS_MAX, `${longest} steps`);
  t.throws(() => evolution.breedingOf(14 * ROUND, 1), { message: /round that is not open/ });
});

test("a corpus is bounded, and keeps rare features", (t) => {
  const corpus = new EvolvedCorpus(FIRST_GENERATION);
  const add = (seed: number, size: number, features: readonly number[]): number =>
    corpus.add({ lineage: String(seed), size, features }, []);
  for (let seed = 0; seed < 2 * ENTRIES_MAX; seed++) add(seed, 300, [seed]);
  const { entries, counts } = corpus.close();
  t.is(entries.length, ENTRIES_MAX);
  t.is(counts[7], 1);
  // Small entries stay, and so do those with more rare features.
  add(5000, 100, [5000]);
  add(5001, 300, [5001, 5002]);
  add(5002, 3000, [5003]);
  const names = corpus.close().entries.map(({ lineage }) => lineage);
  t.is(names.length, ENTRIES_MAX);
  t.deepEqual(
    [names.includes("5000"), names.includes("5001"), names.includes("5002")],
    [true, true, false],
  );
});

test("a common feature admits no program, and has no worth", (t) => {
  const corpus = new EvolvedCorpus(FIRST_GENERATION);
  const add = (seed: number): number =>
    corpus.add({ lineage: String(seed), size: 300, features: [3] }, []);
  t.is(add(0), 1, "new");
  for (let seed = 1; seed < COMMON; seed++) t.is(add(seed), 0);
  t.is(corpus.generation.entries.length, FEW);
  t.deepEqual(corpus.close().entries, [], "the feature has become common");
  add(COMMON);
  t.is(corpus.generation.counts[3], COMMON);
});

test("an entry that is rarer, smaller or less often a parent is drawn more often", (t) => {
  const counts = new Uint8Array(FEATURE_COUNT).fill(1);
  counts[2] = 10;
  const entry = { lineage: "0", size: 300, features: [1], children: 0 };
  const entries = [
    entry,
    { ...entry, lineage: "1", features: [2] },
    { ...entry, lineage: "2", size: 3000 },
    { ...entry, lineage: "3", children: 64 },
  ];
  const lottery = new ParentLottery({ counts, entries } satisfies CorpusGeneration);
  const drawn = new Map<string, number>();
  const source = new SeedSource(1n);
  for (let i = 0; i < 1000; i++) {
    const lineage = lottery.draw(source) ?? "";
    drawn.set(lineage, (drawn.get(lineage) ?? 0) + 1);
  }
  const often = drawn.get("0") ?? 0;
  for (const other of ["1", "2", "3"]) {
    const times = drawn.get(other) ?? 0;
    t.true(times > 0 && 2 * times < often, `${other}: ${times}, and ${often}`);
  }
  t.is(new ParentLottery(FIRST_GENERATION).draw(source), null);
});
