// Finds the root folder of the project, which contains `package.json`: code finds `corpus/`, `docs/`, `build/` and the
// installed libraries from it.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InternalError } from "./assert.js";

/**
 * Returns the folder with this project's `package.json`: the nearest one above this module. This works for any depth of
 * the build's output folder, and in an installed package.
 */
export function projectRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  let folder = start;
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new InternalError(`no package.json above ${start}`);
    folder = parent;
  }
  return folder;
}
