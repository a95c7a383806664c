// Lists the engines: other people's compilers as subjects.

import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { BROWSER_WASM_ENGINES } from "./browsers/browser-rows.js";
import { COMPILER_ENGINES } from "./compiler-rows.js";
import { drawnEngine, drawnRowsOf, flaggedEngine } from "./drawn/drawn-engines.js";
import type { EngineWithFlags } from "./drawn/flag-table.js";
import type { EngineSubject } from "./engine-subject.js";
import { BROWSER_JS_ENGINES, JS_ENGINES } from "./js-rows.js";
import { JVM_ENGINES } from "./jvm-rows.js";
import { otherVersions } from "./other-versions.js";
import type { RunResult } from "./run-answer.js";
import type { SourceProgram } from "./sources.js";
import { WASM_DRIVER, WASM_ENGINES } from "./wasm-rows.js";
import { observe } from "./wasm-subject.js";

// The compilers of one engine are its parts. If a program is wrong in one tier and right in
// the lower ones, that tier is the cause. If its compiler logs phases, the cause is the wrong
// phase. If the lowest tier is wrong, the cause is the engine's decoder or the module itself.

/** By row, the rows that run the program first, in this order. */
const LOWER_TIERS: Readonly<Record<string, readonly string[]>> = {
  "v8-liftoff": ["v8-turbofan"],
  "v8-turbofan": ["v8-liftoff"],
  "v8-turboshaft": ["v8-liftoff", "v8-turbofan"],
  "jsc-bbq": ["jsc-llint"],
  "jsc-omg": ["jsc-llint", "jsc-bbq"],
  "jsc-b3": ["jsc-llint", "jsc-bbq"],
  ion: ["sm-baseline"],
  "sm-baseline": ["ion"],
  "hotspot-c1": ["hotspot-int"],
  "hotspot-c2": ["hotspot-int", "hotspot-c1"],
};

/** Gives each engine the tiers of the same version as parts. */
const withTiers = (engines: readonly EngineSubject[]): EngineSubject[] =>
  engines.map((engine) => {
    const [row, ...version] = engine.name.split("@");
    const names = (LOWER_TIERS[row] ?? []).map((name) => [name, ...version].join("@"));
    const below = names.flatMap((name) => engines.find((other) => other.name === name) ?? []);
    if (below.length === 0) return engine;
    const tiers = [...below, engine];
    const inside = async (part: string, program: SourceProgram): Promise<string | null> =>
      part === engine.name ? ((await engine.causingPhase?.(program)) ?? null) : null;
    const parts = {
      list: async () => tiers.slice(1).map(({ name }) => name),
      upTo: (count: number) => tiers[count],
      rest: `${tiers[0].name} too`,
      inside,
    };
    return { ...engine, parts };
  });

const BASES = [
  ...[...WASM_ENGINES, ...JS_ENGINES, ...COMPILER_ENGINES, ...JVM_ENGINES],
  ...[...BROWSER_WASM_ENGINES, ...BROWSER_JS_ENGINES, ...otherVersions()],
];
export const DRAWN: readonly EngineWithFlags[] = drawnRowsOf(BASES);

/** Every engine that has a name, also if this machine lacks it. */
export const ENGINES: readonly EngineSubject[] = withTiers([
  ...BASES,
  ...DRAWN.map((row) => drawnEngine(row)),
]);

/** Returns the engine of a row, or of a row with flags. */
export const engineNamed = (name: string): EngineSubject | null =>
  ENGINES.find((engine) => engine.name === name) ?? flaggedEngine(name, BASES, DRAWN);

/**
 * Yields the result of one execution in each of two compilers; the caller decides which is right.
 */
export async function* observations(module: Module, input: Input): AsyncGenerator<RunResult> {
  for (const flag of ["--liftoff-only", "--no-liftoff"]) {
    const answer = await observe(
      { path: process.execPath, args: [flag, WASM_DRIVER] },
      module,
      input,
    );
    if (answer !== null) yield answer;
  }
}
