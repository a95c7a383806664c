// Counts what code executes, in steps that are the same in every run: how often each block of a
// function is entered, as the engine counts it for coverage. Time is not looked at, and the code that
// is counted needs no counters of its own. What a built-in function does (a fill, a splice) is one step.

import { type Profiler, Session } from "node:inspector";
import { assert } from "../../src/support/assert.js";

export class StepCounter {
  private readonly session = new Session();
  private readonly folder: string;

  /** @param folder counted is the code of files whose address contains it */
  constructor(folder: string) {
    this.folder = folder;
    this.session.connect();
    this.session.post("Profiler.enable");
    this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** The steps since the last call, or since the start. */
  take(): number {
    let found: readonly Profiler.ScriptCoverage[] | null = null;
    // A session to its own thread answers before `post` returns.
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
