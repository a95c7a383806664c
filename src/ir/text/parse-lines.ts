// Finds the line of a fault: records the lines of a module's parts.

import type { ModuleFault } from "../verify/reporter.js";

/** The lines of the parts of one procedure, by id. */
export interface ProcedureLines {
  readonly head: number;
  /** 0 if no value has the id. */
  readonly values: Int32Array;
  readonly blocks: ReadonlyMap<number, number>;
  readonly snapshots: ReadonlyMap<number, number>;
}

/** Returns the line of the fault, or of the part that contains it; 1 if there is none. */
export function lineIn(lines: ProcedureLines | undefined, fault: ModuleFault): number {
  if (lines === undefined) return 1;
  const { value, block, snapshot } = fault;
  const valueLine = value === undefined ? 0 : (lines.values[value] ?? 0);
  if (valueLine !== 0) return valueLine;
  if (snapshot !== undefined) return lines.snapshots.get(snapshot) ?? lines.head;
  return block === undefined ? lines.head : (lines.blocks.get(block) ?? lines.head);
}
