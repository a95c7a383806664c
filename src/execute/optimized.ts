// Optimizes a module procedure by procedure. Half of the values of a random program are in
// continuations, and most exits are never taken. So a procedure is copied and optimized on first
// use.

import { reachedFrom } from "../../reference/optimize/analysis/call-order.js";
import type { OptimizeReport, Optimizer } from "../../reference/optimize.js";
import type { LazyModuleCopy } from "../ir/clone.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import type { DecodedModule } from "../oracle/fast/program.js";

export class OptimizedModule {
  /** Unused procedures may be empty or not optimized. */
  readonly module: Module;
  private readonly copy: LazyModuleCopy;
  private readonly optimizer: Optimizer;
  private readonly shared: OptimizedModule | null;
  private decoded: DecodedModule | null = null;

  /**
   * @param optimizer optimizer of the copy's module
   * @param shared for one target: the original of the copy, after the phases that all targets share
   */
  constructor(copy: LazyModuleCopy, optimizer: Optimizer, shared: OptimizedModule | null = null) {
    this.module = copy.module;
    this.copy = copy;
    this.optimizer = optimizer;
    this.shared = shared;
  }

  /** The report about the procedures that are optimized so far. */
  get report(): OptimizeReport {
    return this.optimizer.report;
  }

  /** Optimizes a procedure of the module, and the procedures that it reaches. */
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

  /** Returns the decoded module; the interpreter requests each procedure on first use. */
  readonly program = (): DecodedModule => {
    // Lowering requires at every level that allocations are loads and stores already.
    this.decoded ??= {
      ...decodeLazily(this.module, (proc) => this.finish(proc)),
      allocates: false,
    };
    return this.decoded;
  };
}
