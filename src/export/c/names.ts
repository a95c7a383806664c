// What one exported C function knows of the rest of its program.

import type { HostFunction } from "../../ir/host-functions.js";
import type { Procedure } from "../../ir/procedure.js";

export interface Names {
  /** The array that is the heap. */
  readonly heap: string;
  readonly heapSize: number;
  readonly returnTag: number;
  functionOf(proc: Procedure): string;
  positionOf(proc: Procedure): number;
  hostFunction(host: HostFunction): string;
  /** Empty if the exit has none. */
  continuationsOf(exit: number): readonly Procedure[];
}
