// Tests that one text with all mutants behaves, for each active mutant, as the text with only that
// mutant.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { activate, differed, reached } from "./active-mutant.js";
import { NONE } from "./mutant-task.js";
import { drawMutants, mutated } from "./mutants.js";
import { type NumberedMutant, withMutants } from "./schemata.js";
import { TypeChecker } from "./type-checker.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-schemata-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "reference", "optimize"), { recursive: true });
writeFileSync(
  join(folder, "tsconfig.json"),
  `{"compilerOptions": {"strict": true}, "include": ["reference"]}`,
);

function drawnOf(name: string, source: string): readonly NumberedMutant[] {
  const file = join("reference", "optimize", name);
  writeFileSync(join(folder, file), source);
  const drawn = drawMutants(folder, 300, 1n).filter((mutant) => mutant.file === file);
  return drawn.map((mutant, number) => ({ mutant, number }));
}

/**
 * Contains nested mutable code, several mutants of one expression, and operators whose results may
 * be equal.
 */
const PLAIN = `function f(a, b) {
  const seen = [];
  const g = (x, y) => (x >= y ? x << 1 : x - y * 2);
  if (!(a < 3) && b + 1 > a) seen.push(a, b);
  else seen.push(g(a & 6, b | (a >>> 1)));
  let i = 0;
  while (i < 3 && seen.length <= 4) {
    seen.push(g(i, a) === 0 ? "none" : a);
    i += 1;
  }
  return seen.length > 4 || a !== b ? seen : [b];
}
`;

const INPUTS = [-1, 0, 1, 2, 3, 4, 7].flatMap((a) => [0, 1, 3, 4].map((b) => [a, b]));

/** Returns the behavior of a function `f`, including exceptions. */
function doneBy(source: string): (a: number, b: number) => string {
  const f = new Function(`${source}; return f;`)();
  return (a, b) => {
    try {
      return JSON.stringify(f(a, b));
    } catch (error) {
      return String(error);
    }
  };
}

test("with an active mutant, the text behaves as with that mutant alone; a mutant without a different result is skipped", (t) => {
  const numbered = drawnOf("plain.ts", PLAIN);
  t.true(numbered.length > 40, `${numbered.length} mutants`);
  const original = doneBy(PLAIN);
  const all = doneBy(withMutants(PLAIN, numbered));
  let passed = 0;
  for (const { mutant, number } of numbered) {
    // Endless loops are tested in ci/measure/score/watchdog.test.ts.
    if (mutant.id.includes("i += 1;") || mutant.before.startsWith("i < 3")) continue;
    const alone = doneBy(mutated(PLAIN, mutant));
    for (const [a, b] of INPUTS) {
      activate(number);
      t.is(all(a, b), alone(a, b), `${mutant.id} of ${a}, ${b}`);
      activate(NONE);
      reached.fill(0);
      differed.fill(0);
      t.is(all(a, b), original(a, b));
      t.true(reached[number] >= differed[number]);
      if (differed[number] === 0) {
        passed++;
        t.is(alone(a, b), original(a, b), `${mutant.id} of ${a}, ${b} must be judged`);
      }
    }
  }
  t.true(passed > 100, `${passed} mutants are skipped`);
});

test("mutants with type errors are reported, and no others", (t) => {
  const source = `export function f(a: number, b: string): string {
  const unused = a + 1;
  return a === 0 ? b.repeat(a) : g(a, b);
}
const g = (a: number, b: string): string => (a < 3 ? b.repeat(a) : b);
`;
  const numbered = drawnOf("typed.ts", source);
  const checker = new TypeChecker(folder, (file) => readFileSync(join(folder, file), "utf8"));
  const faults = new Map(numbered.map(({ mutant }) => [mutant.id, checker.faultOf(mutant)]));
  checker.close();
  const of = (text: string): string | null | undefined =>
    [...faults].find(([id]) => id.endsWith(text))?.[1];
  t.regex(of("g(a, b) -> g(b, a)") ?? "", /not assignable/);
  t.is(of("a < 3 -> a <= 3"), null);
  t.is(of("a === 0 -> a !== 0"), null, "the previous overlay of a file is removed");
});
