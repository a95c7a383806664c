// The Upsilons of a procedure, by the Phi that they write.

import type { Procedure, Value } from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "./context.js";

/** Upsilons are known by number, from 1 on, in the order in which they were added. */
export class Upsilons {
  private readonly all: Value[] = [];
  /** By id of a Phi: the newest Upsilon to it; \`older\` goes on from there. 0 is none. */
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

  /** The newest Upsilon to the Phi; 0 if there is none. */
  newestTo({ id }: Value): number {
    return this.newest[id];
  }

  /** The next older Upsilon to the same Phi; 0 if there is none. */
  olderThan(number: number): number {
    return this.older[number];
  }
}
