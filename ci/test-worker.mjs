// Loaded by ava in each test file's process before the file (`require` in package.json).

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";

const clockFolder = process.env.TOUCHSTONE_TEST_CLOCK;

// How long the process ran, and on how much processor time, for the table of `npm test`.
if (clockFolder !== undefined) {
  process.on("exit", () => {
    const file = fileURLToPath(test.meta.file)
      .replace(/^.*\/build\//, "")
      .replace(/js$/, "ts");
    const { user, system } = process.cpuUsage();
    const clock = { file, seconds: performance.now() / 1000, cpuSeconds: (user + system) / 1e6 };
    writeFileSync(join(clockFolder, `${process.pid}.json`), JSON.stringify(clock));
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
