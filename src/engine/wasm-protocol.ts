// Reads and writes the lines between the harness and wasm-driver.ts, as JSON. First the driver
// describes itself:
//   {"protocol": 1, "engine": "11.3.244.8-node.30"}
// Then each question has a module in hexadecimal and inputs. Each answer has one run for each
// input: the status and the records of the module (layout.ts and observation.ts of src/export) and
// its trap. It also has the compiler whose code ran.
//   {"wasm": "0061736d...", "rounds": 1, "inputs": [{"words": [1, 0], "seed": 5}]}
//   {"tier": "turbofan", "runs": [{"status": 1, "trap": null, "records": "04000000..."}]}
//   {"error": "CompileError: ..."}
// All answers of an engine are untrusted.

import type { Input } from "../ir/outcome.js";
import { objectOf, recordOf } from "./command-protocol.js";
import type { RunResult } from "./run-answer.js";

const PROTOCOL = 1;

type WasmAnswer =
  | { readonly kind: "ran"; readonly tier: string; readonly runs: readonly RunResult[] }
  /** The engine refused the module. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "garbage"; readonly detail: string };

export const questionOf = (wasm: Uint8Array, inputs: readonly Input[], rounds: number): string =>
  JSON.stringify({
    rounds,
    wasm: Buffer.from(wasm).toString("hex"),
    inputs: inputs.map(({ words, heapSeed }) => ({ words: [...words], seed: heapSeed })),
  });

/** Returns the engine's version from its first line; null if the line is invalid. */
export function engineOf(line: string): string | null {
  const parsed = objectOf(line);
  const engine = parsed?.["engine"];
  return parsed?.["protocol"] === PROTOCOL && typeof engine === "string" ? engine : null;
}

export function answerOf(line: string, count: number): WasmAnswer {
  const parsed = objectOf(line);
  if (parsed === null) return garbage(`expected a JSON object, got ${line.slice(0, 200)}`);
  const { error, tier, runs } = parsed;
  if (typeof error === "string") return { kind: "refused", message: error };
  if (typeof tier !== "string" || !Array.isArray(runs)) return garbage("no tier, or no runs");
  const read = runs.flatMap((run: unknown) => runOf(run) ?? []);
  if (runs.length !== count || read.length !== count) {
    return garbage(`${read.length} readable runs of ${runs.length}, expected ${count}`);
  }
  return { kind: "ran", tier, runs: read };
}

const garbage = (detail: string): WasmAnswer => ({ kind: "garbage", detail });

function runOf(parsed: unknown): RunResult | null {
  const run = recordOf(parsed);
  if (run === null) return null;
  const { status, trap, records } = run;
  if (typeof status !== "number" || typeof records !== "string") return null;
  if (trap !== null && typeof trap !== "string") return null;
  if (!/^(?:[\da-f]{2})*$/.test(records)) return null;
  return { status, trap, records: Buffer.from(records, "hex") };
}
