// Where libunicorn may be.
//
// The one list that the emulator, `fuzz doctor` and `ci/setup` read, so that what the set-up has
// tested is what a campaign loads.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../support/project-root.js";

const LIBRARY_NAMES = ["libunicorn.so.2", "libunicorn.2.dylib"];

// Homebrew's folder on Apple silicon is not on the loader's default path.
const HOMEBREW_LIBRARY = "/opt/homebrew/lib/libunicorn.2.dylib";

/** The folder into which `ci/setup` unpacks the library where it may not install packages. */
function privateLibraryFolder(): string {
  return join(projectRoot(), ".touchstone", "lib");
}

/**
 * What to hand to the loader, in this order, until one loads. `TOUCHSTONE_UNICORN`, a path or a
 * name, is the only candidate where it is set: a library that is named is never replaced by another.
 */
export function unicornCandidates(): string[] {
  const named = process.env["TOUCHSTONE_UNICORN"];
  if (named !== undefined && named !== "") return [named];
  return [...unpackedLibraries(), ...LIBRARY_NAMES, HOMEBREW_LIBRARY];
}

function unpackedLibraries(): string[] {
  const folder = privateLibraryFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => LIBRARY_NAMES.some((name) => path === name || path.endsWith(`/${name}`)))
    .sort()
    .map((path) => join(folder, path));
}
