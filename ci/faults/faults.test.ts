// Short samples of the scripts of this folder.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import test from "ava";
import { emptyTally } from "../../src/campaign/count/tally.js";
import { NO_PARENTS } from "../../src/campaign/program/lineage.js";
import { SeedJudge } from "../../src/campaign/run/judge-seed.js";
import { firstSeedThat } from "../../src/support/first-seed.js";
import { projectRoot } from "../../src/support/project-root.js";
import { trials } from "../../src/support/trials.js";

const script = (name: string): string => join(projectRoot(), "ci", "faults", name);
/** Its programs are judged, located and reduced quickly. */
const PROFILE = "small";
/** One program in twenty shows it. */
const PLANTED = { canary: "stale-load", subject: "ir-O2" };
const PLANTED_WORDS = ["--canary", PLANTED.canary, "--subject", PLANTED.subject];
const COUNT = 3;

/** The first seed that shows it once, followed by two that do not: it changes with the generator. */
function firstShown(): string {
  const { canary, subject } = PLANTED;
  const judge = new SeedJudge({ subjects: [subject], drawn: null, profile: PROFILE, canary });
  const foundIn = (seed: bigint): number =>
    judge.judge({ seed, parents: NO_PARENTS }, emptyTally()).length;
  const isAlone = (seed: bigint): boolean =>
    foundIn(seed) === 1 && foundIn(seed + 1n) + foundIn(seed + 2n) === 0;
  const seed = firstSeedThat(`a difference of ${canary}`, { from: 1n, count: 5000n }, isAlone);
  judge.close();
  return String(seed);
}

const onLinux = process.platform === "linux" ? test : test.skip;

onLinux("a worker that hangs does not outlive a campaign that is killed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-killed-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const child = spawn(process.execPath, [script("hanging-campaign.mjs"), join(folder, "reports")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: folder },
  });
  const text = await new Promise((resolve) => child.stdout.once("data", resolve));
  const worker = Number(String(text));
  await sleep(1000); // now it hangs
  t.true(isRunning(worker));
  child.kill("SIGKILL");
  const left = () => readdirSync(folder).filter((name) => name !== "reports");
  t.teardown(() => {
    if (isRunning(worker)) process.kill(worker, "SIGKILL");
  });
  while (isRunning(worker) || left().length > 0) await sleep(100);
  t.deepEqual(left(), []);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Each refuses one operation, and takes two campaigns with a report. */
const REFUSED = ["worker", "campaign"];
const atNight = trials(0, 1) > 0 ? onLinux : test.skip;

atNight("an operation on files that is refused costs a campaign nothing but a line", (t) => {
  const part = ["--from", "12", "--every", "100", "--roles", REFUSED.join(",")];
  const args = [
    "--seed",
    firstShown(),
    "--profile",
    PROFILE,
    "--count",
    `${COUNT}`,
    ...part,
    ...PLANTED_WORDS,
  ];
  const { status, stdout } = spawnSync(process.execPath, [script("inject-failures.mjs"), ...args], {
    encoding: "utf8",
  });
  t.is(status, 0, stdout);
  t.regex(stdout, /^undisturbed: seed \d+, status 1, 1 reports; /);
  for (const role of REFUSED) t.regex(stdout, new RegExp(`^whole ${role} 12 `, "m"));
});

atNight("a module that a worker cannot load costs a campaign nothing but a line", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-refused-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [reports, once] = [join(folder, "reports"), join(folder, "once")];
  const refused = { module: "/build/src/campaign/file/file-finding.js", once };
  const { status, stderr } = spawnSync(
    process.execPath,
    [script("planted-campaign.mjs"), reports, firstShown(), "1", PROFILE, ...PLANTED_WORDS],
    {
      encoding: "utf8",
      env: {
        ...process.env,
        TOUCHSTONE_MODULES: "1", // the bundle loads no module later
        NODE_OPTIONS: `--import ${pathToFileURL(script("refuse-module.mjs")).href}`,
        TOUCHSTONE_REFUSE_MODULE: JSON.stringify(refused),
      },
    },
  );
  t.is(status, 1, stderr);
  t.is(stderr.match(/^fuzz: /gm)?.length, 1, stderr);
  t.regex(stderr, /^fuzz: EMFILE: .*file-finding\.js/m);
  t.notRegex(stderr, /DEP0205/, "a warning of Node 26");
  const left = readdirSync(reports, { recursive: true, encoding: "utf8" });
  t.true(existsSync(once));
  t.is(left.filter((path) => path.endsWith("program.ir")).length, 1, "the report is whole");
});
