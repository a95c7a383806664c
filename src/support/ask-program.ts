// Runs a program of others briefly, and returns its output: for versions and for small tools.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { userEnvironment } from "./user-environment.js";

const LIMIT_MS = 10_000;
const BYTES_MAX = 1 << 20;

interface AskOptions {
  readonly timeMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** The largest size in bytes of each output stream; 1 MB if absent. */
  readonly bytesMax?: number;
  /** The text of its standard input; empty if absent. */
  readonly input?: string;
}

/**
 * Runs a program. It kills a program that exceeds the time limit, and then does not wait for its output, which a
 * process that the program started may hold open. The status is null then.
 */
export const askProgram = (
  path: string,
  args: readonly string[],
  { timeMs = LIMIT_MS, env = userEnvironment(), bytesMax = BYTES_MAX, input = "" }: AskOptions = {},
): SpawnSyncReturns<string> =>
  spawnSync(path, args, {
    ...{ encoding: "utf8", env, timeout: timeMs, killSignal: "SIGKILL" },
    maxBuffer: bytesMax,
    input,
  });
