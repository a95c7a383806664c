// Checks that a function fits on a screen or two. A file contains one idea, whatever its length.

import test from "ava";
import { plant, readCode } from "./project-files.js";
import { type FactsByPath, factsOf } from "./source-facts.js";
import { type CheckFault, expectOnlyOpen } from "./still-open.js";

const FUNCTION_LINES_MAX = 80;

// The permitted sizes of long functions, by file and name.
// biome-ignore format: a list
const OPEN_FUNCTIONS: readonly string[] = [
];

function functionFaults(facts: FactsByPath): CheckFault[] {
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

test("no function is longer than a screen or two", (t) => {
  t.true(code.size > 200, `only ${code.size} sources found`);
  expectOnlyOpen(t, OPEN_FUNCTIONS, functionFaults(factsOf(code)));
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
