// Runs exported WebAssembly in the engine of this process: in the page, that of the browser. The
// calls are synchronous, so a worker makes them.

import { SHOWN_CAPABILITIES } from "../engine/engine-subject.js";
import { failedBy, outcomeOfRun } from "../engine/run-answer.js";
import { instantiate, runAll } from "../engine/wasm-driver.js";
import type { LocalSubject, PreparedProgram } from "../execute/subject.js";
import { exportWasm } from "../export/wasm/export-wasm.js";
import type { Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { breakModule } from "./break-module.js";

const BROWSER = "this-browser";

interface BrowserOptions {
  /** The number of runs of each input; the last one is judged. */
  readonly rounds: number;
  /** One instruction of each module is changed, to show that a wrong engine would be found. */
  readonly isBroken: boolean;
}

/** @param exported the exported module of the only program that it judges; by default it exports each program */
export const browserSubject = (
  options: BrowserOptions,
  exported: Uint8Array | null = null,
): LocalSubject => ({
  kind: "local",
  name: BROWSER,
  capabilities: SHOWN_CAPABILITIES,
  native: true,
  missing: () => null,
  open: () => ({
    prepare: ({ module }) => prepare(module, exported ?? exportWasm(module).bytes, options),
    poisons: [0],
    discardMachine: () => {},
    close: () => {},
  }),
});

function prepare(
  module: Module,
  bytes: Uint8Array,
  { rounds, isBroken }: BrowserOptions,
): PreparedProgram {
  const given = isBroken ? (breakModule(bytes) ?? bytes) : bytes;
  let made: ReturnType<typeof instantiate> | null = null;
  let refusal: Outcome | null = null;
  try {
    made = instantiate(given.slice());
  } catch (error) {
    refusal = { events: [], ending: { kind: "compile-error", message: String(error) } };
  }
  const exports = made;
  return {
    poisons: [0],
    counts: null,
    run: ({ words, heapSeed }) => {
      if (exports === null) return refusal ?? failedBy("garbage", "no module");
      const inputs = [{ words, seed: heapSeed }];
      return runAll(exports, inputs, rounds, (run) => outcomeOfRun(module, run))[0];
    },
  };
}
