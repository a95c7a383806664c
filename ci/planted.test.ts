// Checks planted bugs: each change applies, describes itself, and has a program that passes without it.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { transformSync } from "esbuild";
import { CopiedTree } from "../fuzz/support/copied-tree.js";
import { parseModule } from "../src/ir/text/parse.js";
import { checkExpectation, runLines } from "../src/ir/text/run-line.js";
import { decodeModule } from "../src/oracle/fast/decode.js";
import { Oracle } from "../src/oracle/fast/oracle.js";
import { projectRoot } from "../src/support/project-root.js";
import { mutantsOfPatch } from "./measure/score/planted-mutants.js";
import { plantedTypeFaults } from "./measure/score/planted-types.js";
import { textsWithMutants } from "./measure/score/score-mutants.js";

const FOLDER = join(projectRoot(), "corpus", "planted");
const FUEL = 1_000_000;
const ids = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test("there are planted bugs", (t) => {
  t.true(ids.length > 0);
});

test("every change applies, and one build can contain all of them", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-planted-test-"));
  const tree = new CopiedTree(join(folder, "copy"), projectRoot(), () => {});
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const planted = ids.flatMap((id, number) => {
    const { mutants, fault } = mutantsOfPatch(tree, id, join(FOLDER, id, "change.patch"));
    t.is(fault, null, id);
    t.true(mutants.length > 0, id);
    return mutants.map((mutant) => ({ mutant, number }));
  });
  for (const [file, text] of textsWithMutants(tree, planted)) {
    t.notThrows(() => transformSync(text, { loader: "ts", logLevel: "silent" }), file);
  }
});

test("a change compiles, and one with an unknown name does not", (t) => {
  const [id] = ids;
  const right = join(FOLDER, id, "change.patch");
  const folder = mkdtempSync(join(tmpdir(), "touchstone-planted-test-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const wrong = join(folder, "change.patch");
  const text = readFileSync(right, "utf8");
  writeFileSync(wrong, text.replace(/^\+(?!\+\+)( *)/m, "+$1noSuchName();$1"));
  const patches = new Map(Object.entries({ wrong, right }));
  t.deepEqual(plantedTypeFaults(patches), ["wrong: Cannot find name 'noSuchName'."]);
});

for (const id of ids) {
  test(`${id} describes itself, and its program passes`, (t) => {
    const patch = readFileSync(join(FOLDER, id, "change.patch"), "utf8");
    for (const line of ["Pattern", "Component", "Stage", "Source"]) {
      t.regex(patch.split("diff --git")[0], new RegExp(`^${line}: \\S`, "m"));
    }
    const text = readFileSync(join(FOLDER, id, "trigger.ir"), "utf8");
    const module = parseModule(text);
    const program = decodeModule(module);
    const runs = runLines(text, module);
    t.true(runs.some(({ expected }) => expected !== null));
    for (const { input, expected, line } of runs) {
      if (expected === null) continue;
      const outcome = new Oracle().run(program, input, FUEL);
      t.is(checkExpectation(expected, outcome), null, `line ${line}`);
    }
  });
}
