// The faults of a module, as the parts of the verifier find them.

import type { Value } from "../procedure.js";

/** One thing that is wrong with a module. Ids are those of the text form. */
export interface Fault {
  /** The name of the procedure; empty where the fault belongs to none. */
  readonly procedure: string;
  readonly block?: number;
  readonly value?: number;
  readonly snapshot?: number;
  readonly message: string;
}

/** Faults beyond these are dropped: a module with so many is not repaired by reading them. */
const FAULTS_MAX = 1000;

/** Collects faults, with the place that is being checked. */
export class Reporter {
  readonly faults: Fault[] = [];
  procedure = "";
  block: number | null = null;
  snapshot: number | null = null;

  fault(value: Value | null, message: string): void {
    if (this.faults.length >= FAULTS_MAX) return;
    const { procedure, block, snapshot } = this;
    this.faults.push({
      procedure,
      ...(block === null ? {} : { block }),
      ...(snapshot === null ? {} : { snapshot }),
      ...(value === null ? {} : { value: value.id }),
      message,
    });
  }
}
