// A campaign is pinned to its build: its processes start at different times, and a build in between would let them
// judge by two compilers. The first process records which build it is of, and each later one compares.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MachineError } from "./machine-error.js";
import { projectRoot } from "./project-root.js";

/** Names the build to the processes of a campaign; the launcher reads it as well. */
const PINNED = "TOUCHSTONE_PINNED_BUILD";

/** The record of the sources that were built (ci/stale.mjs). It is missing while a build replaces them. */
const RECORD = join("build", "sources.json");

/** Returns what identifies the build; "" in an installed package, which is never built again. */
function buildNow(): string {
  const path = join(projectRoot(), RECORD);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}

const pinned = process.env[PINNED] ?? buildNow();

/** The environment of a process that has to be of the same build. */
export const pinnedEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, [PINNED]: pinned });

/** Returns whether another build has replaced that of this process, or replaces it now. */
export const isBuildReplaced = (): boolean => buildNow() !== pinned;

/** @throws MachineError if another build has replaced that of this process */
export function checkBuild(): void {
  if (isBuildReplaced()) throw new MachineError(BUILD_REPLACED);
}

const BUILD_REPLACED =
  "the project was built again while this campaign ran, and a campaign has one compiler: " +
  "--resume goes on with the new build";
