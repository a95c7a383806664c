// Tests that the registered processes and the folder of a process are gone after it was killed.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";

const MODULE = new URL("./scratch-folder.js", import.meta.url).href;
/** Registers a process that has ended, and one that runs. Prints the folder, and the id of the latter. */
const SCRIPT = `
  import { spawn, spawnSync } from "node:child_process";
  import { once } from "node:events";
  import { tmpdir } from "node:os";
  import { ScratchFolder } from ${JSON.stringify(MODULE)};
  const scratch = new ScratchFolder();
  const start = (script) => {
    const child = spawn(process.execPath, ["-e", script], { detached: true, stdio: "ignore" });
    scratch.enlist(child);
    return child;
  };
  await once(start(""), "close");
  const { pid } = start("setInterval(() => {}, 1000)");
  setTimeout(() => console.log(JSON.stringify({ pid, folder: tmpdir() })), 100);
`;

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a killed process leaves neither its registered processes nor its folder", async (t) => {
  const owner = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: owner.stdout });
  const said = await lines[Symbol.asyncIterator]().next();
  const { pid, folder } = JSON.parse(said.value ?? "{}");
  t.teardown(() => {
    if (isThere(pid)) process.kill(pid, "SIGKILL");
  });
  t.true(isThere(pid) && existsSync(folder));
  owner.kill("SIGKILL");
  while (isThere(pid) || existsSync(folder)) await sleep(100);
  t.false(isThere(pid));
  t.false(existsSync(folder));
});

test("a missing folder of temporary files is a refusal of the machine that names it", (t) => {
  const script = `
    import { ScratchFolder } from ${JSON.stringify(MODULE)};
    try { new ScratchFolder(); } catch ({ name, message }) { console.log(name, message); }
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: "/nowhere" },
  });
  t.regex(stdout, /^MachineError the folder of temporary files, \/nowhere: no such file or folder/);
});

/** Closes the folder while a child writes files into it. */
const WRITER = `
  import { spawn } from "node:child_process";
  import { existsSync } from "node:fs";
  import { tmpdir } from "node:os";
  import { ScratchFolder } from ${JSON.stringify(MODULE)};
  const scratch = new ScratchFolder();
  const folder = tmpdir();
  const script = 'cd "$0"; for i in $(seq 20000); do : > $i; done';
  const child = spawn("sh", ["-c", script, folder], { detached: true, stdio: "ignore" });
  scratch.enlist(child);
  child.unref();
  while (!existsSync(folder + "/500"));
  scratch.close();
  console.log(folder);
`;

test("a folder is removed although a child still writes into it", async (t) => {
  const words = ["--input-type=module", "-e", WRITER];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  t.is(stderr, "");
  for (let i = 0; i < 100 && existsSync(stdout.trim()); i++) await sleep(100);
  t.false(existsSync(stdout.trim()));
});
