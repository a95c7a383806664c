// Finds unused exports, unused files, and exports that only tests use.

import test from "ava";
import { isTest, plant, readCode } from "./project-files.js";
import { type FactsByPath, factsOf } from "./source-facts.js";
import { type CheckFault, expectOnlyOpen } from "./still-open.js";

interface ExemptPath {
  readonly path: RegExp;
  readonly why: string;
}

/** Files that run without being imported. Their exports count as used, by name or by convention. */
const ENTRY_POINTS: readonly ExemptPath[] = [
  { path: /^fuzz\/launcher\.mjs$/, why: "the command" },
  {
    path: /^src\/playground\/(worker|page\/page|stand-ins\/[\w-]+)\.ts$/,
    why: "ci/bundle/playground.mjs bundles them for the page",
  },
  { path: /^src\/library\/(library|patchpoints)\.ts$/, why: "the entries of the package" },
  { path: /^fuzz\/main\.ts$/, why: "the launcher imports it from the build" },
  { path: /^fuzz\/run\/against-child\.ts$/, why: "fuzz run --against starts it in two builds" },
  { path: /^ci\/([\w-]+\/)*[\w-]+\.mjs$/, why: "scripts that are run by hand and by ci/nightly" },
  {
    path: /^src\/engine\/(clang|wasi)-in-node\.ts$/,
    why: "src/engine/compiler-rows.ts starts them in processes of their own",
  },
  {
    path: /^fuzz\/jsfuzz\/(parser|byte-generator|exit-table|features)\.ts$/,
    why: "jsfuzz targets",
  },
];

/** Sources for tests: no other source imports them. */
const TEST_SOURCES: readonly ExemptPath[] = [
  { path: /-arb\.ts$/, why: "sources of fast-check values" },
  {
    path: /^src\/support\/(smaller-)?choices\.ts$/,
    why: "fast-check's draws as choices, and their shrinking",
  },
  { path: /^src\/support\/trials\.ts$/, why: "the trials of a test" },
  {
    path: /^src\/(support\/first-seed|campaign\/program\/returned-by)\.ts$/,
    why: "seeds with the subject of a test",
  },
  {
    path: /^src\/playground\/browser\/[\w-]+\.ts$/,
    why: "drives browsers in tests",
  },
  { path: /^src\/oracle\/fast\/test-programs\.ts$/, why: "programs that several tests run" },
  { path: /^src\/ir\/program-around\.ts$/, why: "programs that several tests run" },
  {
    path: /^src\/ir\/text\/opcode-table\.ts$/,
    why: "the tables in docs/language.md, written by a test",
  },
  {
    path: /^src\/(execute\/unicorn-available|engine\/engine-test)\.ts$/,
    why: "skips tests that this machine cannot run",
  },
  {
    path: /^src\/execute\/host\/attempt(s|-all)\.ts$/,
    why: "tries to leave the native child, in a process that a test starts",
  },
  {
    path: /^ci\/measure\/growth\/count-steps\.ts$/,
    why: "measures growth in steps, never in time",
  },
  {
    path: /^reference\/regalloc\/examples\//,
    why: "the example of docs/how-to/add-an-allocator.md",
  },
  { path: /^fuzz\/answers\/json-schema\.ts$/, why: "docs/schemas, written by a test" },
  { path: /^fuzz\/support\/run-here\.ts$/, why: "runs a command in the process of the test" },
  { path: /^src\/import\/mutated-text\.ts$/, why: "malformed texts for tests of parsers" },
  { path: /^reference\/x64\/readers\.ts$/, why: "a disassembler and an assembler by others" },
  { path: /^reference\/lir\/text\/parse-lir\.ts$/, why: "LIR as text: only tests begin there" },
  {
    path: /^reference\/regalloc\/examples\/spill-everywhere\.ts$/,
    why: "an allocator to copy, which its test checks",
  },
  { path: /^ci\/[\w-]+\.ts$/, why: "the checks" },
  {
    path: /^ci\/(schemas|api)\/[\w-]+\.ts$/,
    why: "used by tests to read answers and to write pages",
  },
];

/** Exports of other sources that only tests use, by file and name, with the reason. */
const TEST_HELPERS: Readonly<Record<string, string>> = {
  "fuzz/answers/schemas.ts schemaOf": "docs/schemas, written by a test",
  "reference/arm64/encodings.ts ENCODINGS": "a test plants a change in the bits of a row",
  "reference/arm64/encodings.ts rowsWith": "a test plants a wrong row",
  "reference/arm64/registers.ts PLATFORM": "a test: every register has one use",
  "reference/optimize.ts payoffFault": "a test plants an order that does not pay",
  "reference/optimize.ts waitFault": "a test plants a step that waits in vain",
  "reference/optimize/rules/fold.ts FOLDS": "completeness: opcodes that fold",
  "reference/optimize/rules/instantiate.ts InstanceOptions": "the type of a test's options",
  "reference/lir/indices.ts vregAt":
    "tests and the parser of LIR, a test's helper, name registers by number",
  "reference/regalloc/pressure.ts fewRegisters": "the pressure that several tests put on",
  "src/engine/engines.ts DRAWN": "tests of drawn flags begin at the rows",
  "src/playground/write-page.ts PAGE_SIZE_MAX": "the limit that a test holds the page to",
  "src/engine/llvm/llvm-subject.ts judgePasses": "the counts of a judgement",
  "src/export/jvm/export-jar.ts textOf": "the class of a program as text",
  "src/export/jvm/write-procedure.ts constantOf": "constants alone",
  "src/llvm/pass-dumps.ts splitDumps": "a log without a compiler",
  "src/compare/boundary.ts runBoundaryTables": "all steps at once",
  "src/compare/conform.ts conform": "all steps at once",
  "src/campaign/canary/allocation-canaries.ts loseMoves": "a planted bug of several tests",
  "src/campaign/count/counters.ts PROGRAMS_ENOUGH": "a bound that a test goes to",
  "src/campaign/count/counters.ts PROGRAMS_ENOUGH_FOR_ROWS": "a bound that a test goes to",
  "src/campaign/evolved/corpus.ts FEW": "a bound that a test goes to",
  "src/campaign/evolved/evolution.ts SHARE_MIN": "a bound that a test goes to",
  "src/campaign/evolved/features.ts nameOfFeature": "a feature as people read it",
  "ci/measure/pages/pages.ts PageTable": "the type of a test's table",
  "ci/measure/pages/write-page.ts pagePath": "the page that a test compares",
  "ci/measure/pages/write-page.ts readAllMeasured": "the data that a test compares",
  "ci/measure/pages/write-page.ts writePage": "TOUCHSTONE_UPDATE=1 in a test",
  "ci/measure/score/score-mutants.ts textsWithMutants":
    "the texts of all planted changes, whose syntax a test checks",
  "ci/measure/score/planted-mutants.ts mutantsOfTexts": "changes of texts that are in no file",
  "ci/prose/check.ts subjectFaults": "the subjects of commits are checked by a test alone",
  "ci/prose/rules.ts SUBJECTS_SINCE": "the same",
  "src/generate/control/shape.ts STRUCTURES": "shapes.test.ts draws each alone",
  "src/generate/generate-program.ts generateAround": "shapes.test.ts draws one shape",
  "src/generate/rule-patterns.ts NodeText": "ci/refresh-patterns.mjs writes it",
  "src/generate/rule-patterns.ts RuleText": "ci/refresh-patterns.mjs writes it",
  "src/ir/immediates.ts IMMEDIATES": "a test: each opcode has the immediates of its row",
  "src/ir/immediates.ts IMMEDIATE_NAMES": "the same",
  "src/ir/immediates.ts hasImmediate": "the same",
  "src/ir/text/parse.ts BOUNDS": "tests go up to each bound, and one beyond",
};

// biome-ignore format: a list
const OPEN_FILES: readonly string[] = [
];

// The exports that only tests use, by file and name.
// biome-ignore format: a list
const OPEN_EXPORTS: readonly string[] = [
];

const matches = (rows: readonly ExemptPath[], path: string): boolean =>
  rows.some((row) => row.path.test(path));

const isForTests = (path: string): boolean => isTest(path) || matches(TEST_SOURCES, path);

/** Returns all sources that the entry points reach, or that these and the tests reach. */
function reached(facts: FactsByPath, isStart: (path: string) => boolean): ReadonlySet<string> {
  const seen = new Set([...facts.keys()].filter(isStart));
  for (const path of seen) {
    for (const { targets } of facts.get(path)?.imports ?? []) {
      for (const target of targets) seen.add(target);
    }
  }
  return seen;
}

function fileFaults(facts: FactsByPath): CheckFault[] {
  const isEntry = (path: string) => matches(ENTRY_POINTS, path);
  const byEntries = reached(facts, isEntry);
  const byTests = reached(facts, (path) => isEntry(path) || isTest(path));
  return [...facts.keys()]
    .filter((path) => !byEntries.has(path) && !(isForTests(path) && byTests.has(path)))
    .map((place) => ({
      place,
      what: byTests.has(place) ? "only tests use this source" : "nothing uses this source",
    }));
}

/** Returns by file the names that other files import; `all` if an import does not list names. */
function namesTaken(
  facts: FactsByPath,
  isUser: (path: string) => boolean,
): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  for (const [path, { imports }] of facts) {
    if (!isUser(path)) continue;
    for (const { targets, names } of imports) {
      for (const target of targets) {
        const known = taken.get(target) ?? new Set();
        taken.set(target, known);
        for (const name of names === "all" ? ["all"] : names) known.add(name);
      }
    }
  }
  return taken;
}

function exportFaults(facts: FactsByPath, helpers: Readonly<Record<string, string>>): CheckFault[] {
  const bySources = namesTaken(facts, (path) => !isForTests(path));
  const byAll = namesTaken(facts, () => true);
  const isIn = (taken: typeof byAll, path: string, name: string) =>
    taken.get(path)?.has(name) === true || taken.get(path)?.has("all") === true;
  const faults: CheckFault[] = [];
  const needed = new Set<string>();
  for (const [path, { exports }] of facts) {
    if (matches(ENTRY_POINTS, path)) continue;
    for (const { name } of exports) {
      const place = `${path} ${name}`;
      if (isIn(isForTests(path) ? byAll : bySources, path, name)) continue;
      if (!isIn(byAll, path, name)) faults.push({ place, what: "an export that nothing imports" });
      else if (place in helpers) needed.add(place);
      else faults.push({ place, what: "an export that only tests import" });
    }
  }
  const idle = Object.keys(helpers).filter((place) => !needed.has(place));
  return [
    ...faults,
    ...idle.map((place) => ({ place, what: "no helper of tests: no row needed" })),
  ];
}

/** Finds names that a script imports from a module without such an export: no compiler reads scripts. */
function scriptFaults(facts: FactsByPath): CheckFault[] {
  const faults: CheckFault[] = [];
  for (const [path, { imports }] of facts) {
    if (!path.endsWith(".mjs")) continue;
    for (const { specifier, targets, names } of imports) {
      const modules = targets.flatMap((target) => facts.get(target) ?? []);
      if (names === "all" || modules.length === 0) continue;
      const exported = new Set(modules.flatMap(({ exports }) => exports.map(({ name }) => name)));
      for (const name of names) {
        if (exported.has(name)) continue;
        faults.push({ place: `${path} ${name}`, what: `${specifier} has no such export` });
      }
    }
  }
  return faults;
}

const code = readCode();
const facts = factsOf(code);

test("every source is reached from an entry point", (t) => {
  t.true(facts.size > 200, `only ${facts.size} sources found`);
  expectOnlyOpen(t, OPEN_FILES, fileFaults(facts));
});

test("every export is imported, and not only by tests", (t) => {
  expectOnlyOpen(t, OPEN_EXPORTS, exportFaults(facts, TEST_HELPERS));
});

test("scripts import only names that exist", (t) => {
  const scripts = [...facts].filter(([path]) => path.endsWith(".mjs"));
  t.true(scripts.flatMap(([, { imports }]) => imports).length > 100);
  expectOnlyOpen(t, OPEN_EXPORTS, scriptFaults(facts));
});

test("every row of the tables names a source", (t) => {
  for (const { path, why } of [...ENTRY_POINTS, ...TEST_SOURCES]) {
    t.true(
      [...code.keys()].some((each) => path.test(each)),
      why,
    );
  }
});

const faultsOf = (files: Record<string, string>, helpers: Record<string, string> = {}) => {
  const planted = factsOf(plant({ "ci/run.mjs": 'import "../build/src/main.js";', ...files }));
  const found = [...fileFaults(planted), ...exportFaults(planted, helpers)];
  return found.map(({ place, what }) => `${place}: ${what}`);
};

const USES_OF_X: readonly string[] = [
  'import { x } from "./a.js";',
  'import { x as y } from "./a.js";',
  'import * as a from "./a.js";',
  'import type { x } from "./a.js";',
  'const { x } = await import("./a.js");',
  'const x = (await import("./a.js")).x;',
  'let x: import("./a.js").x;',
];

for (const text of USES_OF_X) {
  test(`planted: an export that is used, and one that is not: ${text}`, (t) => {
    const files = (a: string) => ({ "src/main.ts": text, "src/a.ts": a });
    t.deepEqual(faultsOf(files("export const x = 1;")), []);
    const isAll = text.includes("*");
    const fault = "src/a.ts y: an export that nothing imports";
    t.deepEqual(faultsOf(files("export const x = 1, y = 2;")), isAll ? [] : [fault]);
  });
}

const EXPORTS_OF_X: readonly string[] = [
  "export function x(): void {}",
  "export class x {}",
  "export interface x {}",
  "export type x = 1;",
  "const x = 1;\nexport { x };",
  "const y = 1;\nexport { y as x };",
  'export { x } from "./b.js";',
];

for (const text of EXPORTS_OF_X) {
  test(`planted: an export that nothing imports: ${text}`, (t) => {
    const files = { "src/main.ts": 'import "./a.js";', "src/a.ts": text };
    const others = { "src/b.ts": text.includes("b.js") ? "export const x = 1;" : "" };
    const all = { ...files, ...others, "ci/b.mjs": 'import "../build/src/b.js";' };
    t.deepEqual(faultsOf(all), ["src/a.ts x: an export that nothing imports"]);
  });
}

test("planted: an export for tests only needs a row, and a row needs an export", (t) => {
  const files = {
    "src/main.ts": 'import { x } from "./a.js";',
    "src/a.ts": "export const x = 1, y = 2;",
    "src/a.test.ts": 'import { x, y } from "./a.js";',
  };
  t.deepEqual(faultsOf(files), ["src/a.ts y: an export that only tests import"]);
  t.deepEqual(faultsOf(files, { "src/a.ts y": "counts" }), []);
  t.deepEqual(faultsOf(files, { "src/a.ts y": "counts", "src/a.ts x": "" }), [
    "src/a.ts x: no helper of tests: no row needed",
  ]);
});

test("planted: an unused source, and one for tests only", (t) => {
  const files = {
    "src/main.ts": 'new URL("./worker.js", import.meta.url);\n// import "./b.js";',
    "src/worker.ts": "",
    "src/a.ts": "",
    "src/b.ts": 'import "./a.js";',
    "src/c.ts": "",
    "src/c.test.ts": 'import "./c.js";\nimport "./d-arb.js";',
    "src/d-arb.ts": "",
    "src/e-arb.ts": "",
  };
  t.deepEqual(faultsOf(files), [
    "src/a.ts: nothing uses this source",
    "src/b.ts: nothing uses this source",
    "src/c.ts: only tests use this source",
    "src/e-arb.ts: nothing uses this source",
  ]);
});

test("planted: a script imports a name that does not exist", (t) => {
  const planted = factsOf(
    plant({
      "ci/run.mjs": 'import { x, gone } from "../build/src/a.js";',
      "ci/other.mjs": 'const { lost } = await load("src/a.js");\nimport * as a from "node:fs";',
      "src/a.ts": "export const x = 1;",
    }),
  );
  t.deepEqual(
    scriptFaults(planted).map(({ place, what }) => `${place}: ${what}`),
    [
      "ci/run.mjs gone: ../build/src/a.js has no such export",
      "ci/other.mjs lost: src/a.js has no such export",
    ],
  );
});

test("planted: a module that a script loads from the build is used, by its path or the end of it", (t) => {
  const scripts = {
    "ci/run.mjs": 'import { x } from "../build/src/a.js";',
    "ci/other.mjs": 'const { y } = await load("a.js");\nawait import(build + "/src/b.js");',
  };
  const sources = {
    "src/a.ts": "export const x = 1, y = 2, z = 3;",
    "src/b.ts": "export const x = 1;",
  };
  t.deepEqual(faultsOf({ ...scripts, ...sources }), ["src/a.ts z: an export that nothing imports"]);
});
