// Lists the places where libunicorn may be. The emulator, `fuzz doctor` and `ci/setup` read this
// one list, so that a campaign loads the library that the set-up has tested.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../support/project-root.js";

const LIBRARY_NAMES = ["libunicorn.so.2", "libunicorn.2.dylib"];

// Homebrew's folder on Apple silicon is not on the loader's default path.
const HOMEBREW_LIBRARY = "/opt/homebrew/lib/libunicorn.2.dylib";

/** Returns the folder into which `ci/setup` unpacks the library if it may not install packages. */
function privateLibraryFolder(): string {
  return join(projectRoot(), ".touchstone", "lib");
}

/**
 * Returns the candidates for the loader, which takes the first that loads. If `TOUCHSTONE_UNICORN`,
 * a path or a name, is set, it is the only candidate: another library never replaces a named one.
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
