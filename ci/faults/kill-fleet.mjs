// Kills workers, the campaign and the database of a fleet at random moments, by SIGKILL. It resumes a killed campaign,
// and starts a worker and the database again. Each campaign must have the results of one process, with
// every seed once; the store must contain each announced finding; no process may remain.
//
// `node ci/faults/kill-fleet.mjs [--kills 12] [--seed 1] [--first 200] [--count 1500]`: runs campaigns of COUNT
// programs, one after the other, until there were KILLS kills. `--victims database --away 60` kills only the database,
// and starts it again after 60 seconds. Status 1 if anything was wrong. Needs Debian's PostgreSQL; Linux.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readOptions } from "../options.mjs";
import { isZombie, MARK, makeRandom, marked } from "./process-tree.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const CAMPAIGN = join(HERE, "planted-campaign.mjs");
const LAUNCHER = join(ROOT, "fuzz", "launcher.mjs");
const LOOK_AFTER_MS = 5000;
const { PostgresServer, postgresBinaries } = await import("../../build/ci/postgres-server.js");
const { CampaignStore } = await import("../../build/src/store/store.js");

const { values } = readOptions({
  options: {
    kills: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "200" },
    count: { type: "string", default: "1500" },
    victims: { type: "string", default: "worker,campaign,database" },
    away: { type: "string", default: "0" },
  },
});
const killsMax = Number(values.kills);
const count = Number(values.count);
const victims = values.victims.split(",");

const binaries = postgresBinaries();
if (binaries === null) {
  console.log("kill-fleet: skipped: there is no PostgreSQL on this machine");
  process.exit(0);
}

const random = makeRandom(Number(values.seed));
const mark = `kill-fleet-${process.pid}`;
const work = mkdtempSync(join(tmpdir(), "touchstone-kill-fleet-"));
const server = await PostgresServer.start(binaries);
const kills = { worker: 0, campaign: 0, database: 0 };
const killCount = () => Object.values(kills).reduce((sum, one) => sum + one, 0);
const said = [];

function start(args) {
  const env = { ...process.env, [MARK]: mark };
  const child = spawn(process.execPath, args, {
    ...{ cwd: work, env, stdio: ["ignore", "pipe", "inherit"] },
  });
  child.stdout.on("data", (data) => said.push(String(data)));
  child.ended = new Promise((resolve) => child.on("close", (status) => resolve(status)));
  return child;
}

const startWorker = () => start([LAUNCHER, "worker", "--store", server.url(), "--workers", "1"]);

async function kill(child) {
  child.kill("SIGKILL");
  await child.ended;
}

/** @param startCampaign gets the additions to its command */
async function runKilled(startCampaign, workers) {
  let campaign = startCampaign();
  const isOver = (ms) => Promise.race([campaign.ended, sleep(ms, null)]);
  while (killCount() < killsMax) {
    if ((await isOver(1500 + random(6000))) !== null) break;
    const victim = victims[random(victims.length)];
    kills[victim]++;
    if (victim === "worker") {
      const at = random(workers.length);
      await kill(workers[at]);
      workers[at] = startWorker();
    } else if (victim === "campaign") {
      await kill(campaign);
      campaign = startCampaign("--resume");
    } else {
      await server.kill();
      await isOver(Number(values.away) * 1000);
      await server.resume();
    }
  }
  // A campaign that starts before the database may end with status 3, and is resumed once more.
  for (let tries = 0; (await campaign.ended) === 3 && tries < 5; tries++) {
    campaign = startCampaign("--resume");
  }
}

/** Returns the results of a campaign, except for those that depend on the clock and the fleet. */
function summaryIn(folder) {
  const [name] = readdirSync(folder);
  const text = readFileSync(join(folder, name, "summary.json"), "utf8");
  const {
    seconds: _seconds,
    fleet: _fleet,
    ...summary
  } = JSON.parse(text.replaceAll(folder, "REPORTS"));
  return { ...summary, extremes: summary.extremes?.largest };
}

/** @returns the faults of the campaign with this first seed, in lines */
async function tryCampaign(first, workers) {
  const fleet = join(work, `fleet-${first}`);
  const alone = join(work, `alone-${first}`);
  const argsOf = (reports, ...more) => [CAMPAIGN, reports, first, String(count), "usual", ...more];
  spawnSync(process.execPath, argsOf(alone), { cwd: work, stdio: "ignore" });
  const before = said.length;
  await runKilled((...more) => start(argsOf(fleet, "--fleet", server.url(), ...more)), workers);
  const [expected, summary] = [summaryIn(alone), summaryIn(fleet)];
  const isWhole = JSON.stringify(summary.intervals) === JSON.stringify(expected.intervals);
  const text = said.slice(before).join("");
  const announced = text.match(/^found .*?, seed \d+/gm) ?? [];
  const missing = await missingFrom(announced);
  console.log(
    `seeds from ${first}: ${killCount()} kills so far, ${text.match(/: seeds /g)?.length ?? 0} intervals of workers, ${announced.length} findings announced, ${summary.tally.programs} programs`,
  );
  const wrong = missing.map((line) => `announced, but not in the store: ${line}`);
  if (!isWhole || summary.tally.programs !== count)
    wrong.push("the store does not contain every seed exactly once");
  if (JSON.stringify(summary) !== JSON.stringify(expected)) {
    wrong.push(`not as one process:\n${JSON.stringify(expected)}\n${JSON.stringify(summary)}`);
  }
  return wrong;
}

async function missingFrom(announced) {
  const store = await CampaignStore.open(server.url());
  const rows = await store.ask((db) =>
    db.selectFrom("findings").select(["symptom", "seed"]).execute(),
  );
  await store.close();
  const known = new Set(rows.map(({ symptom, seed }) => `found ${symptom}, seed ${seed}`));
  return announced.filter((line) => !known.has(line));
}

async function leftProcesses() {
  await sleep(LOOK_AFTER_MS);
  const left = [...marked(mark)].filter(([pid]) => !isZombie(pid));
  for (const [pid] of left) process.kill(pid, "SIGKILL");
  return left.map(([pid, command]) => `left: ${pid}: ${command}`);
}

try {
  const workers = [startWorker(), startWorker()];
  const wrong = [];
  for (let first = BigInt(values.first); killCount() < killsMax; first += BigInt(count)) {
    wrong.push(...(await tryCampaign(String(first), workers)));
  }
  for (const worker of workers) {
    if (worker.exitCode !== null) wrong.push("a worker ended without being killed");
    worker.kill("SIGTERM");
  }
  await Promise.all(workers.map(({ ended }) => ended));
  wrong.push(...(await leftProcesses()));
  const counts = Object.entries(kills).map(([victim, times]) => `${victim} ${times}`);
  for (const line of wrong) console.log(`WRONG: ${line}`);
  console.log(`${killCount()} kills (${counts.join(", ")}): ${wrong.length} wrong`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await server.remove();
  rmSync(work, { recursive: true });
}
