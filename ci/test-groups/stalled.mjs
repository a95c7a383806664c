// Watches that tests end. Ava's own limit says that no test has ended, and neither which nor why, and then nothing else
// runs. A test that waits for a process that does not end is named here with that process, which is killed: the test
// fails by what it expects, and the others run.

import { readdirSync, readFileSync } from "node:fs";
import { allRunning } from "./running.mjs";

const LOOK_MS = 5_000;
const WORDS_MAX = 300;

/**
 * @param clockFolder where processes say what they run
 * @param limitMs after which without a result it is said and ended
 * @param say takes each line
 * @returns `progress`, to be called with each result, and `stop`
 */
export function watchStalls(clockFolder, limitMs, say) {
  let last = performance.now();
  const timer = setInterval(
    () => {
      if (performance.now() - last < limitMs) return;
      last = performance.now();
      say(`no test has ended for ${limitMs / 1000} s:`);
      for (const line of endStalled(allRunning(clockFolder))) say(line);
    },
    Math.min(LOOK_MS, limitMs / 2),
  );
  return {
    progress: () => {
      last = performance.now();
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Kills what the processes of tests have started, or, where there is nothing of that, themselves.
 * @param running titles by process
 * @returns lines that say what was running and what was killed
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

/** By proc(5): of a system without it nothing is known, and nothing is killed. */
function allProcesses() {
  const ids = readIfThere("/proc/self/stat") === "" ? [] : readdirSync("/proc").map(Number);
  return ids.filter(Number.isInteger).flatMap((id) => {
    const stat = readIfThere(`/proc/${id}/stat`);
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended: who started it does not ask.
    return stat === "" || state === "Z" ? [] : [{ id, state, parent: Number(parent) }];
  });
}

const waitedFor = (id) => readIfThere(`/proc/${id}/wchan`) || "unknown";

const wordsOf = (id) =>
  readIfThere(`/proc/${id}/cmdline`).replaceAll("\0", " ").trim().slice(0, WORDS_MAX);

/** Empty where it is gone. */
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
    // It has ended meanwhile.
  }
}
