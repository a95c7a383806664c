// Nothing is too large to be read in one go: folders, files, functions.

import test from "ava";
import { type Files, folderOf, isArbitrary, isTest, plant, readCode } from "./project-files.js";
import { type Facts, factsOf } from "./source-facts.js";
import { expectOnlyOpen, type Fault } from "./still-open.js";

const SOURCES_MAX = 24;
const FILE_LINES_MAX = 600;
const FUNCTION_LINES_MAX = 80;

/** Files that are one table, with the reason why it is not two. */
const TABLES: Readonly<Record<string, string>> = {
  "reference/arm64/encodings.test.ts": "encodings, one line a form",
  "reference/arm64/instructions.ts": "one row an instruction",
  "reference/optimize/rules/rules.ts": "one row a rule",
  "reference/x64/instructions.ts": "one row an instruction",
};

// biome-ignore format: a list
const OPEN_FOLDERS: readonly string[] = [
];

// biome-ignore format: a list
const OPEN_FILES: readonly string[] = [
];

// By file and name of the function.
// biome-ignore format: a list
const OPEN_FUNCTIONS: readonly string[] = [
];

function folderFaults(files: Files): Fault[] {
  const counts = new Map<string, number>();
  for (const path of files.keys()) {
    if (isTest(path) || isArbitrary(path)) continue;
    counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > SOURCES_MAX)
    .map(([place, count]) => ({ place, what: `${count} sources, at most ${SOURCES_MAX}` }));
}

const linesOf = (text: string): number => text.replace(/\n$/, "").split("\n").length;

function fileFaults(files: Files, tables: Readonly<Record<string, string>>): Fault[] {
  const faults = [...files].flatMap(([place, text]) => {
    const isLong = linesOf(text) > FILE_LINES_MAX;
    if (place in tables)
      return isLong ? [] : [{ place, what: "a table that is short: no row needed" }];
    return isLong ? [{ place, what: `${linesOf(text)} lines, at most ${FILE_LINES_MAX}` }] : [];
  });
  const gone = Object.keys(tables).filter((place) => !files.has(place));
  return [...faults, ...gone.map((place) => ({ place, what: "a table that does not exist" }))];
}

function functionFaults(facts: Facts): Fault[] {
  return [...facts].flatMap(([path, { functions }]) =>
    functions
      .filter(({ lineCount }) => lineCount > FUNCTION_LINES_MAX)
      .map(({ name, lineCount }) => ({
        place: `${path} ${name}`,
        what: `${lineCount} lines, at most ${FUNCTION_LINES_MAX}`,
      })),
  );
}

const code = readCode();

test("no folder holds more sources than one reads", (t) => {
  expectOnlyOpen(t, OPEN_FOLDERS, folderFaults(code));
});

test("no file but a table is longer than two ideas", (t) => {
  t.true(code.size > 200, `only ${code.size} sources found`);
  expectOnlyOpen(t, OPEN_FILES, fileFaults(code, TABLES));
});

test("no function is longer than a screen or two", (t) => {
  expectOnlyOpen(t, OPEN_FUNCTIONS, functionFaults(factsOf(code)));
});

test("planted: a folder with one source too many; tests and inner folders do not count", (t) => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, index): [string, string] => [`src/x/s${index}.ts`, ""]);
  const others: [string, string][] = [
    ["src/x/a.test.ts", ""],
    ["src/x/a-arb.ts", ""],
    ["src/x/y/a.ts", ""],
  ];
  t.deepEqual(folderFaults(new Map([...files(24), ...others])), []);
  t.deepEqual(folderFaults(new Map([...files(25), ...others])), [
    { place: "src/x", what: "25 sources, at most 24" },
  ]);
});

test("planted: a file with one line too many, and rows of tables that are not needed", (t) => {
  const files = (count: number) => plant({ "src/a.ts": "x;\n".repeat(count) });
  const table = { "src/a.ts": "one row an opcode" };
  t.deepEqual(fileFaults(files(600), {}), []);
  t.deepEqual(fileFaults(files(601), {}), [{ place: "src/a.ts", what: "601 lines, at most 600" }]);
  t.deepEqual(fileFaults(files(601), table), []);
  t.is(fileFaults(files(600), table).length, 1);
  t.is(fileFaults(plant({}), table).length, 1);
});

const LONG_FUNCTIONS: readonly (readonly [string, (body: string) => string])[] = [
  ["declared", (body) => `export function declared() ${body}`],
  ["arrow", (body) => `const arrow = (x: number) => ${body};`],
  ["method", (body) => `class C { method() ${body} }`],
  ["constructor", (body) => `class C { constructor() ${body} }`],
  ["value", (body) => `class C { get value() ${body} }`],
  ["cell", (body) => `const TABLE = { cell: function () ${body} };`],
  ["in test(…)", (body) => `test("x", () => ${body});`],
];

for (const [name, text] of LONG_FUNCTIONS) {
  test(`planted: a function with one line too many: ${name}`, (t) => {
    const faults = (lineCount: number) => {
      const body = `{\n${"x;\n".repeat(lineCount - 2)}}`;
      return functionFaults(factsOf(plant({ "src/a.ts": text(body) })));
    };
    t.deepEqual(faults(80), []);
    t.deepEqual(faults(81), [{ place: `src/a.ts ${name}`, what: "81 lines, at most 80" }]);
  });
}
