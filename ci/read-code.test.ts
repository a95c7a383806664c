// A short sample of the nightly run of read-code.mjs: code matches its requests, and a wrong encoding is found.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "ava";
import { programOf } from "../src/campaign/program/seeds.js";
import { Op } from "../src/ir/opcodes.js";
import { Double } from "../src/ir/types.js";
import { firstSeedThat } from "../src/support/first-seed.js";
import { projectRoot } from "../src/support/project-root.js";

function readCode(...args: readonly string[]) {
  const script = join(projectRoot(), "ci", "read-code.mjs");
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
}

test("a disassembler reads the code of programs as requested", (t) => {
  const { status, stdout, stderr } = readCode("--seed", "27", "--count", "6");
  t.is(status, 0, stdout + stderr);
  t.regex(
    stdout,
    /^12 images, \d{4,} instructions, \d{2,} with labels: 0 that the disassembler reads differently$/m,
  );
});

/** The planted encoding is that of loads of Doubles. */
function loadsDoubles(seed: bigint): boolean {
  let count = 0;
  programOf(seed).module.entry.forEachValue(({ opcode, type }) => {
    if (opcode === Op.Load && type === Double) count++;
  });
  return count >= 4;
}

test("a wrong encoding is read as another instruction", (t) => {
  const seed = firstSeedThat("four loads of Doubles", { from: 1n, count: 500n }, loadsDoubles);
  const { status, stdout } = readCode("--seed", `${seed}`, "--count", "4", "--planted");
  t.is(status, 1);
  t.regex(stdout, /^seed \d+, x64-\S+: movsd .*, at \d+, is 660f28\w*: reads movapd /m);
});
