// Records the decisions of an allocator, in the order in which it makes them, for people who debug
// an allocation. Without a trace, an allocator only tests a variable for null.

import type { PhysicalRegister, VirtualRegister } from "../lir/indices.js";
import { NOWHERE } from "../lir/lir.js";
import { instructionAt, type Position } from "./positions.js";

/** A decision about a part of the live interval of one virtual register. */
export interface AllocationDecision {
  readonly vreg: VirtualRegister;
  /**
   * The part, as positions (positions.ts). The one-pass allocator has no intervals: its part
   * starts at the definition, whose position it does not know (NOWHERE), and ends at the position
   * of its walk.
   */
  readonly start: Position;
  readonly end: Position;
  readonly action: AllocationAction;
  readonly register: PhysicalRegister;
  /** The position of a split, or NOWHERE. */
  readonly at: Position;
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
const positionName = (position: Position): string =>
  position === NOWHERE ? "definition" : `${instructionAt(position)}.${GROUPS[position & 3]}`;

/** @param registerName returns the name of a register */
export function describeDecision(
  { vreg, start, end, action, register, at, reason }: AllocationDecision,
  registerName: (register: PhysicalRegister) => string,
): string {
  const range = `v${vreg} [${positionName(start)}, ${positionName(end)})`;
  const what = register === NOWHERE ? action : `${action} ${registerName(register)}`;
  return `${range} ${what}${at === NOWHERE ? "" : ` at ${positionName(at)}`}: ${reason}`;
}
