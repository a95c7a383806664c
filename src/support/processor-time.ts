// How much of the processors a process has had.

import { readFileSync } from "node:fs";

/** Of one second, as Linux gives times to programs (USER_HZ), on every architecture that Node runs on. */
const TICKS = 100;
/** Behind the name in proc_pid_stat(5): time in the program, and in the kernel for it. */
const [USER, SYSTEM] = [11, 12];

/** Seconds of all its threads; null where the system does not say, or there is no such process. */
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
