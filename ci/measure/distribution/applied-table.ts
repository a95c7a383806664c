// Counts in how many traced programs each phase and rule of the optimizer was applied.

import { optimize } from "../../../reference/optimize.js";
import type { PhaseName } from "../../../reference/pipeline.js";
import { APPLICABLE } from "../../../src/campaign/count/applied.js";
import { cloneModule } from "../../../src/ir/clone.js";
import { CALLS_ADDRESS, Op } from "../../../src/ir/opcodes.js";
import { compiledProcedures, type Module } from "../../../src/ir/procedure.js";
import { CALLEES_OBJECTS_SUNK, CALLS_LEFT, OBJECTS_SUNK } from "./distribution-figures.js";

/** The phase that applies the rules. */
const RULED_PHASE = "reduce-strength" satisfies PhaseName;
/** The phase that sinks objects. A value whose id the source does not contain was inlined. */
const SINKING_PHASE = "sink-objects" satisfies PhaseName;
const IS_RULE: ReadonlySet<string> = new Set(APPLICABLE.rules);

/** Counts of traced programs that exercise a phase or rule. */
export interface AppliedCounts {
  readonly name: string;
  /** Number of programs in which it was applied. */
  applied: number;
  /** Number of these in which it was applied to a source value that mattered in some execution. */
  mattered: number;
}

/** Applications of phases and rules at the highest level, on traced programs. */
export class AppliedTable {
  readonly rows: readonly AppliedCounts[] = [...APPLICABLE.phases, ...APPLICABLE.rules].map(
    (name) => ({ name, applied: 0, mattered: 0 }),
  );
  private readonly byName = new Map(this.rows.map((row) => [row.name, row]));

  /**
   * Optimizes a program and counts its applications.
   * @param mattered the number of executions in which a value mattered, by index of the procedure
   * and id of the value
   * @returns further counts of the optimized program, which the distribution observes
   */
  addProgram(module: Module, mattered: readonly Int32Array[]): Record<string, number> {
    const byProcedure = new Map(module.procedures.map(({ name }, p) => [name, mattered[p]]));
    const idEnds = new Map(module.procedures.map(({ name, valueIdEnd }) => [name, valueIdEnd]));
    const [applied, telling] = [new Set<string>(), new Set<string>()];
    let isOfCallee = false;
    const optimized = cloneModule(module);
    optimize(optimized, {
      level: "O2",
      target: "arm64", // it has every phase; x64 lacks one
      onApplication: (by, { id }, procedure) => {
        // Values that the optimizer makes have larger ids than those of the source.
        const isMade = id >= (idEnds.get(procedure) ?? 0);
        if (by === SINKING_PHASE && isMade) isOfCallee = true;
        const matters = (byProcedure.get(procedure)?.[id] ?? 0) > 0;
        for (const name of IS_RULE.has(by) ? [by, RULED_PHASE] : [by]) {
          applied.add(name);
          if (matters) telling.add(name);
        }
      },
    });
    for (const [name, row] of this.byName) {
      if (applied.has(name)) row.applied++;
      if (telling.has(name)) row.mattered++;
    }
    return {
      [CALLS_LEFT]: hasCalls(optimized) ? 1 : 0,
      [OBJECTS_SUNK]: applied.has(SINKING_PHASE) ? 1 : 0,
      [CALLEES_OBJECTS_SUNK]: isOfCallee ? 1 : 0,
    };
  }
}

function hasCalls(module: Module): boolean {
  let found = false;
  for (const proc of compiledProcedures(module)) {
    proc.forEachValue(({ opcode, procedure }) => {
      found ||= CALLS_ADDRESS[opcode] === 1 || (opcode === Op.CCall && procedure !== null);
    });
  }
  return found;
}
