// Tests every program of corpus/regress, corpus/golden/run, opcodes and seeds: its `; run:` lines hold in the oracle,
// and every subject agrees with the oracle. The many programs of corpus/golden/<phase> run only in fast subjects:
// interpreted, after all phases, after those that the file lists, and in drawn orders.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { PHASES } from "../../reference/pipeline.js";
import { subjectNamed } from "../execute/subjects.js";
import { emulatorTest, testedSubjects } from "../execute/unicorn-available.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { checkExpectation, type RunLine, runLines } from "../ir/text/run-line.js";
import { projectRoot } from "../support/project-root.js";
import { trials } from "../support/trials.js";
import { Judge, type ProgramResult } from "./judge-program.js";
import { regressionSettings } from "./regression-settings.js";

const FUEL = 1_000_000;
const FOLDERS = [
  "corpus/regress",
  "corpus/golden/run",
  "corpus/golden/opcodes",
  "corpus/golden/seeds",
];

const programsOf = (folder: string): string[] =>
  readdirSync(join(projectRoot(), folder))
    .filter((name) => name.endsWith(".ir"))
    .map((name) => join(folder, name));
const files = FOLDERS.flatMap(programsOf);
const phaseFiles = PHASES.flatMap(({ name }) => programsOf(join("corpus/golden", name)));

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
    const { text, module, runs, inputs } = programOf(file);
    t.true(runs.length > 0, "no `; run:` line");
    check(t, runs, judge().judge({ module, inputs, own: regressionSettings(text) }));
  });
}

const interpreted = new Judge({
  subjects: ["ir-O1", "ir-O2", "ir-O2-chaos"].flatMap((name) => subjectNamed(name) ?? []),
  fuelMax: FUEL,
});
/** Selections of subjects: nonzero at the index of each selected one; null for all. */
const ALL = null;
const O2 = Uint8Array.of(0, 1, 0);
const CHAOS = Uint8Array.of(0, 0, 1);
/** The number of orders that are drawn for each file. */
const CHAOS_COUNT = trials(1, 4);

for (const file of phaseFiles) {
  test(file, (t) => {
    const { text, module, runs, inputs } = programOf(file);
    const phases =
      /^; test: (.*)$/m
        .exec(text)?.[1]
        .split(",")
        .map((name) => name.trim()) ?? null;
    t.not(phases, null, "names no phase");
    t.true(runs.length > 0, "no `; run:` line");
    check(t, runs, interpreted.judge({ module, inputs, own: { verify: true }, chosen: ALL }));
    check(
      t,
      runs,
      interpreted.judge({ module, inputs, own: { verify: true, phases }, chosen: O2 }),
    );
    for (let chaos = 1n; chaos <= CHAOS_COUNT; chaos++) {
      check(
        t,
        runs,
        interpreted.judge({ module, inputs, own: { verify: true, chaos }, chosen: CHAOS }),
      );
    }
  });
}

interface FileProgram {
  readonly text: string;
  readonly module: Module;
  readonly runs: readonly RunLine[];
  readonly inputs: readonly Input[];
}

function programOf(file: string): FileProgram {
  const text = readFileSync(join(projectRoot(), file), "utf8");
  const module = parseModule(text);
  const runs = runLines(text, module);
  return { text, module, runs, inputs: runs.map(({ input }) => input) };
}

function check(
  t: ExecutionContext,
  runs: readonly RunLine[],
  { expected, results }: ProgramResult,
): void {
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
}

for (const file of files.filter((name) => name.startsWith("corpus/regress"))) {
  test(`${file} states its origin`, (t) => {
    const head = readFileSync(join(projectRoot(), file), "utf8").split("\n").slice(0, 8).join("\n");
    t.regex(head, /^; found by: /m);
    t.regex(head, /^; fixed by: /m);
  });
}
