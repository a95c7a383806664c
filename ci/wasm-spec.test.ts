// Checks the status of ci/wasm-spec.mjs, in a folder whose path has a space.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

/** Runs the script on one file of assertions. */
function statusOf(assertions: string): { status: number | null; stdout: string } {
  const suites = mkdtempSync(join(tmpdir(), "touchstone suites "));
  try {
    mkdirSync(join(suites, "wasm-spec"));
    writeFileSync(join(suites, "wasm-spec", "x.wast"), assertions);
    const command = [join(projectRoot(), "ci/wasm-spec.mjs"), "--subjects", "ir-O2"];
    const env = { ...process.env, TOUCHSTONE_SUITES: suites };
    return spawnSync(process.execPath, command, { encoding: "utf8", env });
  } finally {
    rmSync(suites, { recursive: true });
  }
}

const MODULE = `(module (func $f (export "f") (param i32) (result i32)
  (if (result i32) (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 7)))))`;

test("an assertion without a verdict is no failure", (t) => {
  const { status, stdout } = statusOf(`${MODULE}
    (assert_return (invoke "f" (i32.const 1)) (i32.const 7))
    (assert_return (invoke "f" (i32.const 1000)) (i32.const 7))`);
  t.regex(stdout, /1 passed, 0 failed, 1 without a verdict/);
  t.is(status, 0);
});

test("an assertion that does not hold is a failure", (t) => {
  const { status, stdout } = statusOf(`${MODULE}
    (assert_return (invoke "f" (i32.const 1)) (i32.const 8))`);
  t.regex(stdout, /x\.wast:3: /);
  t.is(status, 1);
});
