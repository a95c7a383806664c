// Every program of corpus/regress, corpus/golden/run, opcodes and seeds: its `; run:` lines hold in the oracle, and
// every subject agrees with the oracle.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { emulatorTest, testedSubjects } from "../execute/unicorn-available.js";
import { projectRoot } from "../execute/unicorn-library.js";
import { parseModule } from "../ir/parse.js";
import { checkExpectation, runLines } from "../ir/run-line.js";
import { Judge } from "./judge-program.js";

const FUEL = 1_000_000;
const FOLDERS = [
  "corpus/regress",
  "corpus/golden/run",
  "corpus/golden/opcodes",
  "corpus/golden/seeds",
];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(projectRoot(), folder))
    .filter((name) => name.endsWith(".ir"))
    .map((name) => join(folder, name)),
);

const withEmulator = emulatorTest(test);
let shared: Judge | null = null;
const judge = (): Judge => {
  shared ??= new Judge({ subjects: testedSubjects(), fuelMax: FUEL });
  return shared;
};

test("there are programs to run", (t) => {
  t.true(files.length > 0);
});

const SYSTEMS = ["b3", "luajit", "ionmonkey", "nanojit", "tamarin"];

for (const system of SYSTEMS) {
  test(`a listing of ${system} is among them`, (t) => {
    t.true(files.some((file) => file.startsWith(join("corpus/golden/seeds", `${system}-`))));
  });
}

for (const file of files) {
  withEmulator(file, (t) => {
    const text = readFileSync(join(projectRoot(), file), "utf8");
    const module = parseModule(text);
    const runs = runLines(text, module);
    t.true(runs.length > 0, "no `; run:` line");
    const inputs = runs.map(({ input }) => input);
    const { expected, results } = judge().judge(module, inputs);
    runs.forEach((run, i) => {
      if (run.expected === null) return;
      t.is(checkExpectation(run.expected, expected[i]), null, `line ${run.line}, oracle`);
    });
    for (const { subject, judgements } of results) {
      for (const { input, verdict } of judgements) {
        const place = `line ${runs[input].line}, ${subject}`;
        t.not(verdict.kind, "different", `${place}: ${JSON.stringify(verdict)}`);
      }
    }
  });
}

for (const file of files.filter((name) => name.startsWith("corpus/regress"))) {
  test(`${file} says where it comes from`, (t) => {
    const head = readFileSync(join(projectRoot(), file), "utf8").split("\n").slice(0, 8).join("\n");
    t.regex(head, /^; found by: /m);
    t.regex(head, /^; mended by: /m);
  });
}
