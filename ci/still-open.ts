// Lists of faults that a check finds and that are not fixed yet. Each list is exact: a new fault fails, and so does
// an entry that is no longer needed. When all lists are empty, this file is removed.

import type { ExecutionContext } from "ava";

/** One fault; a list of open faults contains its place. */
export interface CheckFault {
  readonly place: string;
  readonly what: string;
}

/** @param open places that may still be at fault */
export function faultsBeside(open: readonly string[], faults: readonly CheckFault[]): string[] {
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
  faults: readonly CheckFault[],
): void {
  if (open.length > 0) t.log(`${open.length} still open`);
  t.deepEqual(faultsBeside(open, faults), []);
}
