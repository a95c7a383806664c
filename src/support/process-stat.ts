// Reads what Linux reports of a process below /proc.

import { readFileSync } from "node:fs";

/** Ticks of one second in Linux's reports (USER_HZ), on every architecture that Node runs on. */
const TICKS = 100;
/**
 * Fields after the name in proc_pid_stat(5): the state; the time in the program, and in the kernel for it; the same
 * of its children that have ended.
 */
const [STATE, USER, SYSTEM, USER_OF_CHILDREN, SYSTEM_OF_CHILDREN] = [0, 11, 12, 13, 14];

interface ProcessStat {
  /** A letter: `R` is running or ready, `D` waits for a disk. */
  readonly state: string;
  /** The processor time of all its threads; of a thread, its own. */
  readonly seconds: number;
  readonly secondsOfEndedChildren: number;
}

/**
 * Returns null if the system does not report it, or there is no such process.
 * @param folder `/proc/PID`, or that of a thread
 */
export function statOf(folder: string): ProcessStat | null {
  let stat: string;
  try {
    stat = readFileSync(`${folder}/stat`, "latin1");
  } catch {
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
  const sum = (user: number, system: number): number =>
    (Number(fields[user]) + Number(fields[system])) / TICKS;
  const seconds = sum(USER, SYSTEM);
  const secondsOfEndedChildren = sum(USER_OF_CHILDREN, SYSTEM_OF_CHILDREN);
  return Number.isNaN(seconds) ? null : { state: fields[STATE], seconds, secondsOfEndedChildren };
}

/** Returns the seconds of all threads of the process; null as above. */
export const processorSeconds = (pid: number): number | null =>
  statOf(`/proc/${pid}`)?.seconds ?? null;

/** Returns the processes that a thread of the process started, by default its first; none if it has ended. */
export function childrenOf(pid: number, thread = String(pid)): readonly number[] {
  try {
    const words = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ");
    return words.filter((word) => word.trim() !== "").map(Number);
  } catch {
    return [];
  }
}
