// Links one program of a file, for formats whose functions have names. A linked program provides
// the names of functions and writes the host functions that the program calls. All programs of a
// file may share the host functions that do not use the heap. Copies of these would otherwise be
// more than a third of the text.

import { cloneModule } from "../ir/clone.js";
import type { HostFunction } from "../ir/host-functions.js";
import { Module, type Procedure } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import { hasCallCheck } from "./answers.js";
import { expand } from "./expand.js";
import { ProcedureFacts, type StatedFacts } from "./facts.js";
import { PLAIN_FORM, type SourceForm } from "./forms.js";
import { hostProcedure, usesHeap } from "./host-procedures.js";
import { expandInForm } from "./word-pairs.js";

interface TargetLanguage {
  /** Opcodes that the format cannot express. */
  readonly lacking: ReadonlySet<string>;
  /** Writes a host function whose procedure is expanded. */
  readonly writeHost: (host: HostFunction, proc: Procedure, linked: LinkedProgram) => string;
  readonly form?: SourceForm;
}

/** The text of host functions that the programs of a file share. */
export class SharedHosts {
  readonly written = new Map<HostFunction, string>();

  get text(): string {
    return [...this.written.values()].join("");
  }
}

export class LinkedProgram {
  readonly prefix: string;
  /** An expanded copy of the module. */
  readonly module: Module;
  /** The name of the array that holds the heap. */
  readonly heap: string;
  readonly heapSize: number;
  /**
   * Whether procedures take a flag as last argument: 1 if the program calls, 0 if an exit or the
   * driver calls. Only modules with continuations need the flag.
   */
  readonly isFlagged: boolean;
  private readonly hasCallCheck: boolean;
  private readonly format: TargetLanguage;
  private readonly positions = new Map<Procedure, number>();
  private readonly calledHosts = new Set<HostFunction>();
  private readonly ownHosts = new Map<HostFunction, string>();
  /** The host functions that the programs of a file share; null if it shares none. */
  private readonly shared: SharedHosts | null;
  private readonly facts = new Map<Procedure, ProcedureFacts>();

  /**
   * @param prefix the prefix of all names except those of shared functions
   * @param stated facts to state; null for none
   */
  constructor(
    module: Module,
    prefix: string,
    format: TargetLanguage,
    shared: SharedHosts | null = null,
    stated: StatedFacts | null = null,
  ) {
    this.module = cloneModule(module);
    this.format = format;
    expandInForm(this.module, format.lacking, this.form);
    this.prefix = prefix;
    this.shared = shared;
    this.heap = `${prefix}heap`;
    this.heapSize = module.heapSize;
    this.hasCallCheck = hasCallCheck(this.module);
    this.isFlagged = module.continuations.size > 0;
    this.module.procedures.forEach((proc, position) => {
      this.positions.set(proc, position);
    });
    if (stated !== null) this.see(stated);
  }

  get form(): SourceForm {
    return this.format.form ?? PLAIN_FORM;
  }

  private see({ kinds, observe: see }: StatedFacts): void {
    const stated = new Set(kinds);
    // Each return writes the deoptimization flag of the main program, which is an effect.
    if (this.hasCallCheck) stated.delete("memory");
    see(this.module)?.forEach((seen, position) => {
      const proc = this.module.procedures[position];
      this.facts.set(proc, new ProcedureFacts(proc, stated, seen));
    });
  }

  /** Returns the name of a procedure of the module or of a host function's procedure. */
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

  /** Returns whether returns of the procedure write the deoptimization flag (answers.ts). */
  setsDeoptFlag(proc: Procedure): boolean {
    return this.hasCallCheck && this.positions.has(proc);
  }

  get hasFacts(): boolean {
    return this.facts.size > 0;
  }

  /** Returns the stated facts of the procedure; null for none. */
  factsOf(proc: Procedure): ProcedureFacts | null {
    return this.facts.get(proc) ?? null;
  }

  /** Returns the name of a host function. The first call also writes the function. */
  hostFunction(host: HostFunction): string {
    this.calledHosts.add(host);
    const isShared = this.isShared(host.name);
    const written = (isShared ? this.shared?.written : undefined) ?? this.ownHosts;
    if (!written.has(host)) {
      const alone = new Module();
      const proc = hostProcedure(host, this.heapSize);
      alone.procedures.push(proc);
      expand(alone, this.format.lacking);
      written.set(host, this.format.writeHost(host, proc, this));
    }
    return hostName(isShared ? "" : this.prefix, host.name);
  }

  /** Returns the text of the host functions that this program does not share. */
  get writtenHosts(): readonly string[] {
    return [...this.ownHosts.values()];
  }

  /** Returns whether the program calls a host function that keeps addresses of slots. */
  get keepsSlots(): boolean {
    return [...this.calledHosts].some(({ kept }) => kept !== null);
  }

  /** Returns an empty array if the exit has no continuations. */
  continuationsOf(exit: number): readonly Procedure[] {
    return this.module.continuations.get(exit) ?? [];
  }

  private isShared(host: string): boolean {
    return this.shared !== null && !usesHeap(host);
  }
}

const hostName = (prefix: string, name: string): string => `${prefix}host_${name}`;

/**
 * Returns whether a compiler must not inline the host function. It would inline a long function
 * into its only caller, so code of a program alone would differ from its code among others.
 */
export const mustNotInline = ({ blocks }: Procedure): boolean =>
  blocks.some(({ values }) => values.length > INLINE_VALUES_MAX);
const INLINE_VALUES_MAX = 40;
