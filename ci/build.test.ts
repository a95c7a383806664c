// A checkout without packages cannot be built, and says what is to be done, in one line.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

test("without packages one line says what to run", (t) => {
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
