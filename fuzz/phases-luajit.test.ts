// `fuzz phases x.lua` and `fuzz import x.lua`.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { answerFault } from "../ci/schemas/answer-fault.js";
import { engineTest } from "../src/engine/engine-test.js";
import { projectRoot } from "../src/support/project-root.js";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-phases-lua-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const file = join(folder, "x.lua");
writeFileSync(
  file,
  "local t, n = { 1, 2, 3 }, 0\nfor i = 1, 60 do n = n + t[i % 3 + 1] end\nprint(n)\n",
);

engineTest(test.serial, "luajit", "right traces: status 0, and the counts of each", async (t) => {
  const { status, out, error } = await runHere(["phases", file]);
  t.is(status, 0, error);
  t.regex(out, /^1 +x\.lua:2 +loop +yes +[1-9]\d* +1 +\d+ +-$/m);
});

engineTest(test.serial, "luajit", "a wrong trace: its difference, cause and program", async (t) => {
  const known = join(projectRoot(), "corpus/known/engines/luajit-narrowing.lua");
  const out = join(folder, "out");
  const { status, out: json, error } = await runHere(["phases", known, "--out", out, "--json"]);
  t.is(status, 1, error);
  t.is(answerFault("touchstone.phases", json), null);
  t.regex(json, /"phase": ?"[^"]*narrow/);
  t.regex(readFileSync(join(out, "trace1.ir"), "utf8"), /^touchstone 1$/m);
});

engineTest(test.serial, "luajit", "each trace is imported as a program that holds", async (t) => {
  const out = join(folder, "traces");
  const { status, error } = await runHere(["import", file, "--from", "luajit", "--out", out]);
  t.is(status, 0, error);
  const files = readdirSync(out);
  t.true(files.includes("trace1.ir"));
  for (const name of files) {
    const ran = await runHere(["exec", join(out, name), "--subjects", "ir-O2"]);
    t.is(ran.status, 0, ran.out + ran.error);
  }
});

engineTest(test.serial, "luajit", "unusual files: one line, status 2", async (t) => {
  const broken = join(folder, "broken.lua");
  writeFileSync(broken, "for for\n");
  const cold = join(folder, "cold.lua");
  writeFileSync(cold, "print(1)\n");
  for (const [path, words] of [
    [broken, /broken\.lua:1: /],
    [cold, /LuaJIT recorded no trace/],
    [join(folder, "none.lua"), /none\.lua/],
  ] as const) {
    for (const command of ["phases", "import"]) {
      const { status, error } = await runHere([command, path]);
      t.is(status, 2, error);
      t.regex(error, words);
      t.is(error.trim().split("\n").length, 1, error);
    }
  }
  const { status, error } = await runHere(["import", file, "--export", "99"]);
  t.is(status, 2);
  t.regex(error, /there is no such trace: expected one of 1 to \d+/);
});

test.serial("a missing LuaJIT: status 3", async (t) => {
  const { status, error } = await runHere([
    "phases",
    file,
    "--compiler",
    join(folder, "no-luajit"),
  ]);
  t.is(status, 3, error);
});
