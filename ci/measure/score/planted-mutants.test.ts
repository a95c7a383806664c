// Tests that one text with several changes behaves, for each active change, as the text with only that
// change.

import test from "ava";
import { activate } from "./active-mutant.js";
import { NONE } from "./mutant-task.js";
import { mutantsOfTexts } from "./planted-mutants.js";
import { type NumberedMutant, withMutants } from "./schemata.js";

const FILE = "reference/f.ts";
const PLAIN = `import { one } from "./one.js";
const STEP = 2;
const rows = [{ name: "double", of: (x) => x + x }];
class Counter {
  total = 0;
  add(x) {
    if (x > 3) {
      // Large.
      this.total += x;
    } else {
      this.total += STEP;
    }
    return this.total;
  }
}
function f(a, b) {
  const counter = new Counter();
  counter.add(rows[0].of(a));
  return [counter.add(b), one];
}
`;

/** Changes of all forms: pairs of replaced text and replacement. */
const CHANGES: readonly (readonly [string, string])[][] = [
  [["x > 3", "x >= 3"]],
  [["x + x", "x * x"]],
  [["    if (x > 3) {\n      // Large.\n", "      // Large.\n    if (x > 4) {\n"]],
  [["    } else {", "    } else if (x === 0) {\n      return 7;\n    } else {"]],
  [["  counter.add(rows[0].of(a));\n", ""]],
  [
    ["function f(", "function more(x) {\n  return x + 5;\n}\nfunction f("],
    ["counter.add(b)", "counter.add(more(b))"],
  ],
  [
    ["  total = 0;\n", "  total = 0;\n  last = 1;\n"],
    ["this.total += STEP", "this.total += this.last"],
    ["return this.total", "return -this.total"],
  ],
  [
    ["{ one }", "{ one, two }"],
    [", one]", ", two]"],
  ],
];

const changed = (edits: readonly (readonly [string, string])[]): string =>
  edits.reduce((text, [from, to]) => text.replace(from, to), PLAIN);

/** Returns what the function `f` of a text returns for several arguments. */
function behaviorOf(text: string): string {
  const body = text.replace(/^import .*;$/gm, "");
  const f = new Function("one", "two", `${body}; return f;`)("one", "two");
  const pairs = [-1, 0, 2, 3, 4].flatMap((a) => [0, 1, 3, 5].map((b) => f(a, b)));
  return JSON.stringify(pairs);
}

test("each change acts if it is active, and only then", (t) => {
  const mutants = CHANGES.flatMap((edits, number): NumberedMutant[] => {
    const texts = [PLAIN, changed(edits)].map((text) => new Map([[FILE, text]]));
    const { mutants, fault } = mutantsOfTexts(`change ${number}`, texts[0], texts[1]);
    t.is(fault, null);
    return mutants.map((mutant) => ({ mutant, number }));
  });
  const all = withMutants(PLAIN, mutants);
  t.is(all.match(/^import \{ two \} from "\.\/one\.js";$/gm)?.length, 1);
  activate(NONE);
  t.is(behaviorOf(all), behaviorOf(PLAIN));
  CHANGES.forEach((edits, number) => {
    activate(number);
    t.is(behaviorOf(all), behaviorOf(changed(edits)), `change ${number}`);
    t.not(behaviorOf(all), behaviorOf(PLAIN), `change ${number}`);
  });
  activate(NONE);
});

for (const [what, from, to, line] of [
  ["swaps parameters", "f(a, b)", "f(b, a)", 16],
  ["adds a parameter", "f(a, b)", "f(a, b, c)", 16],
  ["drops a parameter of a method", "add(x)", "add()", 6],
  ["adds a base class", "class Counter", "class Counter extends Array", 4],
] as const) {
  test(`a change that ${what} cannot be switched`, (t) => {
    const texts = [PLAIN, PLAIN.replace(from, to)].map((text) => new Map([[FILE, text]]));
    const { fault } = mutantsOfTexts("signature", texts[0], texts[1]);
    t.is(fault, `${FILE}:${line} is in no block and in no value`);
  });
}
