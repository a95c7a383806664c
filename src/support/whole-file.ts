// Writes the files that a campaign leaves: summaries, states, reports. All of them are written here. A file or a folder
// of files exists as a whole or not at all, whenever this process or the machine stops. It is written under another
// name beside its own, flushed to the disk, and renamed.
//
// A refusal of the system is a MachineError that names the path; the unfinished file is removed.

import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { MachineError, reasonOf } from "./machine-error.js";

/**
 * Writes a file with this content, in place of one of that name. A path that is no file, such as a device, is written
 * to.
 * @throws MachineError
 */
export function writeWhole(path: string, content: string | Uint8Array): void {
  const known = withPath(path, "written", () => statSync(path, { throwIfNoEntry: false }));
  if (known === undefined || known.isFile()) replace(path, (fresh) => writeThrough(fresh, content));
  else withPath(path, "written", () => writeFileSync(path, content));
}

/**
 * Writes a folder with these files and nothing else, in place of one of that name.
 * @param files the contents, by name
 * @throws MachineError
 */
export const writeWholeFolder = (
  path: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void =>
  replace(path, (fresh) => {
    mkdirSync(fresh);
    for (const [name, data] of Object.entries(files)) writeThrough(join(fresh, name), data);
    syncFolder(fresh);
  });

/**
 * Makes a folder and its ancestors.
 * @throws MachineError
 */
export function makeFolders(path: string): void {
  // Make folders one by one, because Node's own recursion never ends if an existing folder takes no
  // children.
  if (existsSync(path)) return;
  makeFolders(dirname(resolve(path)));
  withPath(path, "made", () => {
    try {
      mkdirSync(path);
    } catch (error) {
      if (!isTaken(error)) throw error; // else another process was faster
    }
  });
}

/**
 * Checks that files may be made in a folder, before there is data that must not be lost.
 * @throws MachineError
 */
export const checkWritable = (folder: string): void =>
  withPath(folder, "written", () => accessSync(folder, constants.W_OK));

/**
 * Returns the names in a folder.
 * @throws MachineError
 */
export const namesIn = (folder: string): string[] =>
  withPath(folder, "read", () => readdirSync(folder));

/**
 * Removes a file or a folder with its contents, if it exists.
 * @throws MachineError
 */
export const removeAll = (path: string): void =>
  withPath(path, "removed", () => rmSync(path, { recursive: true, force: true }));

/**
 * Removes unfinished files that killed processes have left in a folder.
 * @throws MachineError
 */
export function removeUnfinished(folder: string): void {
  for (const name of namesIn(folder)) if (UNFINISHED.test(name)) removeAll(join(folder, name));
}

const UNFINISHED = /^\..*\.[0-9a-f]{12}\.new$/;

const freshName = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.new`);

function replace(path: string, write: (fresh: string) => void): void {
  const fresh = freshName(path);
  withPath(path, "written", () => {
    try {
      write(fresh);
      moveInto(fresh, path);
    } catch (error) {
      tryToRemove(fresh);
      throw error;
    }
    syncFolder(dirname(path));
  });
}

/** Moves a folder into place. A rename cannot replace a folder with contents, so that one is moved away first. */
function moveInto(fresh: string, path: string): void {
  try {
    renameSync(fresh, path);
  } catch (error) {
    if (!isTaken(error)) throw error;
    const old = freshName(path);
    renameSync(path, old);
    try {
      renameSync(fresh, path);
    } catch (refusal) {
      renameSync(old, path);
      throw refusal;
    }
    tryToRemove(old);
  }
}

// Tries to remove a file. `removeUnfinished` removes it later if this fails; the first error is more important.
function tryToRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(ENOTEMPTY|EEXIST)$/.test(String(error.code));

function writeThrough(path: string, data: string | Uint8Array): void {
  const file = openSync(path, "wx");
  try {
    writeFileSync(file, data);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function withPath<T>(path: string, done: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof MachineError) throw error;
    throw new MachineError(`${path}: cannot be ${done}: ${reasonOf(error)}`, { cause: error });
  }
}
