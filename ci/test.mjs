// `npm test`: builds, runs every test, and prints which file has ended and how long it took. The last line is
// `N passed, N failed, N skipped`; the status is 1 if a test failed, if none ran, or if ava died.
//
// Without arguments, several files share a process (test-groups/). Sources and their folders may be named: `npm test --
// src/oracle/fast/oracle.test.ts --match='*fuel*'`. Other arguments go to ava, and each file has a process of its own.
// With `TOUCHSTONE_TESTS=nightly` tests try more (src/support/trials.ts).
//
// The script counts tests itself, line by line, because ava's totals misname a skipped test and a crashed file.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { placeGroups } from "./test-groups/place-groups.mjs";
import { watchStalls } from "./test-groups/stalled.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

// The budget of each kind of test in seconds of processor time, which depends less on other work than the
// clock does: its cost on a quiet machine with all engines, and a little more. The first row whose
// pattern matches a file takes it.
// biome-ignore format: a table
const BUDGETS = [
  { kind: "distribution",              seconds: 8,   files: /distribution/ },
  { kind: "canaries",                  seconds: 24,  files: /canar/ },
  { kind: "fixed-seed campaign",       seconds: 45,  files: /campaign/ },
  { kind: "replay of jsfuzz corpora",  seconds: 4,   files: /jsfuzz|replay/ },
  { kind: "encoders",                  seconds: 11,  files: /encod|assembler|x64|arm64/ },
  { kind: "golden and regressions",    seconds: 17,  files: /golden|regress|conform|suites/ },
  { kind: "faults, fleets and stores", seconds: 36,  files: /faults|^src\/(fleet|store)\// },
  { kind: "commands",                  seconds: 98,  files: /^fuzz\// },
  { kind: "engines of others",         seconds: 50,  files: /^src\/(engine|export|import|library)\// },
  { kind: "the solver",                seconds: 15,  files: /^src\/prove\// },
  { kind: "laws and units",            seconds: 168, files: /./ },
];
/** The budget of the whole run: less than the sum of the kinds (docs/tests.md). */
const TOTAL = { seconds: 240, cpuSeconds: 450 };
/** The number of slowest tests that are listed. */
const DEAREST = 40;
/** The interval in which ended files are printed. */
const SHOW_MS = 500;
/** The processor time that one test may use, or the time that it may wait: less than the limit of ava. */
const STALL_SECONDS = process.env.TOUCHSTONE_TESTS === "nightly" ? 540 : 180;

const counts = { passed: 0, failed: 0, skipped: 0 };

/** Reads TAP. Prints failures with their evidence at once, and the output of tests. */
function makeReader() {
  let isInFailure = false;
  return (line) => {
    const result = /^(not )?ok \d+(.*)$/.exec(line);
    if (result !== null) {
      const isOk = result[1] === undefined;
      const isSkipped = / # (SKIP|TODO)\b/.test(result[2]);
      isInFailure = !isOk && !isSkipped;
      counts[isSkipped ? "skipped" : isOk ? "passed" : "failed"]++;
    } else if (/^(TAP version|1\.\.\d|---$|# (tests|pass|skip|fail) \d)/.test(line)) {
      isInFailure = false;
    }
    if (isInFailure) console.log(line);
    if (line === "  ...") isInFailure = false;
  };
}

// Replaces the name of a source by that of its output, and that of a folder of sources by a pattern; other arguments
// go to ava unchanged.
function argumentFor(given) {
  const name = given.replace(/^\.\//, "").replace(/\/$/, "");
  if (name.endsWith(".test.ts")) return `build/${name.replace(/ts$/, "js")}`;
  return existsSync(join(ROOT, "build", name)) ? `build/${name}/**/*.test.js` : given;
}

/**
 * Prints a line for each test file that has ended, when it has written its clock.
 * @param fileCount number of files that run; null if ava finds them
 */
function showEnded(clockFolder, fileCount) {
  const shown = new Set();
  const of = fileCount === null ? "" : ` of ${fileCount}`;
  let endedCount = 0;
  const show = () => {
    for (const name of readdirSync(clockFolder)) {
      if (shown.has(name) || !name.endsWith(".json")) continue;
      shown.add(name);
      const { seconds, file } = JSON.parse(readFileSync(join(clockFolder, name), "utf8"));
      if (!file.includes("/")) continue; // the rest of a group's process is not a file
      endedCount++;
      console.log(
        `${String(endedCount).padStart(4)}${of}  ${seconds.toFixed(1).padStart(6)} s  ${file}`,
      );
    }
  };
  const timer = setInterval(show, SHOW_MS);
  return () => {
    clearInterval(timer);
    show();
  };
}

/**
 * Node reads the certificates of NODE_EXTRA_CA_CERTS at each start, 0.07 s for those of a distribution, and tests
 * start hundreds of processes. Only the nightly run contacts a server: a registry.
 */
function environment() {
  const { NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
  return process.env.TOUCHSTONE_TESTS === "nightly" ? process.env : others;
}

/** @param what arguments of ava: files, patterns, options */
async function runAva(what, clockFolder) {
  const ava = join(ROOT, "node_modules", "ava", "entrypoints", "cli.mjs");
  const child = spawn(process.execPath, [ava, "--tap", ...what], {
    cwd: ROOT,
    env: { ...environment(), TOUCHSTONE_TEST_CLOCK: clockFolder, TOUCHSTONE_NO_BUILD: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise((resolve) => {
    child.on("error", (error) => resolve(String(error)));
    child.on("close", (status, signal) => resolve(signal ?? status));
  });
  const read = makeReader();
  const stalls = watchStalls(clockFolder, 1000 * STALL_SECONDS, console.log);
  for await (const line of createInterface({ input: child.stdout })) {
    stalls.progress();
    read(line);
  }
  stalls.stop();
  return closed;
}

const readClocks = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
    .sort((x, y) => y.cpuSeconds - x.cpuSeconds);

const row = (seconds, cpuSeconds, rest) =>
  `${seconds.toFixed(1).padStart(7)} s ${cpuSeconds.toFixed(1).padStart(7)} s cpu  ${rest}`;

const sum = (clocks, key) => clocks.reduce((total, clock) => total + clock[key], 0);

function printTimes(clocks, wallSeconds) {
  console.log("\nwhere the time went, by file:");
  for (const { seconds, cpuSeconds, file } of clocks) console.log(row(seconds, cpuSeconds, file));
  const tests = clocks.flatMap((clock) => clock.tests.map((one) => ({ ...one, file: clock.file })));
  const dearest = tests.sort((x, y) => y.cpuSeconds - x.cpuSeconds).slice(0, DEAREST);
  if (dearest.length > 0) console.log(`the ${dearest.length} slowest tests:`);
  for (const { seconds, cpuSeconds, file, title } of dearest) {
    console.log(row(seconds, cpuSeconds, `${file} › ${title}`));
  }
  console.log("by kind:");
  for (const budget of BUDGETS) {
    const own = clocks.filter(
      ({ file }) => BUDGETS.find(({ files }) => files.test(file)) === budget,
    );
    const cpuSeconds = sum(own, "cpuSeconds");
    const verdict = cpuSeconds > budget.seconds ? "  OVER BUDGET" : "";
    const name = `${budget.kind} (budget ${budget.seconds} s cpu)${verdict}`;
    if (own.length > 0) console.log(row(sum(own, "seconds"), cpuSeconds, name));
  }
  const cpuSeconds = sum(clocks, "cpuSeconds");
  const isOver = wallSeconds > TOTAL.seconds || cpuSeconds > TOTAL.cpuSeconds;
  const budget = `budget ${TOTAL.seconds} s, ${TOTAL.cpuSeconds} s cpu`;
  const all = `all, from the first to the last (${budget})${isOver ? "  OVER BUDGET" : ""}`;
  console.log(row(wallSeconds, cpuSeconds, all));
}

/** Finds named sources of tests that do not exist. Ava would skip them, and run the others. */
const missingAmong = (given) =>
  given.filter((name) => name.endsWith(".test.ts") && !existsSync(join(ROOT, name)));

async function main() {
  const missing = missingAmong(process.argv.slice(2));
  if (missing.length > 0) {
    console.log(`no such test: ${missing.join(", ")}; give files relative to the project's root`);
    process.exitCode = 1;
    return;
  }
  const startedAt = performance.now();
  const build = spawnSync(process.execPath, [join(ROOT, "ci", "build.mjs")], { stdio: "inherit" });
  if (build.status !== 0) {
    counts.failed++;
  } else {
    const clockFolder = mkdtempSync(join(tmpdir(), "touchstone-clock-"));
    const given = process.argv.slice(2).map(argumentFor);
    const groups = given.length > 0 ? null : placeGroups(ROOT);
    const stop = showEnded(clockFolder, groups?.fileCount ?? null);
    // Ava gets the signal too, and ends: finished tests are counted, the others are not.
    process.on("SIGINT", () => {});
    const status = await runAva(groups?.files ?? given, clockFolder);
    stop();
    groups?.remove();
    if (status !== 0 && counts.failed === 0) {
      console.log(`not ok: ava ended with ${status}`);
      counts.failed++;
    }
    printTimes(readClocks(clockFolder), (performance.now() - startedAt) / 1000);
    if (groups !== null)
      console.log(`${groups.leftCount} files run only in the nightly run: docs/tests.md`);
    rmSync(clockFolder, { recursive: true });
  }
  if (counts.passed + counts.failed === 0) console.log("no test ran");
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
}

await main();
