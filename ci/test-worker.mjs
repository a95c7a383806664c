// Loaded by ava in each test file's process before the file (`require` in package.json).

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";

const clockFolder = process.env.TOUCHSTONE_TEST_CLOCK;

/**
 * Processor time of the children that have ended, in seconds: fields cutime and cstime of proc(5),
 * in hundredths. Where there is no such file only the process's own time is known.
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

// How long the process ran, and on how much processor time, its children's too, for the table of
// `npm test`.
if (clockFolder !== undefined) {
  process.on("exit", () => {
    const file = fileURLToPath(test.meta.file)
      .replace(/^.*\/build\//, "")
      .replace(/js$/, "ts");
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6 + childSeconds();
    const clock = { file, seconds: performance.now() / 1000, cpuSeconds };
    // By a new name at once: ci/test.mjs reads it while others run.
    const path = join(clockFolder, String(process.pid));
    writeFileSync(path, JSON.stringify(clock));
    renameSync(path, `${path}.json`);
  });
}

// In TAP a failed assertion shows one line of its stack: ava's own. Leave ava's frames out, and it
// is the test's.
const capture = Error.captureStackTrace;
Error.captureStackTrace = (target, below) => {
  capture(target, below);
  const lines = String(target.stack).split("\n");
  target.stack = lines.filter((line) => !line.includes("/node_modules/ava/")).join("\n");
};
