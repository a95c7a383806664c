// Creates Upsilons, finds the write of a block to a Phi, and lists the Upsilons of a procedure by
// Phi.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";
import type { OptimizeContext } from "./context.js";

/** Creates an Upsilon that is not yet in the values of `block`. */
export function newUpsilon(proc: Procedure, block: BasicBlock, value: Value, phi: Value): Value {
  const upsilon = proc.newValue(Op.Upsilon, Void, value);
  upsilon.extra = phi;
  upsilon.block = block;
  return upsilon;
}

/** True if the value is an Upsilon to the Phi. */
export const writes = ({ opcode, extra }: Value, phi: Value): boolean =>
  opcode === Op.Upsilon && extra === phi;

/**
 * Returns the value that the last Upsilon of the block to the Phi writes; null if the block has
 * none.
 */
export function writtenIn({ values }: BasicBlock, phi: Value): Value | null {
  for (let i = values.length - 1; i >= 0; i--) if (writes(values[i], phi)) return values[i].a;
  return null;
}

/**
 * The Upsilons of a procedure by Phi. Each has a number, from 1, in the order in which they were
 * added.
 */
export class UpsilonsByPhi {
  private readonly all: Value[] = [];
  /** By id of a Phi: its newest Upsilon; `older` links to earlier ones. 0 is none. */
  private readonly newest: Int32Array;
  private readonly older: Int32Array;

  constructor(proc: Procedure, context: OptimizeContext) {
    this.newest = context.table(proc.valueIdEnd);
    this.older = context.table(proc.valueIdEnd + 1);
  }

  add(upsilon: Value): void {
    const { id } = upsilon.phi;
    this.all.push(upsilon);
    this.older[this.all.length] = this.newest[id];
    this.newest[id] = this.all.length;
  }

  at(number: number): Value {
    return this.all[number - 1];
  }

  /** Returns the newest Upsilon to the Phi; 0 if there is none. */
  newestTo({ id }: Value): number {
    return this.newest[id];
  }

  /** Returns the next older Upsilon to the same Phi; 0 if there is none. */
  olderThan(number: number): number {
    return this.older[number];
  }
}
