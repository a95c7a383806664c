// What a check finds and nobody has put right yet. Each list is exact: a new fault is one, and so is
// an entry that is no longer needed. They shrink to nothing, and then this file goes.

import type { ExecutionContext } from "ava";

/** One fault: the place is what a list of open ones names. */
export interface Fault {
  readonly place: string;
  readonly what: string;
}

/** @param open places that may still be at fault */
export function faultsBeside(open: readonly string[], faults: readonly Fault[]): string[] {
  const places = new Set(faults.map(({ place }) => place));
  return [
    ...faults
      .filter(({ place }) => !open.includes(place))
      .map(({ place, what }) => `${place}: ${what}`),
    ...open
      .filter((place) => !places.has(place))
      .map((place) => `${place}: nothing is wrong any more, take it off the list of open faults`),
  ];
}

export function expectOnlyOpen(
  t: ExecutionContext,
  open: readonly string[],
  faults: readonly Fault[],
): void {
  if (open.length > 0) t.log(`${open.length} still open`);
  t.deepEqual(faultsBeside(open, faults), []);
}
