// Checks that a test with an endless child is named, with that child, and continues.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test, { type ExecutionContext } from "ava";
import { projectRoot } from "../../src/support/project-root.js";

// The modules of `npm test` are plain JavaScript, without types.
const { endStalled, ProgressWatch, watchStalls } = (await import(
  pathToFileURL(join(projectRoot(), "ci", "test-groups", "stalled.mjs")).href
)) as {
  endStalled(running: ReadonlyMap<number, string>): string[];
  readonly ProgressWatch: new (
    limitMs: number,
  ) => { isStalled(used: number, now: number): boolean; restart(): void };
  watchStalls(
    folder: string,
    limitMs: number,
    say: (line: string) => void,
  ): { progress(): void; stop(): void };
};
const FOR_EVER = 100_000;
const AFTERWARDS = 7;

/** Starts a shell that waits for an endless child, and then ends with AFTERWARDS. */
async function startWaiting(t: ExecutionContext) {
  // It has started when the child is no longer a shell.
  const started = "until grep -q sleep /proc/$!/comm; do :; done";
  const script = `sleep ${FOR_EVER} & ${started}; echo started; wait $!; exit ${AFTERWARDS}`;
  const shell = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(() => shell.kill("SIGKILL"));
  const exited = once(shell, "exit");
  await once(shell.stdout, "data");
  return { id: shell.pid as number, exited };
}

test("the process that a test waits for is named and killed, and the test continues", async (t) => {
  const { id, exited } = await startWaiting(t);
  const [title, killed, ...rest] = endStalled(new Map([[id, "a.test.ts › waits"]]));
  t.is(title, "  a.test.ts › waits");
  t.regex(killed ?? "", new RegExp(`^ {4}killed: \\d+ \\(S, \\S+\\): sleep ${FOR_EVER}$`));
  t.deepEqual(rest, []);
  t.is((await exited)[0], AFTERWARDS);
});

test("a test without children is killed itself, and an ended one is left out", async (t) => {
  const alone = spawn("sleep", [String(FOR_EVER)]);
  t.teardown(() => alone.kill("SIGKILL"));
  const gone = spawn("true");
  const exited = once(alone, "exit");
  await once(gone, "exit");
  const running = new Map([
    [alone.pid as number, "turns"],
    [gone.pid as number, "has ended"],
  ]);
  const lines = endStalled(running);
  t.is(lines.length, 2);
  t.is(lines[0], "  turns");
  t.is((await exited)[1], "SIGKILL");
});

test("nothing is killed as long as results come", async (t) => {
  const { id, exited } = await startWaiting(t);
  const folder = mkdtempSync(join(tmpdir(), "touchstone-stalled-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, `${id}.running`), "waits");
  const limitMs = 400;
  const said: string[] = [];
  const stalls = watchStalls(folder, limitMs, (line) => said.push(line));
  t.teardown(stalls.stop);
  let isEnded = false;
  void exited.then(() => {
    isEnded = true;
  });
  for (let round = 0; round < 10; round++) {
    await new Promise((resolve) => setTimeout(resolve, limitMs / 5));
    stalls.progress();
  }
  t.false(isEnded);
  t.deepEqual(said, []);
  t.is((await exited)[0], AFTERWARDS);
  t.deepEqual(said.slice(0, 2), [
    "no test has ended for 0.4 s of processor time, or of waiting:",
    "  waits",
  ]);
});

test("an endless loop stalls by processor time, a wait by the clock, and a slow machine stalls nothing", (t) => {
  const watch = new ProgressWatch(100);
  /** The moments of the clock, one for each 10 ms of processor time or so, after which tests stall; null if never. */
  const stalledAfter = (msPerLook: number, usedPerLook: number): number | null => {
    watch.restart();
    for (let look = 0; look < 1000; look++) {
      if (watch.isStalled(look * usedPerLook, look * msPerLook)) return look;
    }
    return null;
  };
  t.is(stalledAfter(10, 10), 10, "an endless loop on a quiet machine");
  t.is(stalledAfter(500, 10), 10, "an endless loop among fifty others");
  t.is(stalledAfter(10, 0), 10, "a wait");
  t.is(stalledAfter(10, 0.05), 10, "a loop that looks and sleeps");
  watch.restart();
  for (let look = 0; look < 1000; look++) {
    if (look % 9 === 0) watch.restart(); // a result
    t.false(watch.isStalled(look * 10, look * 50), `look ${look}`);
  }
});
