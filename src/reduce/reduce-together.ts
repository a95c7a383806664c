// A reduction whose candidates are judged by several processes at once, or by a command of the user's.
// The result is the same as with one judge. It can be stopped at any moment, with the best
// program so far.

import type { Candidate } from "./candidate.js";
import { stepsFrom } from "./reduce.js";
import { NONE } from "./schedule.js";

export interface Jury {
  /** Candidates that it judges at once. */
  readonly width: number;
  /** The index of the first candidate that is interesting; NONE if none is. */
  firstOf(batch: readonly Candidate[]): Promise<number>;
}

export interface Progress {
  readonly best: Candidate;
  /** Candidates that were proposed. */
  readonly tests: number;
}

interface TogetherOptions {
  readonly testsMax: number;
  /** The reduction ends, and gives what it has. */
  readonly signal: AbortSignal;
  /** Called after each batch; `isBetter` if the best program is another now. */
  readonly onProgress: (progress: Progress, isBetter: boolean) => void;
}

/** Null if the jury finds nothing interesting in the program as it is given. */
export async function reduceTogether(
  start: Candidate,
  jury: Jury,
  { testsMax, signal, onProgress }: TogetherOptions,
): Promise<Progress | null> {
  const stopped = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
  const judge = (batch: readonly Candidate[]) => Promise.race([jury.firstOf(batch), stopped]);
  const first = await judge([start]);
  if (first === NONE) return null;
  let progress: Progress = { best: start, tests: 1 };
  const steps = stepsFrom(start, jury.width);
  for (let step = steps.next(NONE); step.done !== true && first !== null; ) {
    const batch = step.value;
    if (progress.tests >= testsMax || signal.aborted) break;
    const found = await judge(batch);
    if (found === null) break;
    const isBetter = found !== NONE;
    const best = isBetter ? batch[found] : progress.best;
    progress = { best, tests: progress.tests + batch.length };
    onProgress(progress, isBetter);
    step = steps.next(found);
  }
  return progress;
}
