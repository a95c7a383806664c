#!/usr/bin/env node
// Checks that each change of corpus/planted still applies, and with --types that it compiles, which requires a build.
// `node ci/measure.mjs score` plants them and searches for them.
//
//   node ci/planted.mjs --check [--types] [ID ...]
//
// Status 0: all do; 1: some do not; 2: wrong usage.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "corpus", "planted");

const ids = () =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** Returns null if the change applies; else git's message. */
function faultOf(id) {
  const patch = join(folder, id, "change.patch");
  const { status, stderr } = spawnSync("git", ["apply", "--check", patch], {
    cwd: root,
    encoding: "utf8",
  });
  return status === 0 ? null : stderr.trim().split("\n")[0];
}

const { values: given, positionals } = readOptions({
  allowPositionals: true,
  options: {
    check: { type: "boolean", default: false },
    types: { type: "boolean", default: false },
  },
});
const chosen = positionals.length > 0 ? positionals : ids();
const unknown = chosen.find((id) => !existsSync(join(folder, id, "change.patch")));
if (unknown !== undefined) {
  console.error(`planted: ${unknown}: corpus/planted has no folder of this name`);
  process.exit(2);
}
if (!given.check) {
  console.error(
    "planted: --check is all it does: to look for the bugs, run node ci/measure.mjs score",
  );
  process.exit(2);
}
const faults = chosen.flatMap((id) => {
  const fault = faultOf(id);
  return fault === null ? [] : [`${id}: ${fault}`];
});
for (const fault of faults) console.log(fault);
console.log(`${chosen.length - faults.length} of ${chosen.length} changes apply`);
if (given.types) {
  const { plantedTypeFaults } = await import("../build/ci/measure/score/planted-types.js");
  const patches = chosen.map((id) => [id, join(folder, id, "change.patch")]);
  const wrong = plantedTypeFaults(new Map(patches));
  for (const fault of wrong) console.log(fault);
  console.log(`${chosen.length - wrong.length} of ${chosen.length} changes compile`);
  faults.push(...wrong);
}
process.exitCode = faults.length === 0 ? 0 : 1;
