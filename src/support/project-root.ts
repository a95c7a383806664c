// The root folder of the project, the one with `package.json`: from it all code finds `corpus/`,
// `docs/`, `build/` and the libraries that set-up has installed.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InternalError } from "./assert.js";

/**
 * The folder that holds this project's `package.json`: the nearest one above this module, whatever
 * the depth of the build's output folder, and in an installed package too.
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
