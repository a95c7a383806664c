// Loaded by ava in the process of each test file before the file (`require` in package.json).

import { fileURLToPath } from "node:url";
import test from "ava";
import { checkImmediates } from "../build/src/ir/immediates.js";
import { judgeMany } from "../build/src/support/v8-flags.js";
import { lap, leaveClock } from "./test-groups/clock.mjs";
import { tellRunning } from "./test-groups/running.mjs";

judgeMany();
checkImmediates();

const file = fileURLToPath(test.meta.file)
  .replace(/^.*\/build(-groups[^/]*)?\//, "")
  .replace(/js$/, "ts");
tellRunning(file); // a group records titles instead

// Records the time and processor time of the process, for the table of `npm test`. For a group it is the rest after
// its files.
process.on("exit", () => leaveClock(file, lap()));

// In TAP a failed assertion shows one line of its stack: ava's own. Without ava's frames the line is the test's.
const capture = Error.captureStackTrace;
Error.captureStackTrace = (target, below) => {
  capture(target, below);
  const lines = String(target.stack).split("\n");
  target.stack = lines.filter((line) => !line.includes("/node_modules/ava/")).join("\n");
};
