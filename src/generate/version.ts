// The version of the generator: within one version a seed names the same program; in the next it
// may name another.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project-root.js";

/**
 * The first 64 bits of the SHA-256 of all code that a program's choices depend on, as hexadecimal
 * digits. The build computes it (ci/generator-version.mjs), so it can never be out of date.
 */
export const generatorVersion = readFileSync(
  join(projectRoot(), "build", "generator-version"),
  "utf8",
).trim();
