// Reads the version of the generator: within one version a seed names the same program; in the next
// it may name another.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { userPatchpoints } from "../ir/user-patchpoints.js";
import { projectRoot } from "../support/project-root.js";

/**
 * The first 64 bits of the SHA-256 of all code on which a program's choices depend, as hexadecimal
 * digits. The build computes it (ci/generator-version.mjs), so it is always up to date.
 */
const builtVersion = readFileSync(join(projectRoot(), "build", "generator-version"), "utf8").trim();

/** The version with the names of the user's kinds of patchpoints, which the generator draws too. */
export const generatorVersion = [builtVersion, ...userPatchpoints().map(({ name }) => name)].join(
  "+",
);
