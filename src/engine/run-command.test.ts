// Tests which part of a long standard error remains.

import test from "ava";
import { runCommand } from "./run-command.js";

test("a message before or after much text remains", async (t) => {
  const script =
    "echo first >&2; head -c 9000000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1";
  const { errors, death } = await runCommand({ path: "/bin/sh", args: ["-c", script] }, [], 60_000);
  t.is(death, "ended with status 1");
  t.true(errors.startsWith("first\nx"));
  t.true(errors.endsWith("xlast\n"));
  t.true(errors.length < 3_000_000, `${errors.length} characters`);
});
