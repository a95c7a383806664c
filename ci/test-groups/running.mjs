// Records the test that a process runs: a file in the folder TOUCHSTONE_TEST_CLOCK, which stalled.mjs reads. Without
// the folder nothing is written.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const END = ".running";
const folder = process.env.TOUCHSTONE_TEST_CLOCK;

/** Records the test as running from now on. @param title title of a test, or the file if titles are not known */
export function tellRunning(title) {
  if (folder !== undefined) writeFileSync(join(folder, `${process.pid}${END}`), title);
}

/** @returns a map from process to its last recorded title; the process may have ended since */
export function allRunning(clockFolder) {
  const names = readdirSync(clockFolder).filter((name) => name.endsWith(END));
  return new Map(
    names.map((name) => [Number.parseInt(name, 10), readFileSync(join(clockFolder, name), "utf8")]),
  );
}
