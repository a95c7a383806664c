// Where in the text the parts of a module stand, to tell where a fault is.

import type { Fault } from "../verify/reporter.js";

/** Lines of the parts of one procedure, by id. */
export interface ProcedureLines {
  readonly head: number;
  /** 0 where no value has the id. */
  readonly values: Int32Array;
  readonly blocks: ReadonlyMap<number, number>;
  readonly snapshots: ReadonlyMap<number, number>;
}

/** The line of what is wrong, or of the part that it is in; 1 where there is none. */
export function lineIn(lines: ProcedureLines | undefined, fault: Fault): number {
  if (lines === undefined) return 1;
  const { value, block, snapshot } = fault;
  const valueLine = value === undefined ? 0 : (lines.values[value] ?? 0);
  if (valueLine !== 0) return valueLine;
  if (snapshot !== undefined) return lines.snapshots.get(snapshot) ?? lines.head;
  return block === undefined ? lines.head : (lines.blocks.get(block) ?? lines.head);
}
