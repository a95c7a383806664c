// Bounds processes of others. Each leads a process group that ends with it. It ends with this
// process if the system supports that, and is ended when it and its children exceed their memory.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { GroupCleaner } from "../support/group-cleaner.js";
import { childrenOf } from "../support/process-stat.js";
import { userEnvironment } from "../support/user-environment.js";
import { pathOf } from "./path-of.js";

export interface ProcessCommand {
  readonly path: string;
  readonly args: readonly string[];
  /**
   * If absent, the environment contains only the search path of programs and a folder for temporary
   * files.
   */
  readonly env?: NodeJS.ProcessEnv;
}

/** The memory limit of a process and its children together. */
const MEMORY_MAX = 4 << 20; // KiB
const WATCH_MS = 100;

/** A program of util-linux: the kernel ends the process that it starts with its parent. */
const SETPRIV = process.platform === "linux" ? pathOf("setpriv") : null;

const BOUND_ENVIRONMENT = {
  PATH: userEnvironment()["PATH"] ?? "",
  TMPDIR: process.env["TMPDIR"] ?? "/tmp",
};

/**
 * Ends the children of commands if this process is killed, because the kernel ends only the
 * commands themselves.
 */
let cleaner: GroupCleaner | null = null;

/** Starts a process that leads a group of its own. */
export function spawnBound({
  path,
  args,
  env = BOUND_ENVIRONMENT,
}: ProcessCommand): ChildProcessWithoutNullStreams {
  const [program, ...words] =
    SETPRIV === null ? [path, ...args] : [SETPRIV, "--pdeathsig", "KILL", "--", path, ...args];
  const child = spawn(program, words, { env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  cleaner ??= new GroupCleaner();
  cleaner.enlist(child);
  return child;
}

/**
 * The time for reading the output that a process wrote before its end: a process that it started
 * may hold its pipes forever.
 */
const READ_MS = 100;

/**
 * Calls `onEnd` once, when the process has ended and its output is read. It ends the remaining
 * processes of the group, and destroys pipes that a process of another group holds open.
 * @param onEnd receives the reason of the end; null: status 0
 */
export function whenEnded(
  child: ChildProcessWithoutNullStreams,
  onEnd: (death: string | null) => void,
): void {
  let isReported = false;
  const report = (death: string | null): void => {
    if (isReported) return;
    isReported = true;
    endGroup(child);
    onEnd(death);
  };
  child.on("error", (error) => report(`could not be started: ${error.message}`));
  child.on("exit", () => {
    setTimeout(() => {
      endGroup(child);
      setTimeout(() => destroyPipes(child), READ_MS).unref(); // open pipes keep this process alive
    }, READ_MS).unref();
  });
  child.on("close", (status, signal) => {
    if (signal !== null) report(`was ended by ${signal}`);
    else report(status === 0 ? null : `ended with status ${status}`);
  });
}

export function destroyPipes({ stdin, stdout, stderr }: ChildProcessWithoutNullStreams): void {
  for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
}

/** Ends the process and everything that it has started. */
export function endGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {} // it has just ended
}

/**
 * Ends the process if it exceeds its memory, as far as the system reports it.
 * @param onEnd receives the reason
 * @returns a function that stops watching
 */
export function watchMemory(
  child: { readonly pid?: number | undefined },
  onEnd: (why: string) => void,
  maxKb = MEMORY_MAX,
): () => void {
  const { pid } = child;
  if (pid === undefined || process.platform !== "linux") return () => {};
  const timer = setInterval(() => {
    if (memoryOf(pid) <= maxKb) return;
    clearInterval(timer);
    onEnd(`took more than ${maxKb >> 10} MB of memory`);
    endGroup(child);
  }, WATCH_MS);
  return () => clearInterval(timer);
}

/** Returns the KiB that the process and its children hold; 0 if it has ended. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const own = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    return childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), own);
  } catch {
    return 0; // it has ended in the meantime
  }
}
