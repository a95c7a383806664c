// Lists the engines: other people's compilers as subjects.

import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { COMPILER_ENGINES } from "./compiler-rows.js";
import { drawnEngine, drawnRowsOf, flaggedEngine } from "./drawn/drawn-engines.js";
import type { DrawnEngine } from "./drawn/flag-table.js";
import type { EngineSubject } from "./engine-subject.js";
import { otherVersions } from "./other-versions.js";
import type { RunAnswer } from "./run-answer.js";
import { withTiers } from "./tiers.js";
import { WASM_DRIVER, WASM_ENGINES } from "./wasm-rows.js";
import { observe } from "./wasm-subject.js";

const BASES = [...WASM_ENGINES, ...COMPILER_ENGINES, ...otherVersions()];
export const DRAWN: readonly DrawnEngine[] = drawnRowsOf(BASES);

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
export async function* observations(module: Module, input: Input): AsyncGenerator<RunAnswer> {
  for (const flag of ["--liftoff-only", "--no-liftoff"]) {
    const answer = await observe(
      { path: process.execPath, args: [flag, WASM_DRIVER] },
      module,
      input,
    );
    if (answer !== null) yield answer;
  }
}
