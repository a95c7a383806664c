// Describes the state of a module that interprets bytecode, between two words.

import type { OracleMachine } from "../oracle/fast/machine.js";
import { STRIDE } from "../oracle/fast/program.js";
import type { ProgramFacts } from "../record/program-facts.js";
import type { ProgramPoint } from "../record/recorded-trace.js";
import { assert } from "../support/assert.js";
import type { BytecodeWords } from "./code.js";
import { EDGE_BLOCK, NEXT_BLOCK, statePhisOf } from "./interpreter-module.js";

/** The roles of the interpreter's state cells. */
export type StateRole = "heap" | "ip" | "sp" | "rp";

export class InterpreterState {
  readonly facts: ProgramFacts;
  readonly code: BytecodeWords;
  /** Start addresses of the interpreter's blocks. */
  readonly edgePc: number;
  readonly nextPc: number;
  /** Cells that are live between two words, in ascending order. */
  readonly cells: readonly number[];
  /** The role of each state cell, by position in `cells`. */
  readonly roles: readonly StateRole[];

  constructor(facts: ProgramFacts, code: BytecodeWords) {
    this.facts = facts;
    this.code = code;
    this.edgePc = this.pcOf(EDGE_BLOCK);
    this.nextPc = this.pcOf(NEXT_BLOCK);
    this.cells = facts.pointAt(0, this.nextPc).cells;
    const { ip, sp, rp } = statePhisOf(facts.module);
    const [heap] = facts.module.entry.parameters;
    const roles = new Map<number, StateRole>([
      [heap.id, "heap"],
      [ip.id, "ip"],
      [sp.id, "sp"],
      [rp.id, "rp"],
    ]);
    this.roles = this.cells.map((cell) => {
      const role = roles.get(facts.program.procedures.at(0).cellIds[cell]);
      assert(role !== undefined, () => `cell ${cell} is not interpreter state`);
      return role;
    });
  }

  pointOf(pc: number, word: number): ProgramPoint {
    return { procedure: 0, pc, cells: this.cells, word };
  }

  /** Returns the low word of that part of the state. */
  lowOf(m: OracleMachine, role: StateRole): number {
    return m.i32[2 * this.cells[this.roles.indexOf(role)]];
  }

  private pcOf(block: number): number {
    const [first] = this.facts.module.entry.blocks[block].values;
    return this.facts.program.procedures.at(0).ids.indexOf(first.id) * STRIDE;
  }
}
