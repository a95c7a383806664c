// Measures the time and processor time of test files, with their children, for the table of `npm test`.
// Each file writes a clock, a file of JSON in the folder TOUCHSTONE_TEST_CLOCK; without the folder nothing is written.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.TOUCHSTONE_TEST_CLOCK;

/**
 * Returns the processor time of the ended children, in seconds: fields cutime and cstime of proc(5),
 * in hundredths. Without such a file only the process's own time is measured.
 */
function childSeconds() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

/** Returns the times of this process since its start. */
function taken() {
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6 + childSeconds();
  return { seconds: performance.now() / 1000, cpuSeconds };
}

let clockCount = 0;
let counted = { seconds: 0, cpuSeconds: 0 };

/** Returns the times since the last call, or since the start of the process: a lap. */
export function lap() {
  const now = taken();
  const { seconds, cpuSeconds } = counted;
  counted = now;
  return { seconds: now.seconds - seconds, cpuSeconds: now.cpuSeconds - cpuSeconds };
}

export const sumOf = (x, y) => ({
  seconds: x.seconds + y.seconds,
  cpuSeconds: x.cpuSeconds + y.cpuSeconds,
});

/** @param tests its laps, `{ title, seconds, cpuSeconds }`: tests that wait at the same time share theirs */
export function leaveClock(file, { seconds, cpuSeconds }, tests = []) {
  if (folder === undefined) return;
  // By a rename: ci/test.mjs reads it while others run.
  const path = join(folder, `${process.pid}-${clockCount++}`);
  writeFileSync(path, JSON.stringify({ file, seconds, cpuSeconds, tests }));
  renameSync(path, `${path}.json`);
}
