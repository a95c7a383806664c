// Provides a recorder with facts about the recorded program: its module, its decoded form, and live
// cells.

import type { Module, Value } from "../ir/procedure.js";
import type { Type } from "../ir/types.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { type DecodedModule, NO_CELL, STRIDE } from "../oracle/fast/program.js";
import { assert } from "../support/assert.js";
import { LiveCells } from "./live-cells.js";
import type { ProgramPoint } from "./recorded-trace.js";

interface ProcedureFacts {
  readonly live: LiveCells;
  /** The values of the procedure, by id. */
  readonly values: ReadonlyMap<number, Value>;
  /** By cell: the constant that the cell contains from the start, if it contains one. */
  readonly constants: ReadonlyMap<number, Value>;
}

export class ProgramFacts {
  readonly module: Module;
  readonly program: DecodedModule;
  /** Whether host functions receive addresses of stack slots. */
  readonly keepsSlots: boolean;
  private readonly computed: (ProcedureFacts | undefined)[] = [];
  /** By procedure: the number of instructions of the procedures before it. */
  private readonly firstNumbers: readonly number[];

  constructor(module: Module) {
    this.module = module;
    this.program = decodeModule(module);
    let count = 0;
    this.firstNumbers = this.program.procedures.all().map(({ ids }) => {
      count += ids.length;
      return count - ids.length;
    });
    this.keepsSlots = this.program.procedures
      .all()
      .some(({ calls }) => calls.some(({ host }) => host?.kept === "takes"));
  }

  factsOf(procedure: number): ProcedureFacts {
    this.computed[procedure] ??= this.computeFacts(procedure);
    return this.computed[procedure];
  }

  /** Returns the value of the instruction. */
  valueAt(procedure: number, pc: number): Value {
    const id = this.idAt(procedure, pc);
    const value = this.factsOf(procedure).values.get(id);
    assert(value !== undefined, () => `procedure ${procedure} has no @${id}`);
    return value;
  }

  idAt(procedure: number, pc: number): number {
    return this.program.procedures.at(procedure).ids[pc / STRIDE];
  }

  /** Returns the number of the instruction among those of all procedures. */
  numberAt(procedure: number, pc: number): number {
    return this.firstNumbers[procedure] + pc / STRIDE;
  }

  // The cast: decoding filled this array of small integers with Types.
  typeOf(procedure: number, cell: number): Type {
    return this.program.procedures.at(procedure).cellTypes[cell] as Type;
  }

  /** Returns the point of an activation that executes `pc` next. */
  pointAt(procedure: number, pc: number): ProgramPoint {
    return { procedure, pc, cells: this.factsOf(procedure).live.liveAt(pc) };
  }

  /** Returns the point of an activation whose call at `pc` is running. */
  pointOfCall(procedure: number, pc: number): ProgramPoint {
    return { procedure, pc, cells: this.factsOf(procedure).live.liveAcrossCall(pc) };
  }

  private computeFacts(index: number): ProcedureFacts {
    const procedure = this.program.procedures.at(index);
    const values = new Map<number, Value>();
    this.module.procedures[index].forEachValue((value) => values.set(value.id, value));
    const constants = new Map<number, Value>();
    for (const { id, cell } of procedure.skipped) {
      const value = values.get(id);
      if (cell !== NO_CELL && value !== undefined) constants.set(cell, value);
    }
    return { live: new LiveCells(procedure), values, constants };
  }
}
