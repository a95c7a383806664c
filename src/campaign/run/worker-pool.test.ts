// Tests that a worker without processor time is not taken for hung, and that one without memory
// does not make its seed a finding.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { USUAL } from "../program/seeds.js";
import { Campaign } from "./campaign.js";
import type { InjectedFault } from "./jobs.js";
import type { CampaignOptions } from "./options.js";

const HANG_SECONDS = 2;
const STOPPED_MS = 2 * HANG_SECONDS * 1000;

/** Other systems do not report the processor time of a worker. */
const onLinux = process.platform === "linux" ? test : test.skip;

onLinux("a worker that is stopped for a while continues, without a finding", async (t) => {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-still-"));
  let pid = 0;
  let stopped = false;
  let goesOn: Promise<void> = Promise.resolve();
  const options: CampaignOptions = {
    settings: { subjects: ["ir-O1"], canary: null, drawn: null, profile: USUAL },
    ...{ first: 1n, count: 60, seconds: Number.POSITIVE_INFINITY, workers: 1, reports },
    ...{ roundPrograms: 60, from: null, hangSeconds: HANG_SECONDS },
    ...{ isEnough: () => false, isReported: () => false, fault: null, helpers: null },
    ...{ onFound: () => {}, onRefusal: () => {} },
    onWorker: (started) => {
      pid = started ?? 0;
    },
    onState: () => {
      if (stopped) return;
      stopped = true;
      process.kill(pid, "SIGSTOP");
      goesOn = new Promise((resolve) => {
        setTimeout(() => {
          process.kill(pid, "SIGCONT");
          resolve();
        }, STOPPED_MS);
      });
    },
  };
  const { tally, found } = await new Campaign(options).run();
  await goesOn;
  t.true(stopped);
  t.is(tally.programs, 60);
  t.deepEqual(found, []);
  rmSync(reports, { recursive: true });
});

/** Runs a campaign whose workers have the fault; it is interrupted after this many refusals. */
async function refusalsOf(t: ExecutionContext, does: InjectedFault["does"], count: number) {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-refused-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  const refusals: string[] = [];
  const campaign = new Campaign({
    settings: { subjects: ["ir-O1"], canary: null, drawn: null, profile: USUAL },
    ...{ first: 1n, count: 4, seconds: Number.POSITIVE_INFINITY, workers: 1, reports },
    ...{ roundPrograms: 4, from: null, hangSeconds: 600 },
    ...{ isEnough: () => false, isReported: () => false, helpers: null },
    ...{ onFound: () => {}, onState: () => {}, onWorker: () => {} },
    fault: { seed: 2n, does },
    onRefusal: (line) => {
      refusals.push(line);
      if (refusals.length === count) campaign.interrupt();
    },
  });
  const { found, ended } = await campaign.run();
  t.deepEqual(found, []);
  t.is(ended, "interrupted");
  return refusals;
}

test("a worker that ends for lack of memory returns its seeds, without a finding", async (t) => {
  const [first = ""] = await refusalsOf(t, "starve", 1);
  t.regex(first, /^a worker ended: status 1: Could not allocate dynamic translator/);
});

test("a worker that aborts before it is ready is a refusal of the machine", async (t) => {
  const refusals = await refusalsOf(t, "abort-start", 4);
  t.deepEqual(new Set(refusals), new Set(["a worker cannot start: SIGABRT"]));
});

test("a worker that refuses to start is replaced later", async (t) => {
  const refusals = await refusalsOf(t, "refuse-start", 3);
  t.deepEqual(new Set(refusals), new Set(["refused for a test"]));
});
