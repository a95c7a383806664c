// Runs the thread of a ProgramWatchdog: it ends a hanging process, after it has printed the progress in
// the format of kill.ts.

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { WatchdogData } from "./watchdog.js";

/** The usual limit, as a multiple of the mean time of a program. */
const TIMES_AVERAGE = 200;
const PERIOD_MS = 500;
const MICROSECONDS = 1e6;
const STDOUT = 1;

const { counter, secondsLeast } = workerData as WatchdogData; // set by ProgramWatchdog
const programs = new Int32Array(counter);
let seen = 0;
/** Processor times: the start of the first program, and of the current one. */
let began = 0;
let since = 0;

/** Returns the processor seconds of all threads. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROSECONDS;
}

setInterval(() => {
  const now = processorTime();
  const count = Atomics.load(programs, 0);
  if (count !== seen) {
    if (seen === 0) began = now;
    seen = count;
    since = now;
    return;
  }
  const usual = Math.max(secondsLeast, (TIMES_AVERAGE * (since - began)) / Math.max(1, count - 1));
  const limit = Atomics.load(programs, 1) / 1000 || usual;
  if (count === 0 || now - since <= limit) return;
  try {
    writeSync(STDOUT, `${JSON.stringify({ hung: true, programs: count, processor: now })}\n`);
  } finally {
    // The process ends even if the write fails because its parent is gone.
    process.kill(process.pid, "SIGKILL");
  }
}, PERIOD_MS);
