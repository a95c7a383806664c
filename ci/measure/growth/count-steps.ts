// Counts the steps that code executes, which are the same in every run. A step is an entry of a
// function's block, as the coverage of V8 counts it. The counted code needs no counters of its own.
// A built-in function (a fill, a splice) is one step.

import { type Profiler, Session } from "node:inspector";
import { assert } from "../../../src/support/assert.js";

export class StepCounter {
  private readonly session = new Session();
  private readonly folder: string;

  /** @param folder counts the code of files whose URL contains it */
  constructor(folder: string) {
    this.folder = folder;
    this.session.connect();
    this.session.post("Profiler.enable");
    this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Returns the steps since the last call, or since the start. */
  take(): number {
    let found: readonly Profiler.ScriptCoverage[] | null = null;
    // A session to its own thread calls back before `post` returns.
    this.session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error === null) found = result;
    });
    assert(found !== null, () => "the engine reports no coverage");
    return stepsOf(found, this.folder);
  }

  close(): void {
    this.session.post("Profiler.stopPreciseCoverage");
    this.session.disconnect();
  }
}

function stepsOf(scripts: readonly Profiler.ScriptCoverage[], folder: string): number {
  let steps = 0;
  for (const { url, functions } of scripts) {
    if (!url.includes(folder)) continue;
    for (const { ranges } of functions) for (const { count } of ranges) steps += count;
  }
  return steps;
}
