// Tests programs of corpus/known/engines, one for each bug that can be avoided. The engine is
// wrong, and is right when the program is rewritten to avoid that bug. Then tests combinations of
// bugs with fake engines.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import type { KnownBugCures } from "../../engine/engine-subject.js";
import { engineTest } from "../../engine/engine-test.js";
import { ENGINES, engineNamed } from "../../engine/engines.js";
import { failedBy } from "../../engine/run-answer.js";
import type { RemoteSubject } from "../../execute/subject.js";
import { NOT_SHOWN } from "../../execute/subject.js";
import type { Outcome } from "../../ir/outcome.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import { Int32 } from "../../ir/types.js";
import { projectRoot } from "../../support/project-root.js";
import { curedBy } from "./cured-by.js";

const fileOf = (bug: string): string =>
  join(projectRoot(), "corpus", "known", "engines", `${bug}.ir`);

function programIn(text: string) {
  const module = parseModule(text);
  return { module, inputs: runLines(text, module).map(({ input }) => input) };
}

test("every bug that can be avoided has a program in the corpus", (t) => {
  const bugs = new Set(ENGINES.flatMap(({ cures }) => cures?.bugs ?? []));
  t.true(bugs.size >= 8, `only ${bugs.size}`);
  t.deepEqual(
    [...bugs].filter((bug) => !existsSync(fileOf(bug))),
    [],
  );
});

for (const name of ["jsc-bbq", "jsc-omg", "luajit-hot"]) {
  for (const bug of engineNamed(name)?.cures?.bugs ?? []) {
    // OMG has bugs of its own; it shows those of BBQ if its first call runs code of BBQ.
    if (!bug.startsWith(name.replace("-hot", ""))) continue;
    engineTest(test, name, `${name} is made wrong by ${bug}`, async (t, { cures }) => {
      if (cures === undefined) return t.fail("no cures");
      const program = programIn(readFileSync(fileOf(bug), "utf8"));
      t.deepEqual(await curedBy(program, cures), { bugs: [bug], which: "any" });
    });
  }
}

const TWO = ["luajit-shift-folds", "luajit-cse-types"];
engineTest(
  test,
  "luajit-hot",
  "each of two programs is made wrong by its own bug",
  async (t, { cures }) => {
    if (cures === undefined) return t.fail("no cures");
    const both = TWO.map((bug) => programIn(readFileSync(fileOf(bug), "utf8")));
    for (const [p, bug] of TWO.entries()) {
      t.deepEqual(await curedBy(both[p], cures, both), { bugs: [bug], which: "any" });
    }
  },
);

const RETURNS =
  "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n; run: f(7)\n";

/** Makes an engine that is right if these bugs are avoided. */
const rightWithout = (needed: readonly string[]): KnownBugCures => ({
  bugs: ["a", "b", "c"],
  without: (bugs) => fake(needed.every((bug) => bugs.has(bug))),
});

const fake = (isRight: boolean): RemoteSubject => ({
  ...{ kind: "remote", name: "fake", capabilities: new Set(["results"]), native: false },
  missing: () => null,
  open: () => ({
    prepare: async (programs) => ({
      run: async () =>
        programs.map(({ executions }) => ({
          kind: "ran",
          outcomes: executions.map(({ input: { words } }): Outcome => {
            if (!isRight) return failedBy("crash", "wrong result");
            const result = { type: Int32, lo: words[0], hi: 0, anyNaN: false } as const;
            return { events: [], ending: { kind: "return", result, heap: NOT_SHOWN } };
          }),
        })),
    }),
    close: () => {},
  }),
});

for (const bugs of [["a"], ["c"], ["a", "b"], ["a", "c"], ["a", "b", "c"]]) {
  test(`the joint effect of ${bugs.join(" and ")} is found`, async (t) => {
    const which = bugs.length === 1 ? "any" : "all";
    t.deepEqual(await curedBy(programIn(RETURNS), rightWithout(bugs)), { bugs, which });
  });
}

test("if avoiding either of two bugs suffices, both are reported", async (t) => {
  const { bugs } = rightWithout([]);
  const either = {
    bugs,
    without: (some: ReadonlySet<string>) => fake(some.has("a") || some.has("c")),
  };
  t.deepEqual(await curedBy(programIn(RETURNS), either), { bugs: ["a", "c"], which: "any" });
});

test("a difference with another cause is not assigned", async (t) => {
  t.is(await curedBy(programIn(RETURNS), rightWithout(["another"])), null);
});

test("a run that is right by chance is not taken for cured", async (t) => {
  // The engine is wrong every second time, except if "b" is avoided.
  let runs = 0;
  const flaky: KnownBugCures = {
    bugs: ["a", "b", "c"],
    without: (bugs) => fake(bugs.has("b") || runs++ % 2 === 0),
    tries: 2,
  };
  t.deepEqual(await curedBy(programIn(RETURNS), flaky), { bugs: ["b"], which: "any" });
});

test("a rare failure is searched longer, and must be right more often", async (t) => {
  // The engine is always right without "b", else wrong in every sixth run.
  const runs = new Map<string, number>();
  const seldom: KnownBugCures = {
    bugs: ["a", "b"],
    without: (bugs) => {
      const key = [...bugs].join();
      const run = (runs.get(key) ?? 0) + 1;
      runs.set(key, run);
      return fake(bugs.has("b") || run % 6 !== 0);
    },
    tries: 2,
  };
  t.deepEqual(await curedBy(programIn(RETURNS), seldom), { bugs: ["b"], which: "any" });
  t.deepEqual(
    [...runs],
    [
      ["", 6],
      ["a", 6],
      ["b", 18],
    ],
  );
});
