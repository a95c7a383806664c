// Checks that a build without packages prints one line that names the fix.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

test("without packages, one line names the command to run", (t) => {
  const root = mkdtempSync(join(tmpdir(), "touchstone build "));
  t.teardown(() => rmSync(root, { recursive: true }));
  cpSync(join(projectRoot(), "ci"), join(root, "ci"), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "ci", "build.mjs")], {
    encoding: "utf8",
  });
  t.is(stderr, "build: the packages are not installed: run ci/setup first\n");
  t.is(stdout, "");
  t.is(status, 1);
});
