// Judges the run lines of a program in the engine of this process, which in the page is that of the
// browser: the first call, and the last one of many.

import { Judge } from "../compare/judge-program.js";
import { exportWasm } from "../export/wasm/export-wasm.js";
import type { Module } from "../ir/procedure.js";
import { describeError } from "../support/assert.js";
import { browserSubject } from "./browser-subject.js";
import { PAGE_FUEL, verdictOf } from "./judge-text.js";
import { readProgram } from "./program-text.js";
import type { BrowserJudged, BrowserRow, JudgeBrowserRequest } from "./protocol.js";

/** @throws ParseError */
export function judgeInBrowser(request: JudgeBrowserRequest): BrowserJudged {
  const { calls, isBroken } = request;
  const { module, lines } = readProgram({ ...request, canary: null });
  const counts = calls === 1 ? [1] : [1, calls];
  const exported = exportOrFault(module);
  if (typeof exported === "string") return { kind: "browser", rows: [failedRow(1, exported)] };
  const subjects = counts.map((rounds) => browserSubject({ rounds, isBroken }, exported));
  const judge = new Judge({ subjects, fuelMax: PAGE_FUEL });
  const inputs = lines.map(({ input }) => input);
  const { results } = judge.judge({ module, inputs });
  judge.close();
  const rows = results.map(({ judgements }, r): BrowserRow => {
    for (const { outcome } of judgements) {
      if (outcome?.ending.kind !== "compile-error") continue;
      return failedRow(counts[r], `the engine refuses the module: ${outcome.ending.message}`);
    }
    return { calls: counts[r], verdicts: judgements.map(verdictOf), error: null };
  });
  return { kind: "browser", rows };
}

const failedRow = (calls: number, error: string): BrowserRow => ({ calls, verdicts: [], error });

/** Returns the exported program, or why it cannot be exported. */
function exportOrFault(module: Module): Uint8Array | string {
  try {
    return exportWasm(module).bytes;
  } catch (error) {
    return `the program cannot be exported to WebAssembly: ${describeError(error)}`;
  }
}
