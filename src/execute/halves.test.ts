// Tests values in halves: every program of the golden files keeps its meaning, and one of them
// contains every form of use.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { HALF_FORMS, halfName } from "../../reference/lower/half-forms.js";
import { Judge } from "../compare/judge-program.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { projectRoot } from "../support/project-root.js";
import { SUBJECTS } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";

const FOLDER = join(projectRoot(), "corpus/golden/run");
const ALL_FORMS = "values-that-are-only-moved.ir";
const VALUES_MIN = 200;

emulatorTest(test)("every golden program with values in halves", (t) => {
  const judge = new Judge({
    subjects: SUBJECTS.filter(
      ({ halves, chaos, allocator }) => halves && !chaos && allocator === null,
    ),
    fuelMax: 1_000_000,
  });
  let values = 0;
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".ir"))) {
    const text = readFileSync(join(FOLDER, name), "utf8");
    const module = parseModule(text);
    const calls = runLines(text, module).map(({ input }) => input);
    const { results } = judge.judge({ module, inputs: calls });
    for (const { subject, judgements, counts } of results) {
      values += counts?.halves["value"] ?? 0;
      for (const { verdict } of judgements) {
        t.not(verdict.kind, "different", `${name}, ${subject}: ${JSON.stringify(verdict)}`);
      }
    }
    if (name !== ALL_FORMS) continue;
    for (const target of ["x64", "arm64"]) {
      const events = results
        .filter(({ subject }) => subject.startsWith(target))
        .flatMap(({ counts }) => counts?.events ?? []);
      const missing = HALF_FORMS.map(halfName).filter((form) => !events.includes(form));
      t.deepEqual(missing, [], target);
    }
  }
  judge.close();
  t.true(values > VALUES_MIN, `${values} values in halves`);
});
