// Tests that a hanging process ends and reports its progress, and that other processes are not
// affected.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";

const folder = mkdtempSync(join(tmpdir(), "touchstone-watch-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const WATCH = new URL("./watchdog.js", import.meta.url).href;

function script(name: string, body: string): string {
  const file = join(folder, `${name}.mjs`);
  const head = `import { ProgramWatchdog } from ${JSON.stringify(WATCH)};
const watch = new ProgramWatchdog(1);
const spin = (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); };
`;
  writeFileSync(file, head + body);
  return file;
}

const run = (name: string, body: string) =>
  spawnSync(process.execPath, [script(name, body)], { encoding: "utf8" });

test("a process with a hanging program ends, and reports the program", (t) => {
  const { signal, stdout } = run("hangs", "watch.next(); watch.next(); for (;;);");
  t.is(signal, "SIGKILL");
  const { hung, programs, processor } = JSON.parse(stdout);
  t.true(hung);
  t.is(programs, 2);
  t.true(processor > 1);
});

test("programs that finish, and later work, are not affected", (t) => {
  const { status, stdout } = run(
    "goes-on",
    `
for (let i = 0; i < 20; i++) { watch.next(); spin(100); }
await watch.end();
spin(2500);
console.log("done");`,
  );
  t.is(status, 0);
  t.is(stdout, "done\n");
});

test("a program with a known time limit is ended earlier, and no other", (t) => {
  const usual = "watch.next(); spin(200); watch.next(2.5); spin(1500); watch.next();";
  const { signal, stdout } = run("is-known", `${usual} spin(1000); watch.next(0.2); for (;;);`);
  t.is(signal, "SIGKILL");
  const { programs, processor } = JSON.parse(stdout);
  t.is(programs, 4);
  t.true(processor < 10);
});

test("the process ends even if its output is not read", async (t) => {
  const file = script("unread", "watch.next(); watch.next(0.2); for (;;);");
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.destroy();
  const [, signal] = await once(child, "exit");
  t.is(signal, "SIGKILL");
});
