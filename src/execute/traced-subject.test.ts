// Tests programs with traces that run as machine code and return to the interpreter.

import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge } from "../compare/judge-program.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { ALL_SUBJECTS } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";

const PROGRAMS = 7n;

emulatorTest(test)(
  "traces as machine code: the interpreter and the code exchange their state",
  (t) => {
    const names = ["traced-ir-O2", "traced-x64-O1", "traced-arm64-O2", "traced-arm64-O0-halves"];
    const subjects = ALL_SUBJECTS.filter(({ name }) => names.includes(name));
    t.is(subjects.length, names.length);
    const judge = new Judge({ subjects, fuelMax: DEFAULT_FUEL });
    const entries = new Map<string, number>();
    for (let seed = 1n; seed <= PROGRAMS; seed++) {
      const { module, inputs } = programOf(seed, "traced");
      for (const { subject, judgements, counts } of judge.judge({
        module,
        inputs,
        own: { chaos: seed },
      }).results) {
        for (const { verdict } of judgements) {
          const shown =
            verdict.kind === "different" ? describeDifference(verdict.difference) : null;
          t.is(shown, null, `seed ${seed}, ${subject}`);
        }
        entries.set(subject, (entries.get(subject) ?? 0) + (counts?.traces?.entries ?? 0));
      }
    }
    judge.close();
    for (const name of names)
      t.true((entries.get(name) ?? 0) >= 50, `${name}: ${entries.get(name)}`);
  },
);
