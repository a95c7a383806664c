// One program among those of a file, for formats whose functions have names: what each of its functions is
// called, what it knows of the others, and the host functions that the program asked for. Host functions that do
// without the heap are the same for each program, so a file may have one for all: more than a third of what a
// compiler was given were copies of them.

import { cloneModule } from "../ir/clone.js";
import type { HostFunction } from "../ir/host-functions.js";
import { Module, type Procedure } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import { listens } from "./answers.js";
import { type Expandable, expand } from "./expand.js";
import { ProcedureFacts, type Stated } from "./facts.js";
import { hostProcedure, usesHeap } from "./host-procedures.js";

interface Format {
  /** What it has no words for. */
  readonly lacking: ReadonlySet<Expandable>;
  /** Writes a host function, whose procedure is expanded. */
  readonly writeHost: (host: HostFunction, proc: Procedure, linked: LinkedProgram) => string;
}

/** Host functions that the programs of a file have in common, as they were written. */
export class SharedHosts {
  readonly written = new Map<HostFunction, string>();

  get text(): string {
    return [...this.written.values()].join("");
  }
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
  private readonly asked = new Set<HostFunction>();
  private readonly own = new Map<HostFunction, string>();
  /** Null: the program has all of its host functions for itself. */
  private readonly shared: SharedHosts | null;
  private readonly facts = new Map<Procedure, ProcedureFacts>();

  /**
   * @param prefix of all names but those of shared functions
   * @param stated facts to state; null: none
   */
  constructor(
    module: Module,
    prefix: string,
    format: Format,
    shared: SharedHosts | null = null,
    stated: Stated | null = null,
  ) {
    this.module = cloneModule(module);
    expand(this.module, format.lacking);
    this.prefix = prefix;
    this.format = format;
    this.shared = shared;
    this.heap = `${prefix}heap`;
    this.heapSize = module.heapSize;
    this.listens = listens(this.module);
    this.isFlagged = module.continuations.size > 0;
    this.module.procedures.forEach((proc, position) => {
      this.positions.set(proc, position);
    });
    if (stated !== null) this.see(stated);
  }

  private see({ kinds, see }: Stated): void {
    const stated = new Set(kinds);
    // Each return tells the main program whether it asks, which is an effect.
    if (this.listens) stated.delete("memory");
    see(this.module)?.forEach((seen, position) => {
      const proc = this.module.procedures[position];
      this.facts.set(proc, new ProcedureFacts(proc, stated, seen));
    });
  }

  /** Of a procedure of the module, or of that of a host function. */
  functionOf(proc: Procedure): string {
    const position = this.positions.get(proc);
    if (position !== undefined) return `${this.prefix}f${position}`;
    return hostName(this.isShared(proc.name) ? "" : this.prefix, proc.name);
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
    this.asked.add(host);
    const isShared = this.isShared(host.name);
    const written = (isShared ? this.shared?.written : undefined) ?? this.own;
    if (!written.has(host)) {
      const alone = new Module();
      const proc = hostProcedure(host, this.heapSize);
      alone.procedures.push(proc);
      expand(alone, this.format.lacking);
      written.set(host, this.format.writeHost(host, proc, this));
    }
    return hostName(isShared ? "" : this.prefix, host.name);
  }

  /** Host functions of this program alone that were asked for, each as it was written. */
  get writtenHosts(): readonly string[] {
    return [...this.own.values()];
  }

  /** Whether what is written calls host functions that keep addresses of slots. */
  get keepsSlots(): boolean {
    return [...this.asked].some(({ kept }) => kept !== null);
  }

  /** Empty if the exit has none. */
  continuationsOf(exit: number): readonly Procedure[] {
    return this.module.continuations.get(exit) ?? [];
  }

  private isShared(host: string): boolean {
    return this.shared !== null && !usesHeap(host);
  }
}

const hostName = (prefix: string, name: string): string => `${prefix}host_${name}`;

/**
 * Whether a compiler is to leave calls of the host function as they are. It would copy a long one into a
 * caller that is the only one, and a program alone would be compiled otherwise than among others.
 */
export const isLong = ({ blocks }: Procedure): boolean =>
  blocks.some(({ values }) => values.length > LONG);
const LONG = 40;
