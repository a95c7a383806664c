// Checks which source may import which.
//
// It runs on the current sources and on planted violations, so a check that detects nothing fails. Test files are
// exempt: a law compares the two sides that must not reach each other.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { projectRoot } from "../src/support/project-root.js";
import { foldersBelow, isArbitrary, isTest, plant, readCode } from "./project-files.js";
import { type FactsByPath, factsOf, type SourceImport } from "./source-facts.js";

// Each layer and its permitted imports besides itself; permission is transitive. A file is
// in the layer with the longest name that its path begins with. `reference` alone means its top files.
// biome-ignore format: a table
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "src/support":                    [],
  "src/ir":                         ["src/support"],
  "src/ir/verify":                  ["src/ir"],
  "src/ir/text":                    ["src/ir/verify"],
  "src/oracle":                     ["src/ir"],
  "src/oracle/fast":                ["src/oracle"], // shared parts; see STRANGERS
  "src/record":                     ["src/oracle/fast", "src/ir/text"], // independent of compilers
  "src/bytecode":                   ["src/record"],
  "src/generate/maker":             ["src/ir"],
  "src/generate/contents":          ["src/generate/maker"],
  "src/generate/control":           ["src/generate/contents"],
  "src/generate":                   ["src/generate/control", "src/ir/text"],
  "src/mutate":                     ["src/generate"],
  "src/aim":                        ["src/oracle/fast", "src/generate"],
  "src/worlds":                     ["src/aim"],
  "src/equivalence":                ["src/ir"],

  "reference/lir":                  ["src/ir"],
  "reference/regalloc":             ["reference/lir"],
  "reference/regalloc/linear-scan": ["reference/regalloc/one-pass"], // deep nests of loops go there
  "reference/regalloc/colouring":   ["reference/regalloc/linear-scan"], // too large procedures go there
  "reference/regalloc/one-pass":    ["reference/regalloc"],
  "reference/regalloc/check":       ["reference/regalloc"],
  "reference/regalloc/examples":    ["reference/regalloc"],
  "reference/emit":                 ["reference/regalloc"],
  "reference/snapshot":             ["reference/emit", "reference/target"],
  "reference/target":               ["reference/emit"],
  "reference/lir/meanings":         ["reference/lir"], // over any algebra
  "reference/lir/interpret":        ["reference/target", "reference/snapshot", "reference/lir/meanings"],
  "reference/x64":                  ["reference/target", "reference/lir/interpret"],
  "reference/arm64":                ["reference/target", "reference/lir/interpret"],
  "reference/lir/text":             ["reference/x64", "reference/arm64", "src/ir/text"],
  "reference/optimize/rules":       ["src/ir"],
  "reference/optimize/edit":        ["reference/optimize/rules", "reference/target"],
  "reference/optimize/analysis":    ["reference/optimize/edit"],
  "reference/optimize/calls":        ["reference/optimize/analysis"],
  "reference/optimize/values":       ["reference/optimize/analysis"],
  "reference/optimize/memory":       ["reference/optimize/analysis"],
  "reference/optimize/loops":        ["reference/optimize/analysis"],
  "reference/optimize/control-flow": ["reference/optimize/analysis"],
  "reference/optimize/for-target":   ["reference/optimize/analysis", "reference/x64", "reference/arm64"],
  "reference/lower":                ["reference/target", "reference/optimize/analysis"], // its loops
  "reference": [
    "reference/lower", "reference/lir/text",
    "reference/optimize/calls", "reference/optimize/values", "reference/optimize/memory", "reference/optimize/loops",
    "reference/optimize/control-flow", "reference/optimize/for-target",
    "reference/regalloc/colouring", "reference/regalloc/one-pass", "reference/regalloc/check",
  ],
  "reference/regalloc/stress":      ["reference"],
  "reference/chaos":                ["reference"],

  "src/execute/machine":            ["src/oracle/fast", "reference"],
  "src/execute/emulator":           ["src/execute/machine"],
  "src/execute/host":               ["src/execute/machine"],
  "src/execute/simulator":          ["src/execute/machine"],
  "src/execute":                    ["src/execute/emulator", "src/execute/host", "src/execute/simulator", "src/generate", "src/equivalence", "src/bytecode", "reference/chaos"], // sees both sides
  "src/engine":                     ["src/export/wasm", "src/export/c", "src/execute", "src/phases"],
  "src/compare":                    ["src/execute", "src/import"],
  "src/export":                     ["src/ir/text", "src/lir"],
  "src/export/wasm":                ["src/export"],
  "src/export/c":                   ["src/export"],
  "src/import":                     ["src/ir/text", "src/llvm", "src/lir"],
  "src/phases":                     ["src/compare", "src/aim"], // B3's, in the oracle
  "src/llvm":                       ["src/support"], // the text of LLVM IR
  "src/lir":                        ["src/ir"], // the text of Nanojit's LIR
  "src/localize":                   ["src/compare"],
  "src/reduce":                     ["src/compare"],
  "src/report":                     ["src/localize", "src/reduce"],
  "src/campaign/program":           ["src/aim", "src/bytecode", "src/mutate", "src/import", "src/worlds"],
  "src/campaign":                   ["src/campaign/program", "src/report", "src/engine", "reference/regalloc/stress"],
  "src/prove":                      ["src/oracle/fast", "reference"],
  "src/store":                      ["src/campaign"],
  "src/fleet":                      ["src/store"],
  "src/library":                    ["src/campaign"],
  "src/playground":                 ["src/campaign"], // its bundle has no module of Node
  "fuzz":                           ["src/campaign", "src/fleet", "src/import", "src/engine", "src/prove", "src/llvm", "src/lir", "src/playground"],
};

/** The two implementations stay independent only while neither reaches the other by any chain of imports. */
const STRANGERS = [
  { from: "src/oracle/", to: "reference/" },
  { from: "reference/", to: "src/oracle/" },
  // All modules of the plain interpreter import this file.
  { from: "src/oracle/fast/", to: "src/oracle/memory.ts" },
];

const inLayers = (path: string) => !isTest(path) && !path.startsWith("ci/") && path.endsWith(".ts");

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

function faultOfImport(
  path: string,
  layer: string,
  { specifier, targets }: SourceImport,
): string | null {
  const place = `${path} imports ${specifier}`;
  if (targets.length === 0) {
    return specifier.startsWith("touchstone") ? `${place}: import by a relative path` : null;
  }
  const [target] = targets;
  if (isTest(target)) return `${place}: only ava may load a test`;
  const targetLayer = layerOf(target);
  if (targetLayer === null) return `${place}, which is in no layer`;
  if (reachableLayers(layer).has(targetLayer)) return null;
  return `${place}: ${layer} may not import ${targetLayer}`;
}

function layerFaults(facts: FactsByPath): string[] {
  const faults: string[] = [];
  for (const [path, { imports }] of facts) {
    if (!inLayers(path)) continue;
    const layer = layerOf(path);
    if (layer === null) {
      faults.push(`${path} is in no layer: give its folder a row in ci/check-layers.test.ts`);
      continue;
    }
    for (const each of imports) {
      const fault = faultOfImport(path, layer, each);
      if (fault !== null) faults.push(fault);
    }
  }
  return faults;
}

/** Layers must exist, and name only layers that exist. */
function tableFaults(layers: typeof LAYERS, folders: readonly string[]): string[] {
  const gone = Object.keys(layers).filter((layer) => !folders.includes(layer));
  const unknown = Object.entries(layers).flatMap(([layer, below]) =>
    below.filter((each) => !(each in layers)).map((each) => `${layer} names ${each}: not a layer`),
  );
  return [...gone.map((layer) => `${layer} is a layer and not a folder`), ...unknown];
}

/** Modules that the package contains only within a script of the build. */
const ONLY_BUNDLED = "src/playground/page/";

/** Finds shipped modules that load a package of the development, or a module that loads one. */
function shippedFaults(facts: FactsByPath, forDevelopment: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [path, { imports }] of facts) {
    if (!inLayers(path) || isArbitrary(path) || path.startsWith(ONLY_BUNDLED)) continue;
    for (const { specifier, targets, kind } of imports) {
      if (kind === "type") continue;
      if (!forDevelopment.includes(specifier) && !targets.some(isArbitrary)) continue;
      faults.push(`${path} imports ${specifier}, which only tests may: it is not shipped`);
    }
  }
  return faults;
}

/** Searches breadth first, over sources that are not tests; a fault is the chain that leads across. */
function chainBetween(facts: FactsByPath, start: string, to: string): string[] | null {
  const cameFrom = new Map<string, string | null>([[start, null]]);
  for (const path of cameFrom.keys()) {
    if (path.startsWith(to)) {
      const chain: string[] = [];
      for (let at: string | null = path; at !== null; at = cameFrom.get(at) ?? null) chain.push(at);
      return chain.reverse();
    }
    for (const { targets } of facts.get(path)?.imports ?? []) {
      for (const target of targets) if (!cameFrom.has(target)) cameFrom.set(target, path);
    }
  }
  return null;
}

function strangerFaults(facts: FactsByPath): string[] {
  const faults: string[] = [];
  for (const path of facts.keys()) {
    for (const { from, to } of STRANGERS) {
      if (!path.startsWith(from) || isTest(path)) continue;
      const chain = chainBetween(facts, path, to);
      if (chain !== null) faults.push(chain.join(" -> "));
    }
  }
  return faults;
}

// --- the current project ---

const facts = factsOf(readCode());

test("no source imports against the arrows", (t) => {
  t.true(facts.size > 200, `only ${facts.size} sources found: the reader has gone blind`);
  t.deepEqual(layerFaults(facts), []);
});

test("every layer is a folder", (t) => {
  t.deepEqual(tableFaults(LAYERS, ["src", "reference", "fuzz"].flatMap(foldersBelow)), []);
});

test("the oracle and the reference compiler do not reach each other", (t) => {
  t.deepEqual(strangerFaults(facts), []);
});

test("no shipped module needs a package of the development", (t) => {
  const text = readFileSync(join(projectRoot(), "package.json"), "utf8");
  const { devDependencies, files } = JSON.parse(text);
  t.true(files.includes("!build/**/*-arb.*"));
  t.true(files.includes(`!build/${ONLY_BUNDLED}**`));
  t.deepEqual(shippedFaults(facts, Object.keys(devDependencies)), []);
});

// --- planted violations: each check must find its own ---

const planted = (files: Record<string, string>) => factsOf(plant(files));

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
    const found = planted({ "src/oracle/a.ts": text, "reference/optimize/rules/fold.ts": "" });
    seesOne(t, layerFaults(found), "src/oracle may not import reference");
    seesOne(t, strangerFaults(found), "src/oracle/a.ts -> reference/optimize/rules/fold.ts");
  });
}

test("planted: the reference compiler reaches the oracle through a third file", (t) => {
  const found = planted({
    "reference/optimize/rules/fold.ts": 'import { x } from "../../../src/ir/x.js";',
    "src/ir/x.ts": 'export { x } from "../oracle/x.js";',
    "src/oracle/x.ts": "export const x = 1;",
  });
  seesOne(t, layerFaults(found), "src/ir may not import src/oracle");
  seesOne(t, strangerFaults(found), "fold.ts -> src/ir/x.ts -> src/oracle/x.ts");
});

test("planted: the other arrows", (t) => {
  const fault = (path: string, text: string) => layerFaults(planted({ [path]: text }));
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

test("planted: a shipped module needs a package of the development", (t) => {
  const fault = (path: string, text: string) =>
    shippedFaults(planted({ [path]: text }), ["fast-check"]);
  seesOne(t, fault("src/ir/a.ts", 'import fc from "fast-check";'), "a.ts imports fast-check");
  seesOne(t, fault("src/ir/a.ts", 'import { x } from "./x-arb.js";'), "only tests may");
  t.deepEqual(fault("src/ir/a.ts", 'import type { Arbitrary } from "fast-check";'), []);
  t.deepEqual(fault("src/ir/x-arb.ts", 'import fc from "fast-check";'), []);
  t.deepEqual(fault("src/ir/a.test.ts", 'import { x } from "./x-arb.js";'), []);
  t.deepEqual(fault("src/playground/page/a.ts", 'import fc from "fast-check";'), []);
});

test("planted: permitted imports stay permitted", (t) => {
  const found = planted({
    "src/execute/a.ts": 'import "../oracle/b.js";\nimport "../../reference/pipeline.js";',
    "src/oracle/b.ts": '// import "../../reference/pipeline.js";\nimport "../ir/c.js";',
    "reference/pipeline.ts": 'import "./optimize/d.js";\nimport koffi from "koffi";',
    "reference/optimize/d.test.ts": 'import "../../src/oracle/b.js";',
  });
  t.deepEqual(layerFaults(found), []);
  t.deepEqual(strangerFaults(found), []);
});

test("planted: a layer without a folder, and one that is only named", (t) => {
  const layers = { "src/a": ["src/b"], "src/gone": [] };
  t.deepEqual(tableFaults(layers, ["src/a", "src/b"]), [
    "src/gone is a layer and not a folder",
    "src/a names src/b: not a layer",
  ]);
});
