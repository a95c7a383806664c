// A folder that one process has for itself. The lock is the system's: it ends with the process, however that
// ends, and leaves nothing behind.

import { closeSync, openSync } from "node:fs";
import koffi from "koffi";
import { MachineError, reasonOf } from "./machine-error.js";

/** Of flock(2): alone, and without waiting. */
const EXCLUSIVE_AT_ONCE = 2 | 4;

/**
 * @returns what gives the folder up; null if another process has it
 * @throws MachineError
 */
export function lockFolder(path: string): (() => void) | null {
  let folder: number;
  try {
    folder = openSync(path, "r");
  } catch (error) {
    throw new MachineError(`${path}: cannot be locked: ${reasonOf(error)}`, { cause: error });
  }
  const flock = koffi.load(null).func("int flock(int, int)");
  const release = (): void => closeSync(folder);
  if (flock(folder, EXCLUSIVE_AT_ONCE) === 0) return release;
  // A file system without locks has nobody to refuse.
  if (koffi.errno() !== koffi.os.errno["EWOULDBLOCK"]) return release;
  release();
  return null;
}
