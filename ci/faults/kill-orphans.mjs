// Kills campaigns and reductions at random moments, and searches for remaining processes, and for files in the
// temporary folder.
//
// `node ci/faults/kill-orphans.mjs --kills 60 --seed 1`. Every second campaign has a worker that hangs, like code
// with an endless loop. Status 1 if anything remains after five seconds. Linux.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PROCESS_NAME } from "../../build/src/execute/host/host-start.js";
import { readOptions } from "../options.mjs";
import { isZombie, MARK, makeRandom, marked, processes } from "./process-tree.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const LAUNCHER = join(ROOT, "fuzz", "launcher.mjs");
const HANGING = join(HERE, "hanging-campaign.mjs");
const LOOK_AFTER_MS = 5000;

const { values } = readOptions({
  options: {
    kills: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    "longest-ms": { type: "string", default: "8000" },
  },
});

// biome-ignore format: a table
const VICTIMS = [
  { name: "campaign",  args: ({ work }) => [LAUNCHER, "run", "--workers", "2", "--reports", work] },
  { name: "hanging",   args: ({ work }) => [HANGING, work] },
  { name: "canary",    args: ({ work }) => [LAUNCHER, "run", "--canary", "float-rule", "--workers", "2", "--reports", work] },
  { name: "reduction", args: ({ program }) => [LAUNCHER, "reduce", program, "--test", "sleep 2; grep -q Mul", "--workers", "2"] },
  { name: "candidates",args: () => [LAUNCHER, "reduce", "--seed", "1", "--canary", "return-value", "--subjects", "x64-O0", "--workers", "2"] },
];

/** The native child has no environment, so its name identifies it. */
function nativeChildren() {
  const found = new Map();
  for (const pid of processes()) {
    try {
      const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
      if (name === PROCESS_NAME) found.set(Number(pid), name);
    } catch {}
  }
  return found;
}

async function killOne(victim, mark, afterMs, folder) {
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  const program = join(folder, "program.ir");
  writeFileSync(program, PROGRAM);
  const before = nativeChildren();
  const args = victim.args({ work: join(folder, "reports"), program });
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: "ignore",
    env: { ...process.env, [MARK]: mark, TMPDIR: temporary },
  });
  const closed = new Promise((resolve) => child.on("close", resolve));
  await Promise.race([sleep(afterMs), closed]);
  const isRunning = child.exitCode === null && child.signalCode === null;
  const tree = marked(mark).size;
  child.kill("SIGKILL");
  await closed;
  await sleep(LOOK_AFTER_MS);
  const native = [...nativeChildren()].filter(([pid]) => !before.has(pid));
  const left = [...marked(mark), ...native].filter(([pid]) => !isZombie(pid));
  const files = readdirSync(temporary);
  for (const [pid] of left) process.kill(pid, "SIGKILL");
  return { isRunning, tree, left, files };
}

const PROGRAM = `touchstone 1

proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Mul(@0, @0)
  Int32 @2 = Add(@1, @0)
  Void @3 = Return(@2)

; run: f(3)
`;

const random = makeRandom(Number(values.seed));
const folder = mkdtempSync(join(tmpdir(), "touchstone-kills-"));
let wrong = 0;
let running = 0;
try {
  for (let k = 0; k < Number(values.kills); k++) {
    const victim = VICTIMS[k % VICTIMS.length];
    const afterMs = 100 + random(Number(values["longest-ms"]));
    const own = join(folder, String(k));
    const { isRunning, tree, left, files } = await killOne(
      victim,
      `${process.pid}-${k}`,
      afterMs,
      own,
    );
    running += isRunning ? 1 : 0;
    if (left.length > 0 || files.length > 0) wrong++;
    const says = [...left.map(([pid, command]) => `${pid}: ${command}`), ...files];
    const state = isRunning ? `of ${tree} processes` : "had ended";
    console.log(
      `${k + 1} ${victim.name} after ${afterMs} ms, ${state}: ${says.length === 0 ? "no process and no file is left" : `LEFT ${says.join("; ")}`}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `${values.kills} kills, ${running} of them of running commands: ${wrong} left a process or a file`,
);
process.exitCode = wrong === 0 ? 0 : 1;
