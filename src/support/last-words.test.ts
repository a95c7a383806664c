// Tests that a process that died is described by its error, and not by the lines after the stack.

import { spawnSync } from "node:child_process";
import test from "ava";
import { lastWords } from "./last-words.js";

test("the description is the error before a stack, otherwise the last line", (t) => {
  const script = 'throw new TypeError("no such row")';
  const { stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  t.regex(stderr, /Node\.js v\S+\s*$/);
  t.is(lastWords(stderr), "TypeError: no such row");
  t.is(lastWords("warning\nCould not allocate\n"), "Could not allocate");
  const native =
    "node: uv_thread_create failed\n----- Native stack trace -----\n\n 1: 0xca5430  [node]\n";
  t.is(lastWords(native), "node: uv_thread_create failed");
  t.is(lastWords(""), "");
});
