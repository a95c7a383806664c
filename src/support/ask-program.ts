// Runs a program of others for a moment and returns what it printed: for versions and for small tools.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { userEnvironment } from "./user-environment.js";

const LIMIT_MS = 10_000;
const BYTES_MAX = 1 << 20;

interface AskOptions {
  readonly timeMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** The most that each of its outputs may have; Node's limit of 1 MB if absent. */
  readonly bytesMax?: number;
}

/**
 * Kills a program that has not ended in time, and then no longer waits for its output, which a process that it started may
 * hold open. Its status is null then.
 */
export const askProgram = (
  path: string,
  args: readonly string[],
  { timeMs = LIMIT_MS, env = userEnvironment(), bytesMax = BYTES_MAX }: AskOptions = {},
): SpawnSyncReturns<string> =>
  spawnSync(path, args, {
    ...{ encoding: "utf8", env, timeout: timeMs, killSignal: "SIGKILL" },
    maxBuffer: bytesMax,
  });
