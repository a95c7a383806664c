// Pins a campaign to its build: its processes start at different times, and a build between two starts would make them
// use two compilers. The first process records its build, and each later one compares.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MachineError } from "./machine-error.js";
import { projectRoot } from "./project-root.js";

/** The environment variable that passes the build to the processes of a campaign; the launcher reads it as well. */
const PINNED_VARIABLE = "TOUCHSTONE_PINNED_BUILD";

/** The record of the sources that were built (ci/stale.mjs). It is missing while a build replaces them. */
const RECORD = join("build", "sources.json");

/** Returns the identity of the build; "" in an installed package, which is never rebuilt. */
function buildNow(): string {
  const path = join(projectRoot(), RECORD);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}

const pinned = process.env[PINNED_VARIABLE] ?? buildNow();

/** Returns the environment of a process that must be of the same build. */
export const pinnedEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  [PINNED_VARIABLE]: pinned,
});

/** Returns whether another build has replaced that of this process, or is replacing it. */
export const isBuildReplaced = (): boolean => buildNow() !== pinned;

/**
 * Checks that the build of this process is still current.
 * @throws MachineError if another build has replaced it
 */
export function checkBuild(): void {
  if (isBuildReplaced()) throw new MachineError(BUILD_REPLACED);
}

const BUILD_REPLACED =
  "the project was rebuilt while this campaign ran, and a campaign uses one build: " +
  "--resume continues with the new build";
