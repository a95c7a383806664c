// Tests that nothing that machine code does in the native child leaves a trace outside of it.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ava, { type ExecutionContext } from "ava";
import { type DeclareTest, hostTest } from "../unicorn-available.js";
import type { AttemptReport } from "./attempt-all.js";
import { GATES_SIZE, PROGRAM_SIZE, SHARED_SIZE, SIGNAL_STACK_SIZE } from "./host-layout.js";
import { sharedHostProcess } from "./host-process.js";

const PROGRAM = fileURLToPath(new URL("./attempt-all.js", import.meta.url));
const NOBODY = 65_534;
const ATTEMPTS_MIN = 200;

const test = hostTest(ava.serial);
const isRoot = process.geteuid?.() === 0;
const asNobody = { uid: NOBODY, gid: NOBODY };
/** Root may become any user, but the build may be in a folder that only root can read. */
const canBeNobody =
  isRoot && spawnSync(process.execPath, ["--check", PROGRAM], asNobody).status === 0;

/** A folder that any user may write to, and a process: the targets of the attempts. */
interface Outside {
  readonly folder: string;
  readonly decoy: ChildProcess;
}

function observe({ folder, decoy }: Outside) {
  const kept = statSync(join(folder, "kept"), { throwIfNoEntry: false });
  const status = readFileSync(`/proc/${decoy.pid}/status`, "latin1");
  const stat = readFileSync(`/proc/${decoy.pid}/stat`, "latin1").split(") ")[1].split(" ");
  return {
    files: readdirSync(folder),
    temporary: readdirSync(join(folder, "tmp")),
    kept: { mode: kept?.mode, size: kept?.size, links: kept?.nlink, time: kept?.mtimeMs },
    isAlive: stat[0] === "S" || stat[0] === "R",
    nice: stat[16],
    affinity: /^Cpus_allowed:.*$/m.exec(status)?.[0],
    tracer: /^TracerPid:.*$/m.exec(status)?.[0],
    limits: readFileSync(`/proc/${decoy.pid}/limits`, "latin1"),
    hostname: hostname(),
    sharedMemory: readFileSync("/proc/sysvipc/shm", "latin1").includes(String(0x7453)),
    messages: readFileSync("/proc/sysvipc/msg", "latin1").includes(String(0x7453)),
    mounts: readFileSync("/proc/self/mounts", "latin1").includes(folder),
    keys: readFileSync("/proc/keys", "latin1").includes("touchstone"),
    processes: processesIn(folder),
  };
}

/**
 * Returns the child and its forks: their first working directory is a folder of their own below
 * `folder`.
 */
function processesIn(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false; // ended, or another user's
    }
  });
}

/**
 * Waits for the last child to end; it is killed just before its parent ends. A process that stays
 * is found later.
 */
function waitUntilGone(folder: string): void {
  const moment = new Int32Array(new SharedArrayBuffer(4));
  while (processesIn(folder).length > 0) Atomics.wait(moment, 0, 0, 10);
}

function attempt(t: ExecutionContext, user: object): AttemptReport {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-outside-"));
  mkdirSync(join(folder, "tmp"));
  writeFileSync(join(folder, "kept"), "kept\n");
  for (const path of ["", "tmp", "kept"]) chmodSync(join(folder, path), 0o777);
  const decoy = spawn("sleep", ["1000"], { ...user, stdio: "ignore" });
  try {
    const before = observe({ folder, decoy });
    const args = [PROGRAM, folder, String(decoy.pid)];
    const env = { TMPDIR: join(folder, "tmp") };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...user, env });
    t.is(status, 0, stderr.toString());
    waitUntilGone(folder);
    t.deepEqual(observe({ folder, decoy }), before);
    const report: AttemptReport = JSON.parse(stdout.toString());
    t.deepEqual(
      report.endings.filter(({ isWell }) => !isWell),
      [],
    );
    return report;
  } finally {
    decoy.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
}

test("machine code of this user does not leave the child", (t) => {
  const { endings } = attempt(t, {});
  t.true(endings.length >= ATTEMPTS_MIN, `${endings.length} attempts`);
  for (const { name, ending } of endings) {
    // Every system call in the guest's own code is reported.
    if (/ by (syscall|int 0x80)/.test(name)) t.is(ending, "fault", name);
    // AMD processors do not have this instruction in 64-bit mode. On Intel the kernel returns to a
    // page of its own, which the child has unmapped.
    if (/ by sysenter/.test(name)) t.true(["fault", "escaped"].includes(ending), name);
    // A call that a guest makes through the child's own instruction is reported too.
    if (/ by the child's own syscall/.test(name)) t.is(ending, "escaped", name);
  }
});

const testAsNobody: DeclareTest = canBeNobody ? test : ava.skip;
testAsNobody("machine code of an ordinary user does not leave the child", (t) => {
  t.true(attempt(t, asNobody).endings.length > 0);
});

test("the child has one thread, which is filtered and has no privilege", (t) => {
  const { pid, confinement } = sharedHostProcess();
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  t.regex(status, /^Threads:\t1$/m);
  t.regex(status, /^Seccomp:\t2$/m);
  t.regex(status, /^NoNewPrivs:\t1$/m);
  t.regex(status, /^CapEff:\t0+$/m);
  t.regex(status, /^CapPrm:\t0+$/m);
  t.false(confinement?.isPrivileged);
});

test("the child has only shared memory, its program and a stack for signals", (t) => {
  const { pid } = sharedHostProcess();
  const sizes = readFileSync(`/proc/${pid}/status`, "latin1");
  const kilobytes = Number(/^VmSize:\s*(\d+) kB$/m.exec(sizes)?.[1]);
  t.is(kilobytes * 1024, SHARED_SIZE + GATES_SIZE + PROGRAM_SIZE + SIGNAL_STACK_SIZE);
});

const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

test("the child ends with the process that has started it, at any time", async (t) => {
  const loop = [
    `import { LAYOUT, PAGE_SIZE, REGISTERS, STACK_SIZE, setAddress } from ${moduleAt("../machine/guest.js")};`,
    `import { HostCpu } from ${moduleAt("./host-cpu.js")};`,
    `import { sharedHostProcess } from ${moduleAt("./host-process.js")};`,
    "const cpu = new HostCpu();",
    "cpu.load(new Uint8Array([0xeb, 0xfe]), PAGE_SIZE);", // jmp to itself
    "setAddress(cpu.registers, REGISTERS.x64.stackPointer, LAYOUT.stack + STACK_SIZE - PAGE_SIZE);",
    "process.stdout.write(String(sharedHostProcess().pid));",
    "setTimeout(() => cpu.run(0, 2 ** 31), 100);", // three quarters of a minute, unless something ends it
  ].join("\n");
  const parent = spawn(process.execPath, ["--input-type=module", "-e", loop]);
  const pid = await new Promise<string>((resolve) => {
    parent.stdout.once("data", (text: Buffer) => resolve(text.toString()));
  });
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  while (processorTicksOf(pid) >= 0 && processorTicksOf(pid) < 10) await wait(100);
  t.true(processorTicksOf(pid) >= 10, "the guest does not run");
  t.is(parent.exitCode, null);
  parent.kill("SIGKILL");
  while (readdirSync("/proc").includes(pid)) await wait(100);
  t.pass("the child has ended");
});

/** Returns the process's time in user mode, in hundredths of a second; -1 if it has ended. */
function processorTicksOf(pid: string): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /, "")
      .split(" ");
    return Number(fields[11]);
  } catch {
    return -1;
  }
}
