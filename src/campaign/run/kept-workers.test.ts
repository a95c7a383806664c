// Tests that workers which are kept for the next campaign judge as new ones do.

import test from "ava";
import { Campaign } from "./campaign.js";
import type { JudgeSettings } from "./judge-seed.js";
import { ReusableWorkers } from "./kept-workers.js";

const settingsOf = (...subjects: string[]): JudgeSettings => ({
  ...{ subjects, canary: "float-rule", drawn: null, profile: "usual" },
});

/**
 * Returns the result of a campaign of a few programs, and the number of workers that it started.
 */
async function judged(settings: JudgeSettings, first: bigint, kept?: ReusableWorkers) {
  let started = 0;
  const campaign = new Campaign({
    ...{ settings, first, count: 12, seconds: Number.POSITIVE_INFINITY, workers: 1 },
    ...{ roundPrograms: 512, from: null, reports: "" },
    ...{ hangSeconds: 60, fault: null, helpers: null },
    ...(kept === undefined ? {} : { kept }),
    isReported: () => false,
    isEnough: () => false,
    onState: () => {},
    onFound: () => {},
    onWorker: () => started++,
    onRefusal: () => {},
  });
  const { tally, found, ended } = await campaign.run();
  return { started, tally, found, ended };
}

test.serial("a kept worker judges as a new one, only under the same settings", async (t) => {
  const kept = new ReusableWorkers();
  try {
    t.is((await judged(settingsOf("ir-O1"), 1n, kept)).started, 1);
    const again = await judged(settingsOf("ir-O1"), 301n, kept);
    t.is(again.started, 0);
    const { started, ...fresh } = await judged(settingsOf("ir-O1"), 301n);
    t.is(started, 1);
    t.deepEqual(again, { started: 0, ...fresh });
    t.is((await judged(settingsOf("ir-O2"), 1n, kept)).started, 1);
  } finally {
    kept.close();
  }
});
