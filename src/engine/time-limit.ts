// Limits the time of a process of others. The limit counts the time in which the process and its
// children compute or wait. Time in which they are ready, and other work has the processors, does not
// count: a busy machine makes no command hang.

import { readdirSync, readFileSync } from "node:fs";

const LOOK_MS = 250;
/** A look that is later than this counts as this: a busy owner of the process is no fault of it. */
const LOOK_MAX_MS = 2 * LOOK_MS;
/** Linux reports processor time in hundredths of a second. */
const MS_PER_TICK = 10;
/**
 * Fields after the name in proc_pid_stat(5): the state, and the processor time in user and system
 * mode, of the process and of its children that have ended.
 */
const [STATE, TIMES_FROM, TIMES_TO] = [0, 11, 15];

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
  try {
    const [state, usedMs] = statOf(`/proc/${pid}/stat`);
    const threads = readdirSync(`/proc/${pid}/task`);
    const tree = {
      usedMs,
      isWaiting: !isReady(state) && !threads.some((thread) => isThreadReady(pid, thread)),
    };
    return threads
      .flatMap((thread) => childrenOf(pid, thread))
      .map(treeOf)
      .reduce<ProcessTree>(
        (sum, child) =>
          child === null
            ? sum
            : { usedMs: sum.usedMs + child.usedMs, isWaiting: sum.isWaiting && child.isWaiting },
        tree,
      );
  } catch {
    return null;
  }
}

function isThreadReady(pid: number, thread: string): boolean {
  try {
    return isReady(statOf(`/proc/${pid}/task/${thread}/stat`)[0]);
  } catch {
    return false; // it has ended in the meantime
  }
}

function childrenOf(pid: number, thread: string): readonly number[] {
  try {
    const words = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ");
    return words.filter((word) => word.trim() !== "").map(Number);
  } catch {
    return [];
  }
}

/** Running or ready, or waiting for a disk, which other work may use. */
const isReady = (state: string): boolean => state === "R" || state === "D";

function statOf(file: string): readonly [state: string, usedMs: number] {
  const stat = readFileSync(file, "latin1");
  const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
  const ticks = fields.slice(TIMES_FROM, TIMES_TO).reduce((sum, field) => sum + Number(field), 0);
  return [fields[STATE], ticks * MS_PER_TICK];
}
