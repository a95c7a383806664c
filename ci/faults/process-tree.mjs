// Finds the remains of a killed process: a mark in the environment, which children inherit, identifies a process tree.

import { readdirSync, readFileSync } from "node:fs";

export const MARK = "TOUCHSTONE_FAULTS";

/** Returns the live processes with the mark, with their commands. */
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

/** The generator of Park and Miller, which draws moments and victims only. */
export function makeRandom(seed) {
  let state = seed;
  return (end) => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % end;
  };
}
