// Finds forbidden words in sources and other files.

import test, { type ExecutionContext } from "ava";
import { type ProjectFiles, pathsBelow, plant, read } from "./project-files.js";

interface Forbidden {
  readonly what: string;
  readonly pattern: RegExp;
}

// Casts through unknown, comments that silence the compiler, and randomness without a seed.
// biome-ignore format: a table
const FORBIDDEN_IN_SOURCES: readonly Forbidden[] = [
  { what: "a cast through unknown",     pattern: /\bas unknown as\b/ },
  { what: "a silenced type error",      pattern: /@ts-(ignore|expect-error|nocheck)\b/ },
  { what: "randomness beside the seed", pattern: /\bMath\.random\(/ },
];

// The names of these fields are unique, and `Value` has no others for immediates.
const FORBIDDEN_OUTSIDE_IR: readonly Forbidden[] = [
  { what: "a raw immediate of a value", pattern: /\bimmediate[01]\b/ },
];

// biome-ignore format: a table
const FORBIDDEN_ANYWHERE: readonly Forbidden[] = [
  { what: "the host of a package registry", pattern: /\bregistry\.[\w-]+\.\w|\bnpmjs\.(org|com)\b|"resolved"\s*:/ },
  { what: "a folder beside the project",    pattern: /\bwork\/(shared|main)\b|(\.\.\/)+shared\// },
];

const TEXT_FILE =
  /\.(ts|mjs|json|jsonl|md|ir)$|(^|\/)(setup|run|nightly|\.npmrc|\.gitignore|LICENSE)$/;

/** Tests that expect type errors. */
const TYPE_TESTS = ["reference/lir/indices.test.ts", "reference/regalloc/indices.test.ts"];

function faultsIn(files: ProjectFiles, forbidden: readonly Forbidden[]): string[] {
  const faults: string[] = [];
  for (const [path, text] of files) {
    for (const { what, pattern } of forbidden) {
      if (!pattern.test(text)) continue;
      const line = text.split("\n").findIndex((words) => pattern.test(words)) + 1;
      faults.push(`${path}:${line}: ${what}`);
    }
  }
  return faults;
}

test("no source outside src/ir uses raw immediates of values", (t) => {
  const paths = ["src", "reference", "fuzz"].flatMap((folder) => pathsBelow(folder, /\.ts$/));
  const outside = read(paths.filter((path) => !path.startsWith("src/ir/")));
  t.true(outside.size > 200, `only ${outside.size} sources found`);
  t.deepEqual(faultsIn(outside, FORBIDDEN_OUTSIDE_IR), []);
  const planted = new Map([["reference/x.ts", "\n  load.immediate0 += 4;"]]);
  const fault = "reference/x.ts:2: a raw immediate of a value";
  t.deepEqual(faultsIn(planted, FORBIDDEN_OUTSIDE_IR), [fault]);
  const fields = "src/ir/procedure.ts";
  t.not(faultsIn(read([fields]), FORBIDDEN_OUTSIDE_IR).length, 0, "Value has other fields");
});

test("no source casts through unknown, silences the compiler or has randomness without a seed", (t) => {
  const paths = ["src", "reference", "fuzz"].flatMap((folder) => pathsBelow(folder, /\.ts$/));
  const sources = read(paths.filter((path) => !TYPE_TESTS.includes(path)));
  t.true(sources.size > 200, `only ${sources.size} sources found`);
  t.deepEqual(faultsIn(sources, FORBIDDEN_IN_SOURCES), []);
});

test("no file names a registry or a folder beside the project", (t) => {
  const files = read(pathsBelow(".", TEXT_FILE));
  t.true(files.has("package-lock.json") && files.has("ci/setup"));
  t.deepEqual(faultsIn(files, FORBIDDEN_ANYWHERE), []);
});

function seesOne(t: ExecutionContext, faults: readonly string[], words: string): void {
  t.is(faults.length, 1, faults.join("\n"));
  t.true(faults[0].includes(words), faults[0]);
}

// Put together from parts: this file is checked as well.
test("planted: forbidden words", (t) => {
  const words = (text: string) =>
    faultsIn(plant({ a: `\n${text}` }), [...FORBIDDEN_IN_SOURCES, ...FORBIDDEN_ANYWHERE]);
  seesOne(t, words(["const x = y as", "unknown as Z"].join(" ")), "a:2: a cast");
  seesOne(t, words(["// @ts", "ignore"].join("-")), "a:2: a silenced");
  seesOne(t, words(["Math", "random()"].join(".")), "a:2: randomness");
  seesOne(t, words(["https://registry", "example", "org/x"].join(".")), "a:2: the host");
  seesOne(t, words(["", "work", "shared", "x"].join("/")), "a:2: a folder beside");
  seesOne(t, words(["..", "..", "shared", "suites"].join("/")), "a:2: a folder beside");
});
