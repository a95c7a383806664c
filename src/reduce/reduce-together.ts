// Reduces a program with candidates that several processes, or a command of the user, judge at once. The result is the
// same as with one judge. The reduction can be stopped at any time, with the best program so far.

import type { Candidate } from "./candidate.js";
import { stepsFrom } from "./reduce.js";
import { NONE } from "./schedule.js";

export interface CandidateJudge {
  /** The number of candidates that it judges at once. */
  readonly width: number;
  /** Returns the index of the first candidate that is interesting; NONE if none is. */
  firstOf(batch: readonly Candidate[]): Promise<number>;
  /**
   * Judges the result again, without the state that earlier candidates left. If it is not interesting, the reduction
   * starts again, and from then on the judge chooses only candidates that need no such state.
   */
  isLasting?(best: Candidate): Promise<boolean>;
}

export interface ReductionProgress {
  readonly best: Candidate;
  /** The number of candidates that were proposed. */
  readonly tests: number;
}

interface ParallelReduceOptions {
  readonly testsMax: number;
  /** Aborting it ends the reduction, with the best program so far. */
  readonly signal: AbortSignal;
  /** Called after each batch; `isBetter` if the best program has changed. */
  readonly onProgress: (progress: ReductionProgress, isBetter: boolean) => void;
}

/** Reduces a program. Returns null if the original program is not interesting. */
export async function reduceTogether(
  start: Candidate,
  judges: CandidateJudge,
  options: ParallelReduceOptions,
): Promise<ReductionProgress | null> {
  const first = await reduceOnce(start, judges, options);
  if (first === null || options.signal.aborted || judges.isLasting === undefined) return first;
  if ((await judges.isLasting(first.best)) || options.signal.aborted) return first;
  return (await reduceOnce(start, judges, options)) ?? first;
}

async function reduceOnce(
  start: Candidate,
  judges: CandidateJudge,
  { testsMax, signal, onProgress }: ParallelReduceOptions,
): Promise<ReductionProgress | null> {
  const stopped = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
  const judge = (batch: readonly Candidate[]) => Promise.race([judges.firstOf(batch), stopped]);
  const first = await judge([start]);
  if (first === NONE) return null;
  let progress: ReductionProgress = { best: start, tests: 1 };
  const steps = stepsFrom(start, judges.width);
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
