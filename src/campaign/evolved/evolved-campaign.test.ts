// Tests the profile in a campaign with workers.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { emulatorTest } from "../../execute/unicorn-available.js";
import { firstSeedThat } from "../../support/first-seed.js";
import { SeedSource } from "../../support/source.js";
import { trials } from "../../support/trials.js";
import { emptyTally } from "../count/tally.js";
import { isParents, parentsOf } from "../program/lineage.js";
import { EVOLVED, seedAt } from "../program/seeds.js";
import { Campaign } from "../run/campaign.js";
import type { RawFinding } from "../run/found.js";
import { SeedJudge } from "../run/judge-seed.js";
import type { CampaignOptions } from "../run/options.js";
import { parseState, printState } from "../run/state.js";
import { Evolution, FIRST_STATE, SHARE_MIN } from "./evolution.js";

const withEmulator = emulatorTest(test);

const folder = mkdtempSync(join(tmpdir(), "touchstone-evolved-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const NAME = "evolved-campaign-test";
const ROUND = trials(4, 24);
const PLAIN: CampaignOptions = {
  settings: { subjects: ["ir-O1"], canary: null, drawn: null, profile: EVOLVED },
  first: 1n,
  count: 7 * ROUND + 3,
  seconds: Number.POSITIVE_INFINITY,
  workers: 1,
  isEnough: () => false,
  roundPrograms: ROUND,
  from: null,
  onState: () => {},
  onRefusal: () => {},
  reports: folder,
  isReported: () => false,
  hangSeconds: 30,
  fault: null,
  onFound: () => {},
  onWorker: () => {},
  helpers: null,
};

/** Finds a program of the fifth round that is a mutation for every possible share. */
const mutatedSeed = (): bigint => {
  const range = { from: BigInt(4 * ROUND + 1), count: BigInt(ROUND) };
  const mutates = (seed: bigint): boolean => new SeedSource(seed, "parents").below(100) < SHARE_MIN;
  return firstSeedThat("a mutation in the fifth round", range, mutates);
};

test("the evolution depends neither on the number of workers nor on the death of one", async (t) => {
  const seed = mutatedSeed();
  const fault = { seed, does: "kill" } as const;
  const one = await new Campaign({ ...PLAIN, fault }).run();
  const states: string[] = [];
  let commits = 0;
  const campaign: Campaign = new Campaign({
    ...PLAIN,
    fault,
    workers: 2,
    onState: (isNews) => {
      if (isNews || commits++ % 8 === 0) states.push(printState(NAME, campaign.state ?? t.fail()));
    },
  });
  const two = await campaign.run();
  t.deepEqual(two.evolution, one.evolution);
  t.deepEqual(two.tally, one.tally);
  t.deepEqual(two.found, one.found);
  t.is(one.tally.programs, PLAIN.count - 1);
  const rounds = one.evolution?.rounds ?? [];
  t.is(rounds.length, 8);
  t.true(rounds.some(({ byMutated }) => byMutated > 0));
  const [found] = one.found;
  t.deepEqual([one.found.length, found.seed, found.kind], [1, seed, "worker-died"]);
  t.true(isParents(found.parents), "a lost program can be made again");
  // Another process resumes from the text of any state: within the first round; in the nightly run
  // also after a finding.
  const within = states.findIndex((text) => JSON.parse(text).evolution.done > 0);
  t.true(within >= 0, "there are states within rounds");
  for (const at of [within, states.length - 1].slice(0, trials(1, 2))) {
    const from = parseState(states[at], { ...PLAIN, name: NAME });
    if (typeof from === "string") return t.fail(from);
    const rest = await new Campaign({ ...PLAIN, fault, from }).run();
    t.deepEqual(rest.evolution, one.evolution);
    t.deepEqual(rest.tally, one.tally);
    t.deepEqual([rest.found, rest.symptoms], [one.found, one.symptoms]);
    t.deepEqual([rest.programs, rest.intervals], [one.programs, one.intervals]);
  }
});

withEmulator("a planted bug is found in mutations, and their lineages reproduce it", async (t) => {
  const settings = {
    ...PLAIN.settings,
    subjects: ["x64-O0"],
    canary: "return-value",
  };
  // Each verdict on a program is a finding of its own here.
  const all: RawFinding[] = [];
  const judge = new SeedJudge(settings);
  const evolution = new Evolution(1n, FIRST_STATE, ROUND);
  const isMutation = ({ parents }: RawFinding): boolean => parents !== "";
  for (let begin = 0; begin < 20 * ROUND && !all.some(isMutation); begin += ROUND) {
    const { parents } = evolution.breedingOf(begin, ROUND);
    const news = parents.map((own, at) => {
      const named = { seed: seedAt(1n, begin + at), parents: parentsOf(own) };
      all.push(...judge.judge(named, emptyTally()));
      return { at, size: 1, features: [at] };
    });
    evolution.commit(begin, parents, news);
  }
  judge.close();
  const first = all.find(isMutation);
  if (first === undefined) return t.fail("no mutation shows the planted bug");
  const again = new SeedJudge(settings);
  t.deepEqual(again.judge(first, emptyTally())[0], first);
  again.close();
});
