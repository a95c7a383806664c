// Tests that ci/measure.mjs lists its measurements and refuses other names, and that Ctrl-C ends long ones with their
// results so far.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { INTERRUPTED } from "../../fuzz/support/long-work.js";
import { capture, interrupted } from "../../fuzz/support/run-here.js";
import { emulatorTest } from "../../src/execute/unicorn-available.js";
import { projectRoot } from "../../src/support/project-root.js";
import { run as bench } from "./bench/bench.js";
import { run as allocators } from "./growth/allocators.js";
import { run as growth } from "./growth/growth.js";
import { run as kernels } from "./kernels/bench-kernels.js";

const measure = (...args: string[]) =>
  spawnSync(process.execPath, [join(projectRoot(), "ci", "measure.mjs"), ...args], {
    encoding: "utf8",
    env: { ...process.env, TOUCHSTONE_NO_BUILD: "1" },
  });

test("the list has each measurement, and another name is refused with the list", (t) => {
  const { status, stdout } = measure();
  t.is(status, 0);
  const names = stdout.split("\n").flatMap((line) => /^[a-z]+/.exec(line)?.[0] ?? []);
  t.true(names.length >= 11, stdout);
  const refused = measure("nothing");
  t.is(refused.status, 2);
  t.is(refused.stderr, `measure: nothing: expected one of ${names.join(", ")}\n`);
});

test("a module and a script run; wrong options are refused", (t) => {
  const { status, stdout, stderr } = measure("distribution", "--count", "3");
  t.is(status, 1, stderr);
  t.regex(stdout, /\nbelow the floor: /);
  t.is(measure("puzzles", "--count", "2").status, 0);
  const wrong = measure("score", "--profile", "smal");
  t.is(wrong.status, 2);
  t.regex(wrong.stderr, /^measure: .*no such profile; did you mean small\?/);
  const near = measure("score", "--seeds", "1,20001,2", "--count", "9");
  t.is(near.status, 2);
  t.regex(near.stderr, /^measure: --seeds 1,2: expected first seeds at a distance of at least 9 /);
  t.is(measure("growth", "--nothing").status, 2);
});

for (const [name, run, needsEmulator] of [
  ["bench", () => bench({ seed: "1", count: "1" }), true],
  ["kernels", () => kernels({}), true],
  ["allocators", allocators, false],
  ["growth", growth, false],
] as const) {
  const serial = needsEmulator ? emulatorTest(test.serial) : test.serial;
  serial(`${name}: Ctrl-C prints the results so far`, async (t: ExecutionContext) => {
    const before = process.listenerCount("SIGINT");
    const { status, out, error } = await interrupted(() => capture(run));
    t.is(status, 0, error);
    t.is(out.split("\n")[0], INTERRUPTED);
    t.is(process.listenerCount("SIGINT"), before);
  });
}
