// Runs the two scripts on a few puzzles: they are not modules of the build, so no other test loads them.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../../../src/support/project-root.js";

const SCRIPTS = [
  { name: "puzzles.mjs", line: /^one-pass +arm64 +4 .* 0 +\d+$/m },
  { name: "mutate-allocations.mjs", line: /^\d+ programs; seen and not rejected: 0$/m },
] as const;

for (const { name, line } of SCRIPTS) {
  test(`${name} runs, and finds nothing`, (t) => {
    const path = join(projectRoot(), "ci", "measure", "allocations", name);
    const words = [path, "--count", "4"];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    t.is(status, 0, stderr);
    t.regex(stdout, line);
  });
}
