// Limits the time of a process of others. The limit counts the time in which the process and its
// children compute or wait. Time in which they are ready, and other work has the processors, does not
// count: a busy machine makes no command hang.

import { readdirSync } from "node:fs";
import { childrenOf, statOf } from "../support/process-stat.js";

const LOOK_MS = 250;
/** A look that is later than this counts as this: a busy owner of the process is no fault of it. */
const LOOK_MAX_MS = 2 * LOOK_MS;

/**
 * Calls `onEnd` once, when the process has reached the limit.
 * @returns a function that stops watching
 */
export function watchTime(
  { pid }: { readonly pid?: number | undefined },
  limitMs: number,
  onEnd: () => void,
): () => void {
  let counted = 0;
  /** Its value is null until the first look, which most commands never reach. */
  let last: { readonly moment: number; readonly usedMs: number } | null = null;
  const look = (): void => {
    const tree = pid === undefined ? null : treeOf(pid);
    const moment = performance.now();
    const usedMs = tree?.usedMs ?? last?.usedMs ?? 0;
    if (last !== null) {
      const passed = moment - last.moment;
      const used = Math.max(0, usedMs - last.usedMs);
      const isWaiting = tree?.isWaiting ?? true;
      counted += Math.min(passed, isWaiting ? Math.max(used, LOOK_MAX_MS) : used);
    }
    last = { moment, usedMs };
    if (counted < limitMs) return;
    clearInterval(timer);
    onEnd();
  };
  const timer = setInterval(look, Math.min(LOOK_MS, limitMs));
  return () => clearInterval(timer);
}

interface ProcessTree {
  readonly usedMs: number;
  /** No thread of it is ready to compute. */
  readonly isWaiting: boolean;
}

/** Reads the process and its children; null if it has ended, or the system reports nothing. */
function treeOf(pid: number): ProcessTree | null {
  const stat = statOf(`/proc/${pid}`);
  if (stat === null) return null;
  const threads = threadsOf(pid);
  let usedMs = 1000 * (stat.seconds + stat.secondsOfEndedChildren);
  let isWaiting = !isReady(stat.state) && !threads.some((thread) => isThreadReady(pid, thread));
  for (const child of threads.flatMap((thread) => childrenOf(pid, thread))) {
    const tree = treeOf(child);
    if (tree === null) continue;
    usedMs += tree.usedMs;
    isWaiting &&= tree.isWaiting;
  }
  return { usedMs, isWaiting };
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // it has ended in the meantime
  }
}

function isThreadReady(pid: number, thread: string): boolean {
  const stat = statOf(`/proc/${pid}/task/${thread}`);
  return stat !== null && isReady(stat.state);
}

/** Returns whether it runs or is ready, or waits for a disk, which other work may use. */
const isReady = (state: string): boolean => state === "R" || state === "D";
