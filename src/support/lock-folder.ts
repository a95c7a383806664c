// Locks a folder for one process. The lock is the system's: it ends with the process, however that ends, and leaves no
// file.

import { closeSync, openSync } from "node:fs";
import koffi from "koffi";
import { MachineError, reasonOf } from "./machine-error.js";

/** Flags of flock(2): exclusive, without waiting. */
const EXCLUSIVE_AT_ONCE = 2 | 4;

/**
 * Locks the folder.
 * @returns a function that releases the folder; null if another process holds it
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
  // A file system without locks cannot refuse anyone.
  if (koffi.errno() !== koffi.os.errno["EWOULDBLOCK"]) return release;
  release();
  return null;
}
