// Engines of other versions than the system's, old ones above all: each is a program in a folder, named after
// what it is and its version, which gives it rows:
//
//   .touchstone/engines/node-14.0.0     v8-turbofan@14.0.0, v8-liftoff@14.0.0
//   .touchstone/engines/bun-1.0.0       jsc-omg@bun-1.0.0, jsc-bbq@bun-1.0.0, jsc-llint@bun-1.0.0
//   .touchstone/engines/wasm-opt-98     binaryen-O1@98, binaryen-O3@98
//
// TOUCHSTONE_ENGINES names another folder. A name says all, so workers and later processes need no more.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project-root.js";
import type { EngineSubject } from "./engine-subject.js";
import { answers, BINARYEN, engineOf, JSC_CURES, JSC_TIERS, optimizerOf, V8 } from "./wasm-rows.js";

interface Family {
  /** What files begin with; the rest is the version. */
  readonly prefix: string;
  readonly rows: (path: string, version: string) => readonly EngineSubject[];
}

const FAMILIES: readonly Family[] = [
  { prefix: "node-", rows: nodeRows },
  { prefix: "bun-", rows: bunRows },
  { prefix: "wasm-opt-", rows: binaryenRows },
];

const enginesFolder = (): string =>
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

/** By major version of Node from which on: what the proposals that programs use were called before. */
const NODE_FLAGS = [
  { from: 10, flags: ["bulk-memory", "sat-f2i-conversions", "se"] },
  { from: 14, flags: ["bulk-memory"] },
  { from: 16, flags: [] },
];
/** The first whose V8 knows `--liftoff-only`. */
const LIFTOFF_ONLY = 16;
/** From the first whose V8 has Turboshaft for WebAssembly as an option to the last. */
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

/** Bun takes the options of its JavaScriptCore from its surroundings. */
function bunRows(path: string, version: string): EngineSubject[] {
  return Object.entries(JSC_TIERS).map(([tier, { options, ...shown }]) =>
    engineOf({
      ...shown,
      name: `jsc-${tier}@bun-${version}`,
      program: path,
      flags: [],
      settings: options.map((option) => `BUN_JSC_${option}`),
      version: [path, "--version"],
      install: path,
      cures: JSC_CURES,
    }),
  );
}

function binaryenRows(path: string, version: string): EngineSubject[] {
  return ["-O1", "-O3"].map((level) =>
    optimizerOf({
      name: `binaryen${level}@${version}`,
      program: path,
      flags: [...BINARYEN, level],
      install: path,
    }),
  );
}
