// Tests workers that die while they examine a finding: the machine may be the cause.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { emptyTally } from "../count/tally.js";
import { NO_PARENTS } from "../program/lineage.js";
import { USUAL } from "../program/seeds.js";
import { Campaign } from "./campaign.js";
import type { CampaignState } from "./campaign-state.js";
import type { InjectedFault } from "./jobs.js";
import { SeedJudge } from "./judge-seed.js";
import type { CampaignOptions } from "./options.js";

const reports = mkdtempSync(join(tmpdir(), "touchstone-again-"));
test.after.always(() => rmSync(reports, { recursive: true }));

const SETTINGS = { subjects: ["ir-O2"], canary: "stale-load", drawn: null, profile: USUAL };
/**
 * The first seed that shows the planted bug. The campaigns judge only it, so no batch ends later
 * than another.
 */
const SEED = firstShowing();

function firstShowing(): bigint {
  const judge = new SeedJudge(SETTINGS);
  for (let seed = 1n; ; seed++) {
    const found = judge.judge({ seed, parents: NO_PARENTS }, emptyTally(SETTINGS.subjects));
    if (found.length === 1) {
      judge.close();
      return seed;
    }
  }
}

function optionsOf(some: Partial<CampaignOptions>): CampaignOptions {
  return {
    settings: SETTINGS,
    ...{ first: SEED, count: 1, seconds: Number.POSITIVE_INFINITY, workers: 1, reports },
    ...{ roundPrograms: 200, from: null, hangSeconds: 30 },
    isEnough: ({ found }) => found.length > 0,
    ...{ isReported: () => true, fault: null, helpers: null },
    ...{ onState: () => {}, onFound: () => {}, onRefusal: () => {}, onWorker: () => {} },
    ...some,
  };
}

test.serial(
  "after one death a fresh worker examines the finding again, and completely",
  async (t) => {
    let worker = 0;
    let kills = 0;
    const options = optionsOf({
      onWorker: (pid) => {
        worker = pid ?? 0;
      },
      onFound: () => {
        if (kills++ === 0) process.kill(worker, "SIGKILL");
      },
    });
    const { entries, unreduced } = await new Campaign(options).run();
    t.is(kills, 1);
    t.is(unreduced, 0);
    t.is(entries.length, 1);
    t.like(entries[0], { cause: { stage: "optimizer", part: "forward-loads" } });
    t.notRegex(entries[0].detail, /incompletely/);
  },
);

test.serial("the state contains each report as soon as it is written", async (t) => {
  const filed: (string | undefined)[] = [];
  const campaign: Campaign = new Campaign(
    optionsOf({ onState: () => filed.push(campaign.state?.kept[0]?.filed?.kind) }),
  );
  await campaign.run();
  t.is(filed.at(-1), "report");
});

test.serial(
  "after three deaths the report records them, and a resumed campaign tries again",
  async (t) => {
    const fault: InjectedFault = { seed: SEED, does: "kill-report" };
    const pids: (number | undefined)[] = [];
    let state: CampaignState | null = null;
    const campaign = new Campaign(optionsOf({ fault, onWorker: (pid) => pids.push(pid) }));
    const { entries, unreduced } = await campaign.run();
    state = campaign.state;
    t.is(pids.length, 3);
    t.is(unreduced, 1);
    t.regex(entries[0].detail, /\(examined incompletely: SIGKILL, 3 times\)$/);
    t.deepEqual(
      state?.kept.map(({ filed }) => filed),
      [null],
    );
    const resumed = await new Campaign(optionsOf({ from: state })).run();
    t.is(resumed.unreduced, 0);
    t.like(resumed.entries[0], { cause: { stage: "optimizer", part: "forward-loads" } });
  },
);

test.serial("a resumed campaign reduces a finding that was not reduced in time", async (t) => {
  const options = optionsOf({});
  const whole = await new Campaign(options).run();
  t.is(whole.unreduced, 0);
  const campaign = new Campaign({ ...options, reduceSeconds: 0 });
  const cut = await campaign.run();
  t.is(cut.ended, "findings");
  t.true(cut.unreduced > 0);
  t.is(cut.entries.length > 0, true);
  const resumed = await new Campaign({ ...options, from: campaign.state }).run();
  t.is(resumed.unreduced, 0);
  t.deepEqual(
    resumed.entries.map(({ bucket, values }) => [bucket, values]),
    whole.entries.map(({ bucket, values }) => [bucket, values]),
  );
});
