// Runs ci/b3-spec.mjs on a script with an assertion that holds, and one that does not.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { engineTest } from "../src/engine/engine-test.js";
import { projectRoot } from "../src/support/project-root.js";

/** Runs the script on a file of WebAssembly; its path has a space. */
function run(text: string): { readonly status: number | null; readonly stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), "touchstone b3 "));
  try {
    writeFileSync(join(folder, "x.wast"), text);
    const command = [join(projectRoot(), "ci/b3-spec.mjs"), join(folder, "x.wast")];
    return spawnSync(process.execPath, command, { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SCRIPT = `(module
  (func (export "double") (param i32) (result i32) (i32.add (local.get 0) (local.get 0)))
  (func (export "least") (param f64 f32) (result f64) (f64.min (local.get 0) (f64.promote_f32 (local.get 1)))))
(assert_return (invoke "double" (i32.const 7)) (i32.const 14))
(assert_return (invoke "least" (f64.const -0.0) (f32.const 0)) (f64.const -0.0))
(assert_return (invoke "least" (f64.const nan) (f32.const 0)) (f64.const nan:canonical))
`;

/** Declares a test that needs JavaScriptCore and wabt's program. */
function specTest(title: string, check: (t: ExecutionContext) => void): void {
  const hasWabt = spawnSync("wast2json", ["--version"]).status === 0;
  if (hasWabt) engineTest(test, "jsc-b3", title, async (t) => check(t));
  else test.skip(`${title}: there is no wast2json: apt-get install wabt`, (t) => t.fail());
}

specTest("a script of the specification runs through B3", (t) => {
  const { status, stdout } = run(SCRIPT);
  t.regex(stdout, /^1 files +2 +38 +\d+ +\d+ +0 +\d+ +0 +0 +3 +0$/m);
  t.is(status, 0);
});

specTest("a value that differs is found", (t) => {
  const { status, stdout } = run(SCRIPT.replace("i32.const 14", "i32.const 15"));
  t.regex(stdout, /^x\.wast:4: double gives 14, expected 15$/m);
  t.is(status, 1);
});
