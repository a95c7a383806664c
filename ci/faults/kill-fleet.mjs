// Kills workers, the campaign and the database of a fleet at random moments. The campaign is resumed each time, and
// must come to what one process comes to; each finding that was announced must be in the store.
//
// `node ci/faults/kill-fleet.mjs [--kills 12] [--seed 1] [--first 200] [--count 300]`. Needs Debian's PostgreSQL.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const CAMPAIGN = join(HERE, "planted-campaign.mjs");
const LAUNCHER = join(ROOT, "fuzz", "launcher.mjs");
const { PostgresServer, postgresBinaries } = await import("../../build/ci/postgres-server.js");
const { Store } = await import("../../build/src/store/store.js");

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "200" },
    count: { type: "string", default: "300" },
  },
});

const binaries = postgresBinaries();
if (binaries === null) {
  console.log("kill-fleet: skipped: there is no PostgreSQL on this machine");
  process.exit(0);
}

/** A generator of Park and Miller: which moments and victims, and nothing else. */
let state = Number(values.seed);
function random(end) {
  state = (state * 48_271) % 0x7fff_ffff;
  return state % end;
}

const work = mkdtempSync(join(tmpdir(), "touchstone-kill-fleet-"));
const server = await PostgresServer.start(binaries);
const said = [];

function start(args) {
  const child = spawn(process.execPath, args, { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.on("data", (data) => said.push(String(data)));
  child.ended = new Promise((resolve) => child.on("close", (status) => resolve(status)));
  return child;
}

const campaignArgs = (reports, ...more) => [
  CAMPAIGN,
  ...[join(work, reports), values.first, values.count, "usual", ...more],
];
const startCampaign = (...more) => start(campaignArgs("fleet", "--fleet", server.url(), ...more));
const startWorker = () => start([LAUNCHER, "worker", "--store", server.url(), "--workers", "1"]);

/** What a campaign has come to, but for what the clock and the fleet decide. */
function summaryOf(reports) {
  const [name] = readdirSync(join(work, reports));
  const text = readFileSync(join(work, reports, name, "summary.json"), "utf8");
  const {
    seconds: _seconds,
    fleet: _fleet,
    ...summary
  } = JSON.parse(text.replaceAll(join(work, reports), "REPORTS"));
  return JSON.stringify({ ...summary, extremes: summary.extremes?.largest });
}

async function kill(child) {
  child.kill("SIGKILL");
  await child.ended;
}

/** @returns how often each was killed */
async function runKilled() {
  let campaign = startCampaign();
  const workers = [startWorker(), startWorker()];
  const kills = { worker: 0, campaign: 0, database: 0 };
  const isOver = (ms) => Promise.race([campaign.ended, sleep(ms, null)]);
  for (let done = 0; done < Number(values.kills); done++) {
    if ((await isOver(1500 + random(6000))) !== null) break;
    const victim = ["worker", "campaign", "database"][random(3)];
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
      await server.resume();
    }
  }
  // A campaign that is killed while the database starts may end with status 3, and is resumed once more.
  for (let tries = 0; (await campaign.ended) === 3 && tries < 5; tries++) {
    campaign = startCampaign("--resume");
  }
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));
  return kills;
}

async function missingFindings() {
  const announced = said.join("").match(/^found .*?, seed \d+/gm) ?? [];
  const store = await Store.open(server.url());
  const rows = await store.ask((db) =>
    db.selectFrom("findings").select(["symptom", "seed"]).execute(),
  );
  await store.close();
  const known = new Set(rows.map(({ symptom, seed }) => `found ${symptom}, seed ${seed}`));
  return announced.filter((line) => !known.has(line));
}

try {
  spawnSync(process.execPath, campaignArgs("alone"), { cwd: work, stdio: "ignore" });
  const kills = await runKilled();
  const missing = await missingFindings();
  const isEqual = summaryOf("fleet") === summaryOf("alone");
  const counts = Object.entries(kills).map(([victim, count]) => `${victim} ${count}`);
  console.log(
    `killed: ${counts.join(", ")}; delivered: ${said.join("").match(/: seeds /g)?.length ?? 0}`,
  );
  if (!isEqual) console.log(`DIFFERENT\n${summaryOf("alone")}\n${summaryOf("fleet")}`);
  for (const line of missing) console.log(`ANNOUNCED, BUT NOT IN THE STORE: ${line}`);
  console.log(isEqual && missing.length === 0 ? "as one process" : "NOT as one process");
  process.exitCode = isEqual && missing.length === 0 ? 0 : 1;
} finally {
  await server.remove();
  rmSync(work, { recursive: true });
}
