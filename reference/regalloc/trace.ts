// Records the decisions of an allocator, in the order in which it makes them, for people who debug
// an allocation. Without a trace, an allocator only tests a variable for null.

import { NOWHERE } from "../lir/lir.js";

/** A decision about a part of the live interval of one virtual register. */
export interface AllocationDecision {
  readonly vreg: number;
  /**
   * The part, as positions (live-intervals.ts). The one-pass allocator has no intervals: its part
   * starts at the definition, whose position it does not know (NOWHERE), and ends at the position
   * of its walk.
   */
  readonly start: number;
  readonly end: number;
  readonly action: AllocationAction;
  /** A register, or NOWHERE. */
  readonly register: number;
  /** The position of a split, or NOWHERE. */
  readonly at: number;
  readonly reason: string;
}

export type AllocationAction =
  | "takes"
  | "leaves"
  | "goes to memory"
  | "is split"
  | "is joined"
  | "finds no register";

export type AllocationTrace = (decision: AllocationDecision) => void;

const GROUPS = ["start", "resolve", "in", "out"];

/** Returns a position as `<instruction>.<part of it>`. */
const positionName = (position: number): string =>
  position === NOWHERE ? "definition" : `${position >> 2}.${GROUPS[position & 3]}`;

/** @param registerName returns the name of a register */
export function describeDecision(
  { vreg, start, end, action, register, at, reason }: AllocationDecision,
  registerName: (register: number) => string,
): string {
  const range = `v${vreg} [${positionName(start)}, ${positionName(end)})`;
  const what = register === NOWHERE ? action : `${action} ${registerName(register)}`;
  return `${range} ${what}${at === NOWHERE ? "" : ` at ${positionName(at)}`}: ${reason}`;
}
