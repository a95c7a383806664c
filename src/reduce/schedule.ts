// Schedules reducers: they propose candidates and the driver judges them, until no proposal is kept. That is a
// fixpoint, unless the driver stops earlier.
//
// Each reducer lists its edits on a clone and tries them in chunks, from all of them down to one by one (delta
// debugging; Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). The order is fixed and
// nothing is drawn or timed, so a reduction returns the same program every time.
// It does not depend on the number of candidates judged at once: those of one batch start from the same program, and the
// first interesting one is the one that a sequential reduction finds.

import { type Candidate, cloneCandidate } from "./candidate.js";

/** A change of the candidate on which it was listed. */
export type CandidateEdit = () => void;

export interface Reducer {
  readonly name: string;
  /** Lists the reducer's edits of the candidate; any subset of them may be applied together. */
  readonly edits: (candidate: Candidate) => readonly CandidateEdit[];
}

/** Tidies the edited candidate. Returns it if it costs less than the current one, else null. */
type CandidatePreparer = (candidate: Candidate, current: Candidate) => Candidate | null;

/** Yields candidates; `next` takes the index of the first that is interesting, or NONE. */
export type CandidateSchedule = Generator<readonly Candidate[], void, number>;
export const NONE = -1;

/**
 * Yields batches of candidates.
 * @param width the greatest number of candidates that are judged at once
 */
export function* schedule(
  start: Candidate,
  reducers: readonly Reducer[],
  prepare: CandidatePreparer,
  width: number,
): CandidateSchedule {
  let current = start;
  for (const reducer of reducers) {
    current = yield* reduceBy(current, reducer, prepare, width, COARSE);
  }
  let before: Candidate;
  do {
    before = current;
    for (const reducer of reducers) current = yield* reduceBy(current, reducer, prepare, width, 0);
  } while (current !== before);
}

/**
 * The smallest chunk of the first round, as a share of all edits: smaller chunks are tried when all reducers have made
 * the program small.
 */
const COARSE = 1 / 8;

function* reduceBy(
  start: Candidate,
  { edits }: Reducer,
  prepare: CandidatePreparer,
  width: number,
  share: number,
): Generator<readonly Candidate[], Candidate, number> {
  let current = start;
  let count = edits(cloneCandidate(current)).length;
  const least = Math.max(1, count * share);
  for (let size = count; size >= least; size = size === 1 ? 0 : (size + 1) >> 1) {
    // Chunks are tried from the end: later parts depend on earlier ones, and indices before a chunk remain valid.
    for (let end = count; end > 0; ) {
      const batch: Candidate[] = [];
      const begins: number[] = [];
      while (end > 0 && batch.length < width) {
        const begin = Math.max(0, end - size);
        const candidate = applyChunk(current, edits, begin, end, prepare);
        if (candidate !== null) {
          batch.push(candidate);
          begins.push(begin);
        }
        end = begin;
      }
      const found = batch.length === 0 ? NONE : yield batch;
      if (found === NONE) continue;
      current = batch[found];
      count = edits(cloneCandidate(current)).length;
      end = Math.min(begins[found], count);
    }
    size = Math.min(size, count);
  }
  return current;
}

function applyChunk(
  current: Candidate,
  edits: Reducer["edits"],
  begin: number,
  end: number,
  prepare: CandidatePreparer,
): Candidate | null {
  const clone = cloneCandidate(current);
  const all = edits(clone);
  // Edits are applied from the end too: some refer to their operand by its index in a list.
  for (let e = end - 1; e >= begin; e--) all[e]();
  return prepare(clone, current);
}
