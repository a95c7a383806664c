// Processes of others, bounded: each leads a group that ends with it, ends with this process where the system can do
// that, and is ended when it and its children take too much memory.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { GroupCleaner } from "../support/group-cleaner.js";
import { userEnvironment } from "../support/user-environment.js";
import { pathOf } from "./path-of.js";

export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  /** If it is missing, nothing of the surroundings but where programs are found and files may go for a while. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Of a process and its children together. */
const MEMORY_MAX = 4 << 20; // KiB
const WATCH_MS = 100;

/** Of util-linux: a process that the kernel ends with its parent. */
const SETPRIV = process.platform === "linux" ? pathOf("setpriv") : null;

const SURROUNDINGS = {
  PATH: userEnvironment()["PATH"] ?? "",
  TMPDIR: process.env["TMPDIR"] ?? "/tmp",
};

/** Ends what the commands started if this process is killed: the kernel ends no more than the commands themselves. */
let cleaner: GroupCleaner | null = null;

/** Leads a group of its own. */
export function spawnBound({
  path,
  args,
  env = SURROUNDINGS,
}: Command): ChildProcessWithoutNullStreams {
  const [program, ...words] =
    SETPRIV === null ? [path, ...args] : [SETPRIV, "--pdeathsig", "KILL", "--", path, ...args];
  const child = spawn(program, words, { env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  cleaner ??= new GroupCleaner();
  cleaner.enlist(child);
  return child;
}

/** The time for reading what a process wrote before its end: a process that it started may hold its pipes for ever. */
const LEFT_MS = 100;

/**
 * Calls back once, when the process has ended and its output is read. It ends what the process left behind in its
 * group, and destroys pipes that a process of another group holds open.
 * @param onEnd takes how it ended; null: with status 0
 */
export function whenEnded(
  child: ChildProcessWithoutNullStreams,
  onEnd: (death: string | null) => void,
): void {
  let isTold = false;
  const tell = (death: string | null): void => {
    if (isTold) return;
    isTold = true;
    endGroup(child);
    onEnd(death);
  };
  child.on("error", (error) => tell(`could not be started: ${error.message}`));
  child.on("exit", () => {
    setTimeout(() => {
      endGroup(child);
      setTimeout(() => destroyPipes(child), LEFT_MS).unref(); // pipes that are open keep this process alive
    }, LEFT_MS).unref();
  });
  child.on("close", (status, signal) => {
    if (signal !== null) tell(`was ended by ${signal}`);
    else tell(status === 0 ? null : `ended with status ${status}`);
  });
}

export function destroyPipes({ stdin, stdout, stderr }: ChildProcessWithoutNullStreams): void {
  for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
}

/** With all that it has started. */
export function endGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {} // it has just ended
}

/**
 * Ends the process if it takes too much memory, as far as the system tells.
 * @param onEnd is told why
 * @returns stops watching
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

/** KiB that the process and its children hold; 0 of one that is gone. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const own = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    const rest = children.split(" ").filter((word) => word.trim() !== "");
    return rest.reduce((sum, child) => sum + memoryOf(Number(child)), own);
  } catch {
    return 0; // it has ended meanwhile
  }
}
