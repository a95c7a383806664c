// A module after the optimizer, procedure by procedure. Half of the values of a random program stand in
// continuations, and most exits are never taken: so a procedure is copied and optimized when it is first asked for.

import { reachedFrom } from "../../reference/optimize/analysis/call-order.js";
import type { OptimizeReport, Optimizer } from "../../reference/optimize.js";
import type { CopyWhenAsked } from "../ir/clone.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { decodeWhenAsked } from "../oracle/fast/decode.js";
import type { Program } from "../oracle/fast/program.js";

export class Optimized {
  /** Procedures that nobody has asked for may be empty, or as they were. */
  readonly module: Module;
  private readonly copy: CopyWhenAsked;
  private readonly optimizer: Optimizer;
  private readonly shared: Optimized | null;
  private decoded: Program | null = null;

  /**
   * @param optimizer of the copy's module
   * @param shared for one target: what the copy is of, on which the phases run that targets share
   */
  constructor(copy: CopyWhenAsked, optimizer: Optimizer, shared: Optimized | null = null) {
    this.module = copy.module;
    this.copy = copy;
    this.optimizer = optimizer;
    this.shared = shared;
  }

  /** Of what has been optimized so far. */
  get report(): OptimizeReport {
    return this.optimizer.report;
  }

  /** Optimizes a procedure of the module, and what it reaches. */
  finish(root: Procedure): void {
    const { copy, optimizer, shared } = this;
    if (optimizer.isFinished(root)) return;
    const original = copy.original.procedures[this.module.procedures.indexOf(root)];
    shared?.finish(original);
    for (const proc of reachedFrom(original)) copy.bring(proc);
    optimizer.finish(root);
  }

  finishAll(): void {
    for (const proc of this.module.procedures) this.finish(proc);
  }

  isFinished(proc: Procedure): boolean {
    return this.optimizer.isFinished(proc);
  }

  /** Decoded for the interpreter, which asks for procedures when it needs them. */
  readonly program = (): Program => {
    // Lowering requires that allocations are loads and stores by now, at every level.
    this.decoded ??= {
      ...decodeWhenAsked(this.module, (proc) => this.finish(proc)),
      allocates: false,
    };
    return this.decoded;
  };
}
