// Checks that no source reaches itself by imports, including those of types: each can be read before its users.

import test from "ava";
import { isTest, plant, readCode } from "./project-files.js";
import { type FactsByPath, factsOf } from "./source-facts.js";
import { type CheckFault, expectOnlyOpen } from "./still-open.js";

// biome-ignore format: a list
const OPEN: readonly string[] = [
];

/** Returns one fault for each source on a circle: the shortest path from it back to itself. */
function circleFaults(facts: FactsByPath): CheckFault[] {
  return [...facts.keys()].flatMap((path) => {
    const circle = shortestCircle(facts, path);
    return circle === null ? [] : [{ place: path, what: `a circle: ${circle.join(" -> ")}` }];
  });
}

/** Breadth first. A test that imports itself does not exist: tests are in no circle. */
function shortestCircle(facts: FactsByPath, start: string): string[] | null {
  if (isTest(start)) return null;
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const target of importedBy(facts, path)) {
      if (target === start) return chainTo(path, start, cameFrom).concat(start);
      if (cameFrom.has(target) || !facts.has(target)) continue;
      cameFrom.set(target, path);
      queue.push(target);
    }
  }
  return null;
}

/** Returns the imports of a source, without entries of workers: code that starts a worker does not load it. */
function importedBy(facts: FactsByPath, path: string): string[] {
  const imports = facts.get(path)?.imports ?? [];
  return imports.filter(({ kind }) => kind !== "process").flatMap(({ targets }) => targets);
}

function chainTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const chain = [end];
  for (let path = end; path !== start; chain.push(path)) path = cameFrom.get(path) ?? start;
  return chain.reverse();
}

test("no imports go in a circle", (t) => {
  const facts = factsOf(readCode());
  t.true(facts.size > 200, `only ${facts.size} sources found`);
  expectOnlyOpen(t, OPEN, circleFaults(facts));
});

const faultsIn = (files: Record<string, string>) =>
  circleFaults(factsOf(plant(files))).map(({ place, what }) => `${place}: ${what}`);

test("planted: two sources that import each other, one of them only a type", (t) => {
  const a = 'import { b } from "./b.js";\nexport type A = number;';
  const types = ['import type { A } from "./a.js";', 'let x: import("./a.js").A;'];
  for (const type of types) {
    t.deepEqual(faultsIn({ "src/a.ts": a, "src/b.ts": `${type}\nexport const b = 1;` }), [
      "src/a.ts: a circle: src/a.ts -> src/b.ts -> src/a.ts",
      "src/b.ts: a circle: src/b.ts -> src/a.ts -> src/b.ts",
    ]);
  }
});

test("planted: a circle of three by a re-export and a dynamic import, and a source that only leads to it", (t) => {
  const files = {
    "src/a.ts": 'export { b } from "./x/b.js";',
    "src/x/b.ts": 'export const b = () => import("../c.js");',
    "src/c.ts": 'import "./a.js";',
    "src/d.ts": 'import "./a.js";',
  };
  const places = faultsIn(files).map((fault) => fault.split(":")[0]);
  t.deepEqual(places, ["src/a.ts", "src/x/b.ts", "src/c.ts"]);
  t.true(faultsIn(files)[0].endsWith("src/a.ts -> src/x/b.ts -> src/c.ts -> src/a.ts"));
});

test("planted: imports without a circle", (t) => {
  const files = {
    "src/a.ts": 'import "./b.js";\nimport "./c.js";\n// import "./a.js";',
    "src/b.ts": 'import "./c.js";\nconst text = `import "./a.js";`;',
    "src/c.ts": 'import "node:fs";',
    "src/parent.ts": 'spawn(new URL("./child.js", import.meta.url));\nexport const size = 1;',
    "src/child.ts": 'import { size } from "./parent.js";',
  };
  t.deepEqual(faultsIn(files), []);
});
