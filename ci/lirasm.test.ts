// Runs ci/lirasm.mjs on tests of the form that Nanojit's assembler has.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

/** Runs the script on files by name; the path of their folder has a space. */
function run(files: Readonly<Record<string, string>>): { status: number | null; stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), "touchstone lir "));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const command = [join(projectRoot(), "ci/lirasm.mjs"), folder];
    return spawnSync(process.execPath, command, { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const THIRD = {
  "a.in": "x = immd 1\ny = immd 3e6\nz = divd x y\nretd z\n",
  "a.out": "Output is: 3.33333e-07\n",
};
const LEAVES = {
  "b.in": "x = immi 3\ncallv printi cdecl x\ny = eqi x x\nxt y\n",
  "b.out": "3\nExited block on line: 4\n",
};
const REFUSED = { "c.in": "p = allocp 8\nx = calli puts cdecl p\nreti x\n", "c.out": "\n" };

test("printed results are compared, and refusals listed by reason", (t) => {
  const { status, stdout } = run({ ...THIRD, ...LEAVES, ...REFUSED });
  t.regex(stdout, /^refused, puts: a function of C: .*c\.in:2$/m);
  t.regex(
    stdout,
    /^3 tried, 2 taken, 1 refused; results equal: 2; executions equal: 12, open: 0; different: 0$/m,
  );
  t.is(status, 0);
});

test("a result that differs is found", (t) => {
  const { status, stdout } = run({ ...LEAVES, "b.out": "3\nExited block on line: 5\n" });
  t.regex(
    stdout,
    /b\.in: expected '3 \| Exited block on line: 5', the oracle gives '3 \| Exited block on line: 4'$/m,
  );
  t.is(status, 1);
});
