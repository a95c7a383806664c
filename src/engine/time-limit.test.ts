// Tests that time limits of commands count the time in which a command computes or waits, and not the
// time in which other processes have its processor.

import { type ChildProcess, spawn } from "node:child_process";
import test, { type ExecutionContext } from "ava";
import { LineProcess } from "./line-process.js";
import { pathOf } from "./path-of.js";
import { runCommand } from "./run-command.js";

const TASKSET = process.platform === "linux" ? pathOf("taskset") : null;
const withTaskset = TASKSET === null ? test.skip : test;

/** The processor that the command shares with the others. */
const PROCESSOR = "0";
const OTHERS = 12;
const LIMIT_MS = 600;
/** A loop that computes for about a third of the limit on an idle machine, and then writes a line. */
const COMPUTES = `
const used = () => process.cpuUsage().user + process.cpuUsage().system;
const end = used() + 200_000;
while (used() < end);
console.log("done");
`;

/** Returns the command that runs on the shared processor. */
const pinned = (script: string) => {
  return { path: TASKSET ?? "", args: ["-c", PROCESSOR, process.execPath, "-e", script] };
};

/** Starts processes that use the shared processor until the test or the test process ends. */
function occupy(t: ExecutionContext): void {
  const loop = `while kill -0 ${process.pid} 2>/dev/null; do :; done`;
  const others = Array.from({ length: OTHERS }, (): ChildProcess => {
    const args = ["-c", PROCESSOR, "/bin/sh", "-c", loop];
    // Some systems share processors fairly between sessions, so each has a session of its own.
    return spawn(TASKSET ?? "", args, { detached: true, stdio: "ignore" });
  });
  t.teardown(() => {
    for (const other of others) other.kill("SIGKILL");
  });
}

withTaskset("a command that gets little of a processor does not hang", async (t) => {
  occupy(t);
  const begin = performance.now();
  const { death, output } = await runCommand(pinned(COMPUTES), [], LIMIT_MS);
  t.is(death, null);
  t.is(output.toString(), "done\n");
  t.true(performance.now() - begin > LIMIT_MS, "the other processes did not delay it");
});

withTaskset("an answer of a process that gets little of a processor arrives", async (t) => {
  occupy(t);
  const child = new LineProcess(pinned(`${COMPUTES}; setInterval(() => {}, 1000)`));
  t.teardown(() => child.stop());
  const begin = performance.now();
  t.deepEqual(await child.start(LIMIT_MS), { kind: "line", text: "done" });
  t.true(performance.now() - begin > LIMIT_MS, "the other processes did not delay it");
});

for (const [does, script] of [
  ["computes", "while :; do :; done"],
  ["waits", "sleep 1000"],
  ["waits for a child that computes", "sh -c 'while :; do :; done'; true"],
  ["waits for a child that waits", "sleep 1000; true"],
  ["is stopped", "kill -STOP $$"],
] as const) {
  test(`a command that ${does} without end hangs`, async (t) => {
    const command = { path: "/bin/sh", args: ["-c", script] };
    const { death, failure } = await runCommand(command, [], 300);
    t.is(failure, "hang");
    t.regex(death ?? "", /^did not end within 300 ms/);
  });
}
