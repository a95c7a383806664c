// Lets one process build at a time: two builds would write the same files.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 100;

/**
 * Waits until no other process builds, and takes the lock.
 * @param root folder of the project
 * @param onWait called once if it must wait
 * @returns a function that releases the lock
 */
export async function lockBuild(root, onWait) {
  const folder = join(root, ".touchstone");
  const file = join(folder, "building");
  let hasWaited = false;
  while (!take(file)) {
    if (!hasWaited) onWait();
    hasWaited = true;
    await sleep(LOOK_MS);
  }
  let isHeld = true;
  return () => {
    if (isHeld) rmSync(file, { force: true });
    isHeld = false;
  };
}

/** Returns false if a running process holds the lock. Removes the lock of a process that was killed. */
function take(file) {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST" || error.syscall !== "open")
      throw new Error(
        `${file} cannot be written (${error.code}): does another user own the clone?`,
      );
  }
  if (!isHeldByRunning(file)) rmSync(file, { force: true });
  return false;
}

function isHeldByRunning(file) {
  try {
    const holder = Number(readFileSync(file, "utf8"));
    if (holder === 0) return true; // it is being written
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
