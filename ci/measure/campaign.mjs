// Measures the cost of a campaign on this machine, which should have nothing else to do:
//
//   node ci/measure.mjs campaign store   [--pairs 8] [--count 6000]
//                          programs a second with a store, against none
//   node ci/measure.mjs campaign fleet   [--pairs 4] [--count 8000]
//                          with one worker of a fleet beside one process, on two processors, against one process on one
//   node ci/measure.mjs campaign soak    [--minutes 30]
//                          memory and rate over time, with a store
//
// Pairs have the same seeds, and exchange their order from pair to pair. Status 1 if a median misses its goal: 3 % for
// the store, 10 % below twice for the fleet, 10 % between the first and the last third of the soak. A process that may
// use two processors runs V8's threads on the second one, so for the fleet each is bound to one. Each of two processes
// judges as many programs as the single one, since the first thousand are slow.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MARK, marked } from "../faults/process-tree.mjs";
import { readOptions } from "../options.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LAUNCHER = join(ROOT, "fuzz", "launcher.mjs");
const { values, positionals } = readOptions({
  allowPositionals: true,
  options: {
    pairs: { type: "string" },
    count: { type: "string" },
    seed: { type: "string", default: "70000000" },
    minutes: { type: "string", default: "30" },
  },
});
const work = mkdtempSync(join(tmpdir(), "touchstone-measure-"));
const mark = `measure-${process.pid}`;

/** @returns the process, and a promise of its status */
const start = (...args) => startBound([], ...args);

/** @param bound a command that runs the rest of its line */
function startBound(bound, ...args) {
  const env = { ...process.env, [MARK]: mark };
  const [command, ...line] = [...bound, process.execPath, LAUNCHER, ...args];
  const child = spawn(command, line, { cwd: work, env, stdio: "ignore" });
  return { child, ended: new Promise((resolve) => child.on("close", resolve)) };
}

let runs = 0;

/** @returns programs a second of its loop, without the start */
async function rateOf(args, bound = []) {
  const reports = join(work, `reports-${runs++}`);
  const status = await startBound(bound, "run", "--reports", reports, ...args).ended;
  if (status > 1) throw new Error(`fuzz run ${args.join(" ")}: status ${status}`);
  const { tally, seconds } = readSummary(reports);
  rmSync(reports, { recursive: true });
  return tally.programs / seconds;
}

function readSummary(reports) {
  const [name] = readdirSync(reports);
  return JSON.parse(readFileSync(join(reports, name, "summary.json"), "utf8"));
}

const medianOf = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

const programs = (seed, count) => ["--seed", seed, "--count", String(count)];

/**
 * @param measure gets the first seed of both, and whether it is the second of the pair
 * @returns the median of second by first
 */
async function inPairs(pairs, count, measure) {
  const ratios = [];
  for (let p = 0; p < pairs; p++) {
    const seed = String(BigInt(values.seed) + BigInt(p) * BigInt(count));
    const rates = [0, 0];
    for (const second of p % 2 === 0 ? [0, 1] : [1, 0]) {
      rates[second] = await measure(seed, second === 1);
    }
    ratios.push(rates[1] / rates[0]);
    const shown = rates.map((rate) => rate.toFixed(1)).join(" and ");
    console.log(`pair ${p + 1}: ${shown} programs a second: ${ratios[p].toFixed(3)}`);
  }
  const median = medianOf(ratios);
  console.log(`median of ${pairs}: ${median.toFixed(3)}`);
  return median;
}

async function measureStore() {
  const workers = ["--workers", String(availableParallelism())];
  const store = join(work, "store");
  await rateOf(["--count", "1", "--store", store]); // a new folder is made before
  const count = Number(values.count ?? 6000);
  const median = await inPairs(Number(values.pairs ?? 8), count, (seed, isWith) =>
    rateOf([...programs(seed, count), ...workers, ...(isWith ? ["--store", store] : [])]),
  );
  return median >= 0.97;
}

const ON_ONE = ["taskset", "--cpu-list", "0"];
const ON_TWO = ["taskset", "--cpu-list", "0,1"];

async function measureFleet() {
  const { PostgresServer, postgresBinaries } = await import("../../build/ci/postgres-server.js");
  const binaries = postgresBinaries();
  if (binaries === null) throw new Error("there is no PostgreSQL on this machine");
  const server = await PostgresServer.start(binaries);
  const one = ["--workers", "1"];
  const fleet = ["--fleet", "--store", server.url()];
  try {
    const count = Number(values.count ?? 8000);
    const median = await inPairs(Number(values.pairs ?? 4), count, async (seed, isWith) => {
      const all = programs(seed, isWith ? 2 * count : count);
      if (!isWith) return rateOf([...all, ...one], ON_ONE);
      const worker = startBound(ON_TWO, "worker", "--store", server.url(), ...one);
      await sleep(5000); // it waits for a campaign by then
      const rate = await rateOf([...all, ...one, ...fleet], ON_TWO);
      worker.child.kill("SIGTERM");
      await worker.ended;
      return rate;
    });
    return median >= 1.8;
  } finally {
    await server.remove();
  }
}

const SAMPLE_SECONDS = 30;

/** Returns the resident memory of all processes of the campaign together, in MB. */
function memoryNow() {
  let pages = 0;
  for (const pid of marked(mark).keys()) {
    try {
      pages += Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    } catch {} // it has just ended
  }
  return (pages * 4096) / 2 ** 20;
}

function programsIn(reports) {
  try {
    const [name] = readdirSync(reports);
    const progress = JSON.parse(readFileSync(join(reports, name, "progress.json"), "utf8"));
    const { seconds, tally } = progress.summary;
    return { seconds, programs: tally.programs };
  } catch {
    return null; // not written yet
  }
}

async function soak() {
  const reports = join(work, "soak");
  const minutes = Number(values.minutes);
  const { ended } = start(
    ...["run", "--reports", reports, "--for", `${minutes * 60}s`],
    ...["--seed", values.seed, "--store", join(work, "store")],
  );
  const samples = [];
  let last = { seconds: 0, programs: 0 };
  while ((await Promise.race([ended, sleep(SAMPLE_SECONDS * 1000, "runs")])) === "runs") {
    const now = programsIn(reports);
    if (now === null || now.seconds <= last.seconds) continue;
    const rate = (now.programs - last.programs) / (now.seconds - last.seconds);
    const memory = memoryNow();
    samples.push({ rate, memory });
    console.log(
      `${Math.round(now.seconds)} s: ${rate.toFixed(1)} programs a second, ${memory.toFixed(0)} MB`,
    );
    last = now;
  }
  const third = Math.max(1, Math.floor(samples.length / 3));
  const ratioOf = (key) =>
    medianOf(samples.slice(-third).map((sample) => sample[key])) /
    medianOf(samples.slice(0, third).map((sample) => sample[key]));
  const [rate, memory] = [ratioOf("rate"), ratioOf("memory")];
  console.log(`last third by first: rate ${rate.toFixed(3)}, memory ${memory.toFixed(3)}`);
  const { tally, findings } = readSummary(reports);
  console.log(`${tally.programs} programs, ${findings.length} found`);
  for (const { bucket, seed } of findings) console.log(`seed ${seed}: ${bucket}`);
  return Math.abs(rate - 1) <= 0.1 && memory <= 1.1;
}

const MEASURES = { store: measureStore, fleet: measureFleet, soak };
const measure = MEASURES[positionals[0]];
if (measure === undefined) {
  console.error(`measure: campaign: expected one of ${Object.keys(MEASURES).join(", ")}`);
  process.exit(2);
}
try {
  const isGood = await measure();
  console.log(isGood ? "goal met" : "goal MISSED");
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(work, { recursive: true });
}
