// Tests that a locked folder is refused to another process until the first one ends.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { lockFolder } from "./lock-folder.js";

const MODULE = new URL("./lock-folder.js", import.meta.url).href;

test("a folder has one owner, until that one releases it or dies", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-lock-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const release = lockFolder(folder);
  t.not(release, null);
  t.is(lockFolder(folder), null);
  release?.();

  const script = `import { lockFolder } from ${JSON.stringify(MODULE)};
    lockFolder(${JSON.stringify(folder)});
    console.log("locked");
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "--eval", script];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const closed = new Promise((resolve) => child.on("close", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  t.is(lockFolder(folder), null, "another process has it");
  child.kill("SIGKILL");
  await closed;
  const again = lockFolder(folder);
  t.not(again, null, "the lock died with its process");
  again?.();
  t.deepEqual(readdirSync(folder), []);
});
