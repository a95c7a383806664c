// Reducers propose, the interest test decides, and the schedule goes on until nobody can propose
// anything that is kept: a fixpoint, or the cap on tests.
//
// Each reducer lists its edits on a clone and tries them in chunks, from all of them down to one by
// one (delta debugging; Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// 2002). Everything is kept in order and nothing is drawn or timed, so a reduction gives the same
// program every time.

import { type Candidate, cloneCandidate } from "./candidate.js";

/** Changes the candidate that it was listed on. */
export type Edit = () => void;

export interface Reducer {
  readonly name: string;
  /**
   * The edits that the reducer has for the candidate; they may be applied together, in any choice.
   */
  readonly edits: (candidate: Candidate) => readonly Edit[];
}

/**
 * Tidies the edited candidate; gives it back if it costs less and is still interesting, else null.
 */
export type Try = (candidate: Candidate, current: Candidate) => Candidate | null;

/**
 * The smallest candidate that the reducers reach.
 * @param isSpent true when no further test may be made
 */
export function runSchedule(
  start: Candidate,
  reducers: readonly Reducer[],
  attempt: Try,
  isSpent: () => boolean,
): Candidate {
  let current = start;
  let before: Candidate;
  do {
    before = current;
    for (const reducer of reducers) current = runReducer(current, reducer, attempt, isSpent);
  } while (current !== before && !isSpent());
  return current;
}

function runReducer(
  start: Candidate,
  { edits }: Reducer,
  attempt: Try,
  isSpent: () => boolean,
): Candidate {
  let current = start;
  let count = edits(cloneCandidate(current)).length;
  for (let size = count; size >= 1; size = size === 1 ? 0 : (size + 1) >> 1) {
    // From the back: what stands there depends on what stands before, and indices before a chunk
    // stay.
    for (let end = count; end > 0 && !isSpent(); ) {
      const begin = Math.max(0, end - size);
      const next = applyChunk(current, edits, begin, end, attempt);
      if (next !== null) {
        current = next;
        count = edits(cloneCandidate(current)).length;
      }
      end = Math.min(begin, count);
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
  attempt: Try,
): Candidate | null {
  const clone = cloneCandidate(current);
  const all = edits(clone);
  // From the back here too: some edits name what they change by its place in a list.
  for (let e = end - 1; e >= begin; e--) all[e]();
  return attempt(clone, current);
}
