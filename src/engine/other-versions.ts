// Adds engines of other versions than the system's. Each file in a folder gives rows for the
// compilers in it; the name of the file is the kind and the version of the program.
//
//   node-14.0.0       v8-turbofan@14.0.0, v8-liftoff@14.0.0, v8-js-turbofan@14.0.0, ...
//   deno-2.9.6        v8-turbofan@deno-2.9.6, v8-liftoff@deno-2.9.6, v8-js-turbofan@deno-2.9.6, ...
//   bun-1.0.0         jsc-omg@bun-1.0.0, jsc-bbq@bun-1.0.0, jsc-llint@bun-1.0.0, jsc-b3@bun-1.0.0
//   jsc-2.54          jsc-omg@2.54, jsc-bbq@2.54, jsc-b3@2.54, jsc-js-ftl@2.54, ...
//   js-140            ion@140, sm-baseline@140, sm-js-ion@140, ...
//   wizer-11.0.3      cranelift@wizer-11.0.3
//   wasm-opt-98       binaryen-O1@98, binaryen-O3@98
//   clang-21          clang-O2@21, llvm-O2@21, llvm-facts@21, arm64-llvm-O2@21, ...
//   clang-wasi-22.1.0 wasm32-clang-O2@22.1.0, ..., by a clang that is WebAssembly
//   zig-0.16.0        the same rows, by the LLVM in zig
//   gcc-13            gcc-O2@13, gcc-facts@13, ...
//   luajit-2.1        luajit@2.1, luajit-hot@2.1, ...
//   java-21           hotspot-int@21, hotspot-c1@21, hotspot-c2@21, ...
//
// The folder is .touchstone/engines, or the one that TOUCHSTONE_ENGINES names. `ci/setup --engines
// newest` fills it. The name of a row identifies it completely, so workers and later processes need
// nothing else.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { PLAIN_FORM, type SourceForm } from "../export/forms.js";
import { projectRoot } from "../support/project-root.js";
import { clangRows, gccRows, luajitRows, wasiClangRows, zigRows } from "./compiler-rows.js";
import type { EngineSubject } from "./engine-subject.js";
import {
  bunJsRows,
  denoFlags,
  denoJsRows,
  denoVersion,
  jscJsRows,
  nodeJsRows,
  smJsRows,
} from "./js-rows.js";
import { jvmRows } from "./jvm-rows.js";
import { lackOf, pathOf } from "./path-of.js";
import { wasiReproducer } from "./reproducer.js";
import { wasiSubject } from "./wasi-subject.js";
import {
  answers,
  BINARYEN,
  BINARYEN_LACKS,
  bunB3,
  bunOptions,
  engineOf,
  JSC_TIERS,
  jscRows,
  jscRowsAt,
  NEWER_JSC_TIERS,
  optimizerOf,
  smRows,
  V8,
} from "./wasm-rows.js";

interface EngineFamily {
  /** The start of the file names; the rest is the version. */
  readonly prefix: string;
  readonly rows: (path: string, version: string) => readonly EngineSubject[];
}

const FAMILIES: readonly EngineFamily[] = [
  {
    prefix: "node-",
    rows: (path, version) => [...nodeRows(path, version), ...nodeJsRows(path, version)],
  },
  {
    prefix: "deno-",
    rows: (path, version) => [...denoRows(path, version), ...denoJsRows(path, version)],
  },
  {
    prefix: "bun-",
    rows: (path, version) => [...bunRows(path, version), ...bunJsRows(path, version)],
  },
  {
    prefix: "jsc-",
    rows: (path, version) => [...jscRows(path, version), ...jscJsRows(path, version)],
  },
  {
    prefix: "js-",
    rows: (path, version) => [...smRows(path, version), ...smJsRows(path, version)],
  },
  { prefix: "wizer-", rows: craneliftRows },
  { prefix: "wasm-opt-", rows: binaryenRows },
  { prefix: "clang-wasi-", rows: (path, version) => wasiClangRows({ path, version }) },
  { prefix: "clang-", rows: (path, version) => clangRows({ path, version }) },
  {
    prefix: "zig-",
    rows: (path, version) => zigRows({ path, version: `zig-${version}` }, zigCache(path)),
  },
  { prefix: "gcc-", rows: (path, version) => gccRows({ path, version }) },
  { prefix: "luajit-", rows: (path, version) => luajitRows({ path, version }) },
  { prefix: "java-", rows: jvmRows },
];

export const enginesFolder = (): string =>
  process.env["TOUCHSTONE_ENGINES"] ?? join(projectRoot(), ".touchstone", "engines");

export function otherVersions(folder = enginesFolder()): EngineSubject[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const family = FAMILIES.find(({ prefix }) => file.startsWith(prefix));
      return family?.rows(join(folder, file), file.slice(family.prefix.length)) ?? [];
    });
}

/** From each major version of Node: the earlier names of the proposals that programs use. */
const NODE_FLAGS = [
  { from: 10, flags: ["bulk-memory", "sat-f2i-conversions", "se"] },
  { from: 14, flags: ["bulk-memory"] },
  { from: 16, flags: [] },
];
/** The first version whose V8 has blocks with parameters without a flag. */
const BLOCK_PARAMETERS = 15;
/** The first version whose V8 has `--liftoff-only`. */
const LIFTOFF_ONLY = 16;
/** The first and the last version whose V8 has Turboshaft for WebAssembly as an option. */
const TURBOSHAFT = [20, 23];

function nodeRows(path: string, version: string): EngineSubject[] {
  const major = Number.parseInt(version, 10);
  const proposals = NODE_FLAGS.findLast(({ from }) => from <= major)?.flags ?? [];
  const flags = [...V8, ...proposals.map((name) => `--experimental-wasm-${name}`)];
  const noTierUp = "--no-wasm-tier-up";
  const liftoff = major >= LIFTOFF_ONLY ? ["--liftoff-only"] : ["--liftoff", noTierUp];
  const row = (name: string, more: readonly string[], tier: string): EngineSubject =>
    engineOf({
      name: `${name}@${version}`,
      program: path,
      flags: [...flags, ...more],
      tier: answers(tier),
      driverAsText: true,
      ...(major < BLOCK_PARAMETERS ? { lacks: ["block-params"] as const } : {}),
      version: [path, "-p", "'V8 ' + process.versions.v8"],
      install: path,
    });
  const rows = [
    row("v8-turbofan", ["--no-liftoff", noTierUp], "turbofan"),
    row("v8-liftoff", liftoff, "liftoff"),
  ];
  if (major < TURBOSHAFT[0] || major > TURBOSHAFT[1]) return rows;
  const turboshaft = ["--no-liftoff", noTierUp, "--turboshaft-wasm"];
  return [...rows, row("v8-turboshaft", turboshaft, "turbofan")];
}

/** Beside the engine, under a name that no family has. */
const zigCache = (path: string): string => join(dirname(path), ".cache", "zig");

function denoRows(path: string, version: string): EngineSubject[] {
  const row = (name: string, more: readonly string[], tier: string): EngineSubject =>
    engineOf({
      name: `${name}@deno-${version}`,
      program: path,
      flags: denoFlags([...V8, ...more]),
      tier: answers(tier),
      version: denoVersion(path),
      install: path,
    });
  return [
    row("v8-turbofan", ["--no-liftoff", "--no-wasm-tier-up"], "turbofan"),
    row("v8-liftoff", ["--liftoff-only"], "liftoff"),
  ];
}

/**
 * Cranelift is the only compiler of wizer, which compiles a module to run one export of it. Old releases disable
 * the bulk memory instructions by default.
 */
function craneliftRows(path: string, version: string): EngineSubject[] {
  const name = `cranelift@wizer-${version}`;
  const flags = ["-f", "run", "--allow-wasi", "--wasm-bulk-memory=true", "-o", "/dev/null"];
  const missing = (): string | null => (pathOf(path) === null ? lackOf(name, path, "") : null);
  const command = ["wizer", "program.wasm", ...flags].join(" ");
  const inForm = (shownName: string, form: SourceForm): EngineSubject => ({
    ...wasiSubject({ name: shownName, path, flags, missing, form }),
    batch: 1,
    version: () => `wizer ${version}`,
    reproducer: (shown) => wasiReproducer(shown, command, form),
    alterable: {
      command: [],
      format: "wasm",
      with: (altered) => inForm(altered.name, altered.form),
    },
  });
  return [inForm(name, PLAIN_FORM)];
}

/** The first release of bun whose log has no index of a function. */
const BUN_WITHOUT_INDEX = [1, 3];

/** Bun takes the options of its JavaScriptCore from its environment. */
function bunRows(path: string, version: string): EngineSubject[] {
  const [major, minor] = version.split(".").map(Number);
  const [from, fromMinor] = BUN_WITHOUT_INDEX;
  const isNewer = major > from || (major === from && minor >= fromMinor);
  const tiers = isNewer ? NEWER_JSC_TIERS : JSC_TIERS;
  return jscRowsAt(`bun-${version}`, tiers, bunB3(path), (options) => ({
    before: bunOptions(options),
  }));
}

/** The first version of Binaryen that reads parameters of blocks. */
const BINARYEN_PARAMETERS = 122;
/** The first version of Binaryen whose `--local-cse` accepts nested expressions. */
const BINARYEN_CSE = 102;

function binaryenRows(path: string, version: string): EngineSubject[] {
  const major = Number.parseInt(version, 10);
  const lacks = [
    ...(major < BINARYEN_PARAMETERS ? BINARYEN_LACKS : []),
    ...(major < BINARYEN_CSE ? ["local-cse"] : []),
  ];
  return ["-O1", "-O3"].map((level) =>
    optimizerOf({
      name: `binaryen${level}@${version}`,
      program: path,
      flags: [...BINARYEN, level],
      install: path,
      lacks,
    }),
  );
}
