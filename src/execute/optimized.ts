// A module after the optimizer, procedure by procedure. Half of the values of a random program stand in
// continuations, and most exits are never taken: so a procedure is copied and optimized when it is first asked for.

import { reachedFrom } from "../../reference/optimize/analysis/call-order.js";
import type { OptimizeReport, Optimizer } from "../../reference/optimize.js";
import type { CopyWhenAsked } from "../ir/clone.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { decodeWhenAsked } from "../oracle/decode.js";
import type { Program } from "../oracle/program.js";

/** What procedures are before the optimizer changes them. */
interface Origin {
  /** Brings a procedure of the module, and what it reaches, to where the optimizer takes over. */
  bring(index: number): void;
}

export class Optimized {
  /** Procedures that nobody has asked for may be empty, or as they were. */
  readonly module: Module;
  private readonly optimizer: Optimizer;
  private readonly origin: Origin;
  private decoded: Program | null = null;

  /** @param optimizer of this module */
  constructor(module: Module, optimizer: Optimizer, origin: Origin) {
    this.module = module;
    this.optimizer = optimizer;
    this.origin = origin;
  }

  /** Of what has been optimized so far. */
  get report(): OptimizeReport {
    return this.optimizer.report;
  }

  /** Optimizes a procedure of the module, and what it reaches. */
  finish(root: Procedure): void {
    if (this.optimizer.isFinished(root)) return;
    this.origin.bring(this.module.procedures.indexOf(root));
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

/** A copy of a module as it was generated. */
export class SourceCopy implements Origin {
  private readonly source: Module;
  private readonly copy: CopyWhenAsked;

  constructor(source: Module, copy: CopyWhenAsked) {
    this.source = source;
    this.copy = copy;
  }

  bring(index: number): void {
    bringReached(this.source, this.copy, index);
  }
}

/** A copy, for one target, of a module on which all phases have run that targets share. */
export class SharedPhases implements Origin {
  private readonly shared: Optimized;
  private readonly copy: CopyWhenAsked;

  constructor(shared: Optimized, copy: CopyWhenAsked) {
    this.shared = shared;
    this.copy = copy;
  }

  bring(index: number): void {
    const { shared } = this;
    shared.finish(shared.module.procedures[index]);
    bringReached(shared.module, this.copy, index);
  }
}

function bringReached({ procedures }: Module, copy: CopyWhenAsked, index: number): void {
  for (const proc of reachedFrom(procedures[index])) copy.bring(procedures.indexOf(proc));
}
