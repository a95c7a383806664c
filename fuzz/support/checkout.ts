// Distinguishes a checkout of the sources from an installed package.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "../../src/engine/path-of.js";
import { projectRoot } from "../../src/support/project-root.js";
import { STATUS, UserError, usageError } from "./output.js";

/**
 * Checks that the sources are there; an installed package has only a build.
 * @param what the option or command that needs them
 * @throws UserError
 */
export function requireCheckout(what: string, root = projectRoot()): void {
  if (!existsSync(join(root, "ci", "build.mjs")))
    throw usageError(`${what}: expected a checkout of Touchstone; ${root} is an installed package`);
}

/** Returns the error for a commit that git does not find. */
export function noCommit(option: string, commit: string, root: string): UserError {
  requireCheckout(option, root);
  if (pathOf("git") === null) return new UserError(STATUS.missing, `${option}: there is no git`);
  return usageError(`${option} ${commit}: no such commit in ${root}`);
}
