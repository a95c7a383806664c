// Detects tests without progress. Ava's own limit names no test, and then nothing else runs. This watchdog names the
// test and the process that it waits for, and kills that process: the test fails by its expectations, and the others
// run.
//
// Other work on the machine must not end a test, so the limit does not use the clock alone. Tests stall if, since the
// last result, their processes used the limit in processor time (an endless loop), or used next to none for as
// long (a wait without end).

import { readdirSync, readFileSync } from "node:fs";
import { allRunning } from "./running.mjs";

const LOOK_MS = 5_000;
/** Linux counts processor time of processes in hundredths of a second. */
const MS_PER_TICK = 10;
/** A process that uses a smaller share of a processor waits. A polling test does, and one among fifty others does not. */
const IDLE_SHARE = 0.01;
const WORDS_MAX = 300;

/**
 * @param clockFolder folder where processes record their running test
 * @param limitMs limit in processor time, or in clock time while no processor time is used
 * @param say function that prints a line
 * @returns `progress`, to be called with each result, and `stop`
 */
export function watchStalls(clockFolder, limitMs, say) {
  const watch = new ProgressWatch(limitMs);
  const timer = setInterval(
    () => {
      const running = allRunning(clockFolder);
      const used = processorMsOf(running);
      if (!watch.isStalled(used, performance.now())) return;
      watch.restart();
      say(`no test has ended for ${limitMs / 1000} s of processor time, or of waiting:`);
      for (const line of endStalled(running)) say(line);
    },
    Math.min(LOOK_MS, limitMs / 2),
  );
  return { progress: () => watch.restart(), stop: () => clearInterval(timer) };
}

/** Decides whether tests stall, from the processor time of their processes at moments of the clock. */
export class ProgressWatch {
  #limitMs;
  /** Processor time and moment since the last result; null until the next look. */
  #first = null;
  #last = null;

  constructor(limitMs) {
    this.#limitMs = limitMs;
  }

  restart() {
    this.#first = null;
  }

  /** @param used processor time of all processes of tests, in ms; less than before when one has ended */
  isStalled(used, now) {
    if (this.#first === null) {
      this.#first = { used, now };
      this.#last = { used, now };
      return false;
    }
    if (Math.abs(used - this.#last.used) >= IDLE_SHARE * this.#limitMs) this.#last = { used, now };
    return used - this.#first.used >= this.#limitMs || now - this.#last.now >= this.#limitMs;
  }
}

/** Returns the processor time of the processes and of all below them, ended children included. */
function processorMsOf(running) {
  const processes = allProcesses();
  const below = (id) =>
    processes.filter(({ parent }) => parent === id).flatMap((child) => [child, ...below(child.id)]);
  const own = processes.filter(({ id }) => running.has(id));
  return own
    .flatMap((one) => [one, ...below(one.id)])
    .reduce((sum, { ticks }) => sum + ticks * MS_PER_TICK, 0);
}

/**
 * Kills the children of the test processes, or, if there are none, the test processes.
 * @param running titles by process
 * @returns lines that name the running tests and the killed processes
 */
export function endStalled(running) {
  const processes = allProcesses();
  const childrenOf = (id) => processes.filter(({ parent }) => parent === id);
  const below = (id) => childrenOf(id).flatMap((child) => [child, ...below(child.id)]);
  const lines = [];
  for (const [id, title] of running) {
    const own = processes.find((process) => process.id === id);
    if (own === undefined) continue;
    lines.push(`  ${title}`);
    const others = below(id);
    for (const one of others.length > 0 ? others : [own]) {
      lines.push(`    killed: ${one.id} (${one.state}, ${waitedFor(one.id)}): ${wordsOf(one.id)}`);
      kill(one.id);
    }
  }
  return lines;
}

/** Reads the processes from proc(5): on a system without it nothing is killed. */
function allProcesses() {
  const ids = readIfThere("/proc/self/stat") === "" ? [] : readdirSync("/proc").map(Number);
  return ids.filter(Number.isInteger).flatMap((id) => {
    const stat = readIfThere(`/proc/${id}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent] = fields;
    // User and system mode, of the process and of its children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    // A zombie has ended, and its parent has not waited for it.
    return stat === "" || state === "Z" ? [] : [{ id, state, parent: Number(parent), ticks }];
  });
}

const waitedFor = (id) => readIfThere(`/proc/${id}/wchan`) || "unknown";

const wordsOf = (id) =>
  readIfThere(`/proc/${id}/cmdline`).replaceAll("\0", " ").trim().slice(0, WORDS_MAX);

/** Returns the text of the file; empty if the process is gone. */
function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kill(id) {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // The process has ended meanwhile.
  }
}
