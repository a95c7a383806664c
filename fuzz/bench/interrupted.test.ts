// Tests that `fuzz bench` ends by Ctrl-C with its results so far, and reports that they are
// incomplete.

import test, { type ExecutionContext } from "ava";
import { emulatorTest } from "../../src/execute/unicorn-available.js";
import { INTERRUPTED } from "../support/long-work.js";
import { runInterrupted } from "../support/run-here.js";

for (const [option, needsEmulator] of [
  ["--count=1", true],
  ["--kernels", true],
  ["--allocators", false],
  ["--growth", false],
] as const) {
  const serial = needsEmulator ? emulatorTest(test.serial) : test.serial;
  serial(`bench ${option}: Ctrl-C prints the results so far`, async (t: ExecutionContext) => {
    const before = process.listenerCount("SIGINT");
    const { status, out, error } = await runInterrupted(["bench", option]);
    t.is(status, 0, error);
    t.is(out.split("\n")[0], INTERRUPTED);
    t.is(process.listenerCount("SIGINT"), before);
    const told = await runInterrupted(["bench", option, "--json"]);
    t.is(told.status, 0, told.error);
    t.true(JSON.parse(told.out).interrupted);
  });
}
