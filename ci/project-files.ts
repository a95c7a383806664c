// Reads the files of the project as text, for the checks. A plant has the same type, made by hand.

import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { projectRoot } from "../src/support/project-root.js";

/** Text by path from the project's root. */
export type ProjectFiles = ReadonlyMap<string, string>;

const ROOT = projectRoot();
const SKIPPED_FOLDER = /^(\.git|node_modules|build(-.*)?|\.touchstone)$/;

/** Campaigns in `reports` are not part of the project. */
function entriesOf(folder: string) {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries
    .filter((entry) => !(entry.isDirectory() && SKIPPED_FOLDER.test(entry.name)))
    .filter((entry) => !(entry.isDirectory() && folder === "reports"))
    .map((entry) => ({ path: posix.join(folder, entry.name), isFolder: entry.isDirectory() }));
}

export function pathsBelow(folder: string, matching: RegExp): string[] {
  return entriesOf(folder).flatMap(({ path, isFolder }) =>
    isFolder ? pathsBelow(path, matching) : matching.test(path) ? [path] : [],
  );
}

/** Returns the folder itself and all below it, at any depth. */
export function foldersBelow(folder: string): string[] {
  const inner = entriesOf(folder).filter(({ isFolder }) => isFolder);
  return [folder, ...inner.flatMap(({ path }) => foldersBelow(path))];
}

export function read(paths: readonly string[]): ProjectFiles {
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

/** Returns the compiled sources and the scripts that call them. */
export function readCode(): ProjectFiles {
  const paths = ["src", "reference", "fuzz", "ci"].flatMap((folder) =>
    pathsBelow(folder, /\.(ts|mjs)$/),
  );
  return read(paths);
}

export const isTest = (path: string): boolean => path.endsWith(".test.ts");

/** Sources of fast-check values, for tests: they are not in the package. */
export const isArbitrary = (path: string): boolean => path.endsWith("-arb.ts");

/** Files that do not exist, to see a check fail. */
export const plant = (files: Readonly<Record<string, string>>): ProjectFiles =>
  new Map(Object.entries(files));
