// Tests that a command of others ends with the process that started it, and so does everything in
// its group.

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";

const onLinux = process.platform === "linux" ? test : test.skip;

/** Starts a shell that waits for a child, and prints the child's process number. */
const SCRIPT = `
  import { spawnBound } from ${JSON.stringify(new URL("./bound-process.js", import.meta.url).href)};
  const child = spawnBound({ path: "/bin/sh", args: ["-c", "sleep 100000 & echo $!; wait"] });
  child.stdout.pipe(process.stdout);
  setInterval(() => {}, 1000);
`;

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

onLinux("the child of a command ends with a process that is killed", async (t) => {
  const owner = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = await new Promise<number>((resolve) => {
    owner.stdout.once("data", (text: Buffer) => resolve(Number(text.toString())));
  });
  t.teardown(() => {
    if (isThere(pid)) process.kill(pid, "SIGKILL");
  });
  t.true(isThere(pid));
  owner.kill("SIGKILL");
  while (isThere(pid)) await sleep(50);
  t.false(isThere(pid));
});
