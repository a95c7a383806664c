// Loaded by ava in each test file's process before the file (`require` in package.json).

import { fileURLToPath } from "node:url";
import test from "ava";
import { judgeMany } from "../build/src/support/v8-flags.js";
import { lap, leaveClock } from "./test-groups/clock.mjs";
import { tellRunning } from "./test-groups/running.mjs";

judgeMany();

const file = fileURLToPath(test.meta.file)
  .replace(/^.*\/build(-groups[^/]*)?\//, "")
  .replace(/js$/, "ts");
tellRunning(file); // a group tells titles instead

// How long the process ran, and on how much processor time, for the table of `npm test`. Of a group it is what
// is left when its files have had theirs.
process.on("exit", () => leaveClock(file, lap()));

// In TAP a failed assertion shows one line of its stack: ava's own. Leave ava's frames out, and it
// is the test's.
const capture = Error.captureStackTrace;
Error.captureStackTrace = (target, below) => {
  capture(target, below);
  const lines = String(target.stack).split("\n");
  target.stack = lines.filter((line) => !line.includes("/node_modules/ava/")).join("\n");
};
