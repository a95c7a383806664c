// One program among those of a file, for formats whose functions have names: what each of its functions is
// called, what it knows of the others, and the host functions that the program asked for.

import { cloneModule } from "../ir/clone.js";
import type { HostFunction } from "../ir/host-functions.js";
import { Module, type Procedure } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import { listens } from "./answers.js";
import { type Expandable, expand } from "./expand.js";
import { ProcedureFacts, type Stated } from "./facts.js";
import { hostProcedure } from "./host-procedures.js";

interface Format {
  /** What it has no words for. */
  readonly lacking: ReadonlySet<Expandable>;
  /** Writes a host function, whose procedure is expanded. */
  readonly writeHost: (host: HostFunction, proc: Procedure, linked: LinkedProgram) => string;
}

export class LinkedProgram {
  readonly prefix: string;
  /** A copy of the module, expanded. */
  readonly module: Module;
  /** The array that is the heap. */
  readonly heap: string;
  readonly heapSize: number;
  /**
   * Procedures take one more argument, the last: 1 if the program calls, 0 where an exit or the driver does.
   * Only modules with continuations need it.
   */
  readonly isFlagged: boolean;
  private readonly listens: boolean;
  private readonly format: Format;
  private readonly positions = new Map<Procedure, number>();
  private readonly hosts = new Map<HostFunction, string>();
  private readonly facts = new Map<Procedure, ProcedureFacts>();

  /**
   * @param prefix of all names
   * @param stated facts to state; null: none
   */
  constructor(module: Module, prefix: string, format: Format, stated: Stated | null = null) {
    this.module = cloneModule(module);
    expand(this.module, format.lacking);
    this.prefix = prefix;
    this.format = format;
    this.heap = `${prefix}heap`;
    this.heapSize = module.heapSize;
    this.listens = listens(this.module);
    this.isFlagged = module.continuations.size > 0;
    this.module.procedures.forEach((proc, position) => {
      this.positions.set(proc, position);
    });
    stated?.see(this.module)?.forEach((seen, position) => {
      const proc = this.module.procedures[position];
      this.facts.set(proc, new ProcedureFacts(proc, stated.kinds, seen));
    });
  }

  /** Of a procedure of the module, or of that of a host function. */
  functionOf(proc: Procedure): string {
    const position = this.positions.get(proc);
    return position === undefined ? this.hostName(proc.name) : `${this.prefix}f${position}`;
  }

  positionOf(proc: Procedure): number {
    const position = this.positions.get(proc);
    assert(position !== undefined, () => `${proc.name} is not of the module`);
    return position;
  }

  /** Returns of the procedure say whether they ask (answers.ts): one of the module, where some call listens. */
  answers(proc: Procedure): boolean {
    return this.listens && this.positions.has(proc);
  }

  get hasFacts(): boolean {
    return this.facts.size > 0;
  }

  /** What is stated of the procedure; null: nothing. */
  factsOf(proc: Procedure): ProcedureFacts | null {
    return this.facts.get(proc) ?? null;
  }

  /** Its name; it is written when it is first asked for. */
  hostFunction(host: HostFunction): string {
    if (!this.hosts.has(host)) {
      const alone = new Module();
      const proc = hostProcedure(host, this.heapSize);
      alone.procedures.push(proc);
      expand(alone, this.format.lacking);
      this.hosts.set(host, this.format.writeHost(host, proc, this));
    }
    return this.hostName(host.name);
  }

  /** Host functions that were asked for, each as it was written. */
  get writtenHosts(): readonly string[] {
    return [...this.hosts.values()];
  }

  /** Whether what is written calls host functions that keep addresses of slots. */
  get keepsSlots(): boolean {
    return [...this.hosts.keys()].some(({ kept }) => kept !== null);
  }

  /** Empty if the exit has none. */
  continuationsOf(exit: number): readonly Procedure[] {
    return this.module.continuations.get(exit) ?? [];
  }

  private hostName(name: string): string {
    return `${this.prefix}host_${name}`;
  }
}
