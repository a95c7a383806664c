// Collects the faults of a module that the parts of the verifier report.

import type { Value } from "../procedure.js";

/** A fault of a module. Ids are those of the text form. */
export interface ModuleFault {
  /** The name of the procedure; empty if the fault belongs to none. */
  readonly procedure: string;
  readonly block?: number;
  readonly value?: number;
  readonly snapshot?: number;
  readonly message: string;
}

/** Faults beyond this number are dropped. */
const FAULTS_MAX = 1000;

/** Collects faults, each with the position that is being checked. */
export class FaultReporter {
  readonly faults: ModuleFault[] = [];
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
