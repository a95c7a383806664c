// One build at a time, and a campaign of one build.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { checkBuild, isBuildReplaced } from "../src/support/build-id.js";
import { projectRoot } from "../src/support/project-root.js";

// The module of the builder is plain JavaScript, without types.
const { lockBuild } = (await import(
  pathToFileURL(join(projectRoot(), "ci", "build-lock.mjs")).href
)) as { lockBuild(root: string, onWait: () => void): Promise<() => void> };

const root = mkdtempSync(join(tmpdir(), "touchstone-lock-"));
const lock = join(root, ".touchstone", "building");
test.after.always(() => rmSync(root, { recursive: true }));

test.serial("a second build waits for the first", async (t) => {
  const order: string[] = [];
  const release = await lockBuild(root, () => t.fail("nothing else builds"));
  const second = lockBuild(root, () => {
    order.push("waits");
    release();
    order.push("released");
  }).then((free) => {
    order.push("builds");
    free();
  });
  await second;
  t.deepEqual(order, ["waits", "released", "builds"]);
  t.false(existsSync(lock));
});

test.serial("the lock of a process that was killed is no lock", async (t) => {
  const { pid } = spawnSync("true");
  mkdirSync(join(root, ".touchstone"), { recursive: true });
  writeFileSync(lock, String(pid));
  (await lockBuild(root, () => {}))();
  t.false(existsSync(lock));
});

test("a lock that cannot be written is an error that names it", async (t) => {
  writeFileSync(join(root, "file"), "");
  await t.throwsAsync(
    lockBuild(join(root, "file"), () => {}),
    { message: /building cannot be written \(\w+\): does another user own the clone\?$/ },
  );
});

test("a process of a campaign refuses another build than the campaign's", (t) => {
  t.false(isBuildReplaced());
  t.notThrows(checkBuild);
  const module = JSON.stringify(new URL("../src/support/build-id.js", import.meta.url).href);
  const told = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `try { (await import(${module})).checkBuild(); } catch ({ name, message }) { console.log(name, message); }`,
    ],
    { encoding: "utf8", env: { ...process.env, TOUCHSTONE_PINNED_BUILD: "script-0.js" } },
  );
  t.regex(told.stdout, /^MachineError the project was rebuilt /);
});

test("a campaign whose build was replaced before its first worker ends at once", (t) => {
  const launcher = join(projectRoot(), "fuzz", "launcher.mjs");
  const args = [
    "run",
    "--count",
    "100",
    "--subjects",
    "ir-O2",
    "--workers",
    "1",
    "--reports",
    root,
  ];
  const { status, stderr } = spawnSync(process.execPath, [launcher, ...args], {
    encoding: "utf8",
    env: { ...process.env, TOUCHSTONE_PINNED_BUILD: "script-0.js" },
    timeout: 120_000,
  });
  t.is(status, 3);
  t.is(stderr.split("the project was rebuilt").length, 2, stderr);
});
