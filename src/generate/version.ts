// Reads the version of the generator: within one version a seed names the same program; in the next
// it may name another.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project-root.js";

/**
 * The first 64 bits of the SHA-256 of all code on which a program's choices depend, as hexadecimal
 * digits. The build computes it (ci/generator-version.mjs), so it is always up to date.
 */
export const generatorVersion = readFileSync(
  join(projectRoot(), "build", "generator-version"),
  "utf8",
).trim();
