// Computes a hash of the code that judges. Two builds may find different things with the same
// seeds, so their results must not be mixed. The commit does not identify a build: a checkout may
// be edited, and a package has no commit.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { projectRoot } from "../support/project-root.js";

const FOLDERS = ["reference", "src"];

/**
 * Returns the first 64 bits of the SHA-256 of the built framework and compiler, as hexadecimal
 * digits.
 */
export function buildVersion(): string {
  const hash = createHash("sha256");
  const build = join(projectRoot(), "build");
  for (const folder of FOLDERS) {
    const paths = readdirSync(join(build, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".js") && !path.endsWith(".test.js"))
      .sort();
    for (const path of paths) {
      hash.update(`${folder}/${path.split(sep).join("/")}\0`);
      hash.update(readFileSync(join(build, folder, path)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}
