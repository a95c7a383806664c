// Defines the result of one execution of an exported program, by any engine, and converts it to an
// outcome.

import { decodeObservation } from "../export/observation.js";
import { ENDED, NO_ROOM, OOPS } from "../export/status.js";
import type { Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";

export interface RunResult {
  readonly status: number;
  readonly trap: string | null;
  readonly records: Uint8Array;
}

export const failedBy = (kind: "crash" | "garbage", evidence: string): Outcome => ({
  events: [],
  ending: { kind, evidence },
});

export function outcomeOfRun(module: Module, { status, trap, records }: RunResult): Outcome {
  if (status === ENDED) {
    const decoded = decodeObservation(module, records);
    return decoded.kind === "outcome" ? decoded.outcome : failedBy("garbage", decoded.detail);
  }
  if (status === OOPS) return failedBy("crash", "an Oops was reached");
  if (status === NO_ROOM) {
    return { events: [], ending: { kind: "no-room", bytes: records.length } };
  }
  return failedBy("crash", `trap: ${trap ?? "none, but the execution did not end"}`);
}
