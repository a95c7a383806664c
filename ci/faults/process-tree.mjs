// What a killed process leaves behind: a process tree is known by a mark in its environment, which children inherit.

import { readdirSync, readFileSync } from "node:fs";

export const MARK = "TOUCHSTONE_FAULTS";

/** Processes that live and have the mark, with their commands. */
export function marked(mark) {
  const found = new Map();
  for (const pid of processes()) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
      if (environment.includes(`${MARK}=${mark}`)) found.set(Number(pid), commandOf(pid));
    } catch {} // it has just ended
  }
  return found;
}

export const processes = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

export const commandOf = (pid) =>
  readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");

export const isZombie = (pid) => {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return true;
  }
};

/** A generator of Park and Miller: which moments and victims, and nothing else. */
export function makeRandom(seed) {
  let state = seed;
  return (end) => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % end;
  };
}
