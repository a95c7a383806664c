// Tests that a program that hangs when run for its version, or leaves children that hold its output open, is not waited
// for.

import test from "ava";
import { askProgram } from "./ask-program.js";

for (const [name, script, said] of [
  ["ignores signals", "trap '' TERM; echo 1.2; while :; do sleep 1; done", "1.2\n"],
  ["leaves a child with its output", "setsid sleep 300 & echo 1.3", "1.3\n"],
] as const) {
  test(`a program that ${name} is not waited for`, (t) => {
    const { stdout } = askProgram("/bin/sh", ["-c", script], { timeMs: 1500 });
    t.is(stdout, said);
  });
}
