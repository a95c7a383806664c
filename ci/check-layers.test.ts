// Who may import whom, and what no file may say.
//
// Checked on the sources as they stand, and on planted violations, so that a check which has gone
// blind is seen. Test files are free: a law compares the two sides that must not know each other.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import test, { type ExecutionContext } from "ava";
import { projectRoot } from "../src/support/project-root.js";

type Sources = ReadonlyMap<string, string>;

// Each room and what it may import besides itself; what those may import, it may import too. A file is
// in the room with the longest name that its path begins with. `reference` alone is its top files.
// biome-ignore format: a table
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "src/support":                    [],
  "src/ir":                         ["src/support"],
  "src/ir/verify":                  ["src/ir"],
  "src/ir/text":                    ["src/ir/verify"],
  "src/oracle":                     ["src/ir"],
  "src/generate/maker":             ["src/ir"],
  "src/generate/contents":          ["src/generate/maker"],
  "src/generate/control":           ["src/generate/contents"],
  "src/generate":                   ["src/generate/control", "src/ir/text"],
  "src/mutate":                     ["src/generate"],

  "reference/lir":                  ["src/ir"],
  "reference/regalloc":             ["reference/lir"],
  "reference/regalloc/linear-scan": ["reference/regalloc"],
  "reference/regalloc/colouring":   ["reference/regalloc/linear-scan"], // what is too large goes there
  "reference/regalloc/one-pass":    ["reference/regalloc"],
  "reference/regalloc/check":       ["reference/regalloc"],
  "reference/emit":                 ["reference/regalloc"],
  "reference/snapshot":             ["reference/emit", "reference/target"],
  "reference/target":               ["reference/emit"],
  "reference/lir/interpret":        ["reference/target", "reference/snapshot"],
  "reference/x64":                  ["reference/target", "reference/lir/interpret"],
  "reference/arm64":                ["reference/target", "reference/lir/interpret"],
  "reference/lir/text":             ["reference/x64", "reference/arm64", "src/ir/text"],
  "reference/optimize/rules":       ["src/ir"],
  "reference/optimize/edit":        ["reference/optimize/rules", "reference/target"],
  "reference/optimize/analysis":    ["reference/optimize/edit"],
  "reference/optimize/values":       ["reference/optimize/analysis"],
  "reference/optimize/memory":       ["reference/optimize/analysis"],
  "reference/optimize/loops":        ["reference/optimize/analysis"],
  "reference/optimize/control-flow": ["reference/optimize/analysis"],
  "reference/optimize/for-target":   ["reference/optimize/analysis", "reference/x64", "reference/arm64"],
  "reference/lower":                ["reference/target", "reference/optimize/analysis"], // its loops
  "reference": [
    "reference/lower", "reference/lir/text",
    "reference/optimize/values", "reference/optimize/memory", "reference/optimize/loops",
    "reference/optimize/control-flow", "reference/optimize/for-target",
    "reference/regalloc/colouring", "reference/regalloc/one-pass", "reference/regalloc/check",
  ],
  "reference/regalloc/stress":      ["reference"],
  "reference/chaos":                ["reference"],

  "src/execute/machine":            ["src/oracle", "reference"],
  "src/execute/emulator":           ["src/execute/machine"],
  "src/execute/host":               ["src/execute/machine"],
  "src/execute":                    ["src/execute/emulator", "src/execute/host", "src/generate", "reference/chaos"], // sees both sides
  "src/compare":                    ["src/execute"],
  "src/localize":                   ["src/compare"],
  "src/reduce":                     ["src/compare"],
  "src/report":                     ["src/localize", "src/reduce"],
  "src/campaign/program":           ["src/oracle", "src/mutate", "reference"],
  "src/campaign":                   ["src/campaign/program", "src/report", "reference/regalloc/stress"],
  "fuzz":                           ["src/campaign"],
};

/** Two witnesses stay two only while neither reaches the other by any chain of imports. */
const STRANGERS = [
  { from: "src/oracle/", to: "reference/" },
  { from: "reference/", to: "src/oracle/" },
];

// Typed casts and comments that silence the compiler, and dice or clocks beside the seed.
// biome-ignore format: a table
const FORBIDDEN_IN_SOURCES = [
  { what: "a cast through unknown",  pattern: /\bas unknown as\b/ },
  { what: "a silenced type error",   pattern: /@ts-(ignore|expect-error|nocheck)\b/ },
  { what: "randomness beside the seed", pattern: /\bMath\.random\(/ },
];

// biome-ignore format: a table
const FORBIDDEN_ANYWHERE = [
  { what: "the host of a package registry", pattern: /\bregistry\.[\w-]+\.\w|\bnpmjs\.(org|com)\b|"resolved"\s*:/ },
  { what: "a folder beside the project",    pattern: /\bwork\/(shared|main)\b|(\.\.\/)+shared\// },
];

const IMPORTS = [
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*"([^"]+)"/gm,
  /^\s*import\s*"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"/g,
  /\bnew URL\(\s*"([^"]+\.js)"/g, // a worker's or a child's entry
];

function importsOf(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1]));
}

/** The source that a relative import names; null for a package. */
function targetOf(path: string, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");
}

const isTest = (path: string) => path.endsWith(".test.ts");
/** What fast-check draws from, for tests: it is not in the package. */
const isArbitrary = (path: string) => path.endsWith("-arb.ts");

function layerOf(path: string): string | null {
  let longest: string | null = null;
  for (const layer of Object.keys(LAYERS)) {
    if (path.startsWith(`${layer}/`) && layer.length > (longest?.length ?? 0)) longest = layer;
  }
  return longest;
}

function reachableLayers(layer: string, seen = new Set([layer])): ReadonlySet<string> {
  for (const below of LAYERS[layer]) {
    if (!seen.has(below)) reachableLayers(below, seen.add(below));
  }
  return seen;
}

function faultOfImport(path: string, layer: string, specifier: string): string | null {
  const target = targetOf(path, specifier);
  const place = `${path} imports ${specifier}`;
  if (target === null) {
    return specifier.startsWith("touchstone") ? `${place}: import by a relative path` : null;
  }
  if (isTest(target)) return `${place}: only ava may load a test`;
  const targetLayer = layerOf(target);
  if (targetLayer === null) return `${place}, which is in no layer`;
  if (reachableLayers(layer).has(targetLayer)) return null;
  return `${place}: ${layer} may not import ${targetLayer}`;
}

function layerFaults(sources: Sources): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources) {
    if (isTest(path)) continue;
    const layer = layerOf(path);
    if (layer === null) {
      faults.push(`${path} is in no layer: give its folder a row in ci/check-layers.test.ts`);
      continue;
    }
    for (const specifier of importsOf(text)) {
      const fault = faultOfImport(path, layer, specifier);
      if (fault !== null) faults.push(fault);
    }
  }
  return faults;
}

/** What is shipped may load neither a package of the development nor what loads one. */
function shippedFaults(sources: Sources, forDevelopment: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources) {
    if (isTest(path) || isArbitrary(path)) continue;
    for (const specifier of importsOf(text.replace(/^import type .*$/gm, ""))) {
      const isDevelopment = forDevelopment.includes(specifier);
      if (!isDevelopment && !isArbitrary(targetOf(path, specifier) ?? "")) continue;
      faults.push(`${path} imports ${specifier}, which only tests may: it is not shipped`);
    }
  }
  return faults;
}

/** Breadth first, over sources that are no tests; a fault is the chain that leads across. */
function chainBetween(sources: Sources, start: string, to: string): string[] | null {
  const cameFrom = new Map<string, string | null>([[start, null]]);
  for (const path of cameFrom.keys()) {
    if (path.startsWith(to)) {
      const chain: string[] = [];
      for (let at: string | null = path; at !== null; at = cameFrom.get(at) ?? null) chain.push(at);
      return chain.reverse();
    }
    for (const specifier of importsOf(sources.get(path) ?? "")) {
      const target = targetOf(path, specifier);
      if (target !== null && !cameFrom.has(target)) cameFrom.set(target, path);
    }
  }
  return null;
}

function strangerFaults(sources: Sources): string[] {
  const faults: string[] = [];
  for (const path of sources.keys()) {
    for (const { from, to } of STRANGERS) {
      if (!path.startsWith(from) || isTest(path)) continue;
      const chain = chainBetween(sources, path, to);
      if (chain !== null) faults.push(chain.join(" -> "));
    }
  }
  return faults;
}

function textFaults(
  sources: Sources,
  forbidden: readonly { what: string; pattern: RegExp }[],
): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources) {
    for (const { what, pattern } of forbidden) {
      if (!pattern.test(text)) continue;
      const line = text.split("\n").findIndex((words) => pattern.test(words)) + 1;
      faults.push(`${path}:${line}: ${what}`);
    }
  }
  return faults;
}

// --- the project as it stands ---

const ROOT = projectRoot();
const CODE_FOLDERS = ["src", "reference", "fuzz"];
const README_FOLDERS = [...CODE_FOLDERS, "corpus", "reports", "ci", "docs"];
const TEXT_FILE =
  /\.(ts|mjs|json|jsonl|md|ir)$|(^|\/)(setup|run|nightly|\.npmrc|\.gitignore|LICENSE)$/;
const SKIPPED_FOLDER = /^(\.git|node_modules|build(-.*)?|\.touchstone)$/;

function filesBelow(folder: string, matching: RegExp): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    const isSkipped = SKIPPED_FOLDER.test(entry.name) || folder === "reports";
    if (entry.isDirectory() && !isSkipped) files.push(...filesBelow(path, matching));
    else if (entry.isFile() && matching.test(path)) files.push(path);
  }
  return files;
}

function read(paths: readonly string[]): Sources {
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

const code = read(CODE_FOLDERS.flatMap((folder) => filesBelow(folder, /\.ts$/)));

test("no source imports against the arrows", (t) => {
  t.true(code.size > 20, `only ${code.size} sources found: the reader has gone blind`);
  t.deepEqual(layerFaults(code), []);
});

test("the oracle and the reference compiler do not reach each other", (t) => {
  t.deepEqual(strangerFaults(code), []);
});

test("nothing that is shipped needs what is for the development", (t) => {
  const { devDependencies, files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  t.true(files.includes("!build/**/*-arb.*"));
  const faults = shippedFaults(code, Object.keys(devDependencies));
  t.deepEqual(faults, []);
});

test("no source casts through unknown, silences the compiler or rolls its own dice", (t) => {
  t.deepEqual(textFaults(code, FORBIDDEN_IN_SOURCES), []);
});

test("no file names a registry or a folder beside the project", (t) => {
  const files = read(filesBelow(".", TEXT_FILE));
  t.true(files.has("package-lock.json") && files.has("ci/setup"));
  t.deepEqual(textFaults(files, FORBIDDEN_ANYWHERE), []);
});

test("every folder says what it holds", (t) => {
  const subfolders = README_FOLDERS.filter((folder) => folder !== "reports").flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${folder}/${entry.name}`),
  );
  const silent = [...README_FOLDERS, ...subfolders].filter(
    (folder) => !existsSync(join(ROOT, folder, "README.md")),
  );
  t.deepEqual(silent, []);
});

// --- planted violations: each check must still see ---

const plant = (files: Record<string, string>): Sources => new Map(Object.entries(files));

function seesOne(t: ExecutionContext, faults: readonly string[], words: string): void {
  t.is(faults.length, 1, faults.join("\n"));
  t.true(faults[0].includes(words), faults[0]);
}

const ORACLE_IMPORTS_REFERENCE = [
  'import { fold } from "../../reference/optimize/rules/fold.js";',
  'import {\n  fold,\n  type Rule,\n} from "../../reference/optimize/rules/fold.js";',
  'import type { Rule } from "../../reference/optimize/rules/fold.js";',
  'export { fold } from "../../reference/optimize/rules/fold.js";',
  'export * from "../../reference/optimize/rules/fold.js";',
  'import "../../reference/optimize/rules/fold.js";',
  'const fold = await import("../../reference/optimize/rules/fold.js");',
  'let rule: import("../../reference/optimize/rules/fold.js").Rule;',
  'spawn(new URL("../../reference/optimize/rules/fold.js", import.meta.url));',
];

for (const [index, text] of ORACLE_IMPORTS_REFERENCE.entries()) {
  test(`planted: the oracle imports the reference compiler, form ${index}`, (t) => {
    const sources = plant({ "src/oracle/a.ts": text, "reference/optimize/rules/fold.ts": "" });
    seesOne(t, layerFaults(sources), "src/oracle may not import reference");
    seesOne(t, strangerFaults(sources), "src/oracle/a.ts -> reference/optimize/rules/fold.ts");
  });
}

test("planted: the reference compiler reaches the oracle through a third file", (t) => {
  const sources = plant({
    "reference/optimize/rules/fold.ts": 'import { x } from "../../../src/ir/x.js";',
    "src/ir/x.ts": 'export { x } from "../oracle/x.js";',
    "src/oracle/x.ts": "export const x = 1;",
  });
  seesOne(t, layerFaults(sources), "src/ir may not import src/oracle");
  seesOne(t, strangerFaults(sources), "fold.ts -> src/ir/x.ts -> src/oracle/x.ts");
});

test("planted: the other arrows", (t) => {
  const fault = (path: string, text: string) => layerFaults(plant({ [path]: text }));
  seesOne(t, fault("src/support/a.ts", 'import "../ir/b.js";'), "src/support may not import");
  seesOne(t, fault("src/generate/a.ts", 'import "../oracle/b.js";'), "src/generate may not import");
  seesOne(t, fault("src/execute/a.ts", 'import "../compare/b.js";'), "src/execute may not import");
  seesOne(t, fault("src/reduce/a.ts", 'import "../campaign/b.js";'), "src/reduce may not import");
  seesOne(t, fault("src/campaign/a.ts", 'import "../../fuzz/b.js";'), "may not import fuzz");
  seesOne(t, fault("src/ir/a.ts", 'import "./a.test.js";'), "only ava may load a test");
  seesOne(t, fault("src/ir/a.ts", 'import "../../ci/b.js";'), "in no layer");
  seesOne(t, fault("src/ir/a.ts", 'import "touchstone/src/ir/b.js";'), "relative path");
  seesOne(t, fault("src/nowhere/a.ts", ""), "give its folder a row");
});

test("planted: what is shipped needs what is for the development", (t) => {
  const fault = (path: string, text: string) =>
    shippedFaults(plant({ [path]: text }), ["fast-check"]);
  seesOne(t, fault("src/ir/a.ts", 'import fc from "fast-check";'), "a.ts imports fast-check");
  seesOne(t, fault("src/ir/a.ts", 'import { x } from "./x-arb.js";'), "only tests may");
  t.deepEqual(fault("src/ir/a.ts", 'import type { Arbitrary } from "fast-check";'), []);
  t.deepEqual(fault("src/ir/x-arb.ts", 'import fc from "fast-check";'), []);
  t.deepEqual(fault("src/ir/a.test.ts", 'import { x } from "./x-arb.js";'), []);
});

test("planted: what is allowed stays allowed", (t) => {
  const sources = plant({
    "src/execute/a.ts": 'import "../oracle/b.js";\nimport "../../reference/pipeline.js";',
    "src/oracle/b.ts": '// import "../../reference/pipeline.js";\nimport "../ir/c.js";',
    "reference/pipeline.ts": 'import "./optimize/d.js";\nimport koffi from "koffi";',
    "reference/optimize/d.test.ts": 'import "../../src/oracle/b.js";',
  });
  t.deepEqual(layerFaults(sources), []);
  t.deepEqual(strangerFaults(sources), []);
});

test("planted: forbidden words", (t) => {
  const words = (text: string) =>
    textFaults(plant({ a: `\n${text}` }), [...FORBIDDEN_IN_SOURCES, ...FORBIDDEN_ANYWHERE]);
  seesOne(t, words(["const x = y as", "unknown as Z"].join(" ")), "a:2: a cast");
  seesOne(t, words(["// @ts", "ignore"].join("-")), "a:2: a silenced");
  seesOne(t, words(["Math", "random()"].join(".")), "a:2: randomness");
  seesOne(t, words(["https://registry", "example", "org/x"].join(".")), "a:2: the host");
  seesOne(t, words(["", "work", "shared", "x"].join("/")), "a:2: a folder beside");
  seesOne(t, words(["..", "..", "shared", "suites"].join("/")), "a:2: a folder beside");
});
