// A module after the optimizer, procedure by procedure. Half of the values of a random program stand in
// continuations, and most exits are never taken: so a procedure is optimized when it is first asked for.

import type { OptimizeReport, Optimizer } from "../../reference/optimize.js";
import { cloneModule, copyAgain } from "../ir/clone.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { decodeWhenAsked } from "../oracle/decode.js";
import type { Program } from "../oracle/program.js";

export class Optimized {
  /** Procedures that nobody has asked for are as they were. */
  readonly module: Module;
  private readonly optimizer: Optimizer;
  private readonly shared: SharedPhases | null;
  private decoded: Program | null = null;

  /** @param optimizer of this module */
  constructor(module: Module, optimizer: Optimizer, shared: SharedPhases | null = null) {
    this.module = module;
    this.optimizer = optimizer;
    this.shared = shared;
  }

  /** Of what has been optimized so far. */
  get report(): OptimizeReport {
    return this.optimizer.report;
  }

  /** Optimizes a procedure of the module, and what it reaches. */
  finish(root: Procedure): void {
    if (this.optimizer.isFinished(root)) return;
    this.shared?.finish(this.module.procedures.indexOf(root));
    this.optimizer.finish(root);
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

/** A module on which all phases have run that targets share, and a copy of it for one target. */
export class SharedPhases {
  readonly copy: Module;
  private readonly original: Optimized;
  private readonly twins: ReadonlyMap<Procedure, Procedure>;
  /** Those whose copy is what these phases have left. */
  private readonly copied = new Set<Procedure>();

  constructor(original: Optimized) {
    const { procedures } = original.module;
    this.original = original;
    this.copy = cloneModule(original.module);
    this.twins = new Map(procedures.map((proc, p) => [proc, this.copy.procedures[p]]));
    for (const proc of procedures) if (original.isFinished(proc)) this.copied.add(proc);
  }

  /** Brings the copy of what this procedure reaches to where these phases leave it. */
  finish(index: number): void {
    const { original, copied, twins } = this;
    original.finish(original.module.procedures[index]);
    for (const [proc, twin] of twins) {
      if (copied.has(proc) || !original.isFinished(proc)) continue;
      copied.add(proc);
      copyAgain(proc, twin, twins);
    }
  }
}
