// Reads the processor time of a process.

import { readFileSync } from "node:fs";

/** Ticks of one second in Linux's reports (USER_HZ), on every architecture that Node runs on. */
const TICKS = 100;
/** Fields after the name in proc_pid_stat(5): time in the program, and in the kernel for it. */
const [USER, SYSTEM] = [11, 12];

/**
 * Returns the seconds of all threads of the process; null if the system does not report them, or there is no such
 * process.
 */
export function processorSeconds(pid: number): number | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
  const ticks = Number(fields[USER]) + Number(fields[SYSTEM]);
  return Number.isNaN(ticks) ? null : ticks / TICKS;
}
