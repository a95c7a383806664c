// What the bodies of a module's functions share: its procedures, made when they are first named.

import { type HostFunction, hostFunctionNamed } from "../ir/host-functions.js";
import { FURTHER_MAX, Module, type Procedure } from "../ir/procedure.js";
import { Int64, Void } from "../ir/types.js";
import { functionOfElement } from "./constant-expression.js";
import { Emitter, type ExitNumbers } from "./emitter.js";
import { errorAt, ImportError } from "./import-error.js";
import { type Layout, layoutOf } from "./layout.js";
import type { FunctionType, WasmFunction, WasmModule } from "./wasm-module.js";

/** A procedure without body yet. */
export interface Pending {
  readonly emitter: Emitter;
  readonly function: WasmFunction;
}

/** Of a procedure, without the heap. */
const PARAMETERS_MAX = 511;

export interface ImportOptions {
  /** A call of an imported function that no host function is: an exit of its own kind, or an error. */
  readonly imports?: "exit" | "refuse";
  /** How many pages of the memory the heap holds at most; null: all for which it has room. */
  readonly pages?: number | null;
}

export class Instance {
  readonly wasm: WasmModule;
  readonly imports: "exit" | "refuse";
  readonly layout: Layout;
  readonly module = new Module();
  /** Functions that are called, and wait for their bodies. */
  readonly pending: Pending[] = [];
  /** Functions of which a call is an exit, and why. */
  readonly stubs: string[] = [];
  private readonly procedures = new Map<number, Procedure>();
  private readonly helpers = new Map<string, Procedure>();
  private readonly exits: ExitNumbers = { next: 0 };

  private readonly names = new Set<string>();

  /** Returns why a function is outside of the import; null if it is not. */
  private readonly reasonOutside: (index: number) => string | null;

  constructor(
    wasm: WasmModule,
    { imports = "exit", pages = null }: ImportOptions,
    reasonOutside: (index: number) => string | null,
  ) {
    this.wasm = wasm;
    this.reasonOutside = reasonOutside;
    this.imports = imports;
    this.layout = layoutOf(wasm, pages);
    this.module.heapSize = this.layout.heapSize;
  }

  /**
   * Starts a procedure; the first of a module is its entry. It gives as many of the results as a procedure can
   * give; the others are in the heap.
   */
  start(name: string, { parameters, results }: FunctionType): Emitter {
    let unique = name;
    for (let number = this.module.procedures.length; this.names.has(unique); number++) {
      unique = `${name}.${number}`;
    }
    this.names.add(unique);
    if (parameters.length > PARAMETERS_MAX) {
      throw new ImportError(`${name} has more than ${PARAMETERS_MAX} parameters`);
    }
    const isEntry = this.module.procedures.length === 0;
    const given = results.slice(0, isEntry ? 1 : 1 + FURTHER_MAX);
    const emitter = new Emitter(unique, given, this.exits);
    const { proc } = emitter;
    proc.newParameter(Int64); // the heap
    for (const type of parameters) proc.newParameter(type);
    this.module.procedures.push(proc);
    return emitter;
  }

  /** What a call of a function calls: a procedure takes the heap first, a host function does not. */
  callee(index: number): Procedure | HostFunction {
    const known = this.procedures.get(index);
    if (known !== undefined) return known;
    const wanted = this.wasm.functions[index];
    const host = wanted.imported === null ? null : this.hostFunctionOf(wanted);
    if (host !== null) return host;
    const emitter = this.start(wanted.name, wanted.type);
    this.procedures.set(index, emitter.proc);
    const reason = this.reasonOf(index);
    if (reason !== null) {
      this.stubs.push(`${wanted.name}: ${reason}`);
      emitter.trap("not imported");
    } else this.pending.push({ emitter, function: wanted });
    return emitter.proc;
  }

  /** Why a call of a function is an exit; null if it is not. */
  private reasonOf(index: number): string | null {
    const { imported } = this.wasm.functions[index];
    if (imported !== null) return `nothing gives ${imported.module}.${imported.name}`;
    return this.reasonOutside(index);
  }

  /** The host function that an imported one is; null if there is none. @throws ImportError */
  private hostFunctionOf(wanted: WasmFunction): HostFunction | null {
    const found = hostFunctionOf(wanted);
    if (!(found instanceof ImportError)) return found;
    if (this.imports === "refuse") throw found;
    return null;
  }

  /** A procedure that the import brings itself. */
  helper(name: string, type: FunctionType, write: (emitter: Emitter) => void): Procedure {
    const known = this.helpers.get(name);
    if (known !== undefined) return known;
    const emitter = this.start(name, type);
    this.helpers.set(name, emitter.proc);
    write(emitter);
    return emitter.proc;
  }

  /** The functions of a type that a table may hold, ascending. */
  inTables({ parameters, results }: FunctionType): readonly number[] {
    const found = new Set<number>();
    for (const { elements } of this.wasm.elements) {
      for (const element of elements) {
        const index = functionOfElement(element);
        if (index !== null) found.add(index);
      }
    }
    const isSame = (some: FunctionType["results"], others: FunctionType["results"]): boolean =>
      some.length === others.length && some.every((type, i) => type === others[i]);
    return [...found]
      .filter((index) => {
        const { type } = this.wasm.functions[index];
        if (type.outside !== undefined) return false;
        return isSame(type.parameters, parameters) && isSame(type.results, results);
      })
      .sort((x, y) => x - y);
  }
}

/** Names of the specification's test host, in ours. */
const SPECTEST: Readonly<Record<string, string>> = { print_i32: "logInt", print: "ping" };

function hostFunctionOf({ imported, type, at }: WasmFunction): HostFunction | ImportError {
  const { module, name } = imported ?? { module: "", name: "" };
  const host = hostFunctionNamed(
    module === "spectest" && Object.hasOwn(SPECTEST, name) ? SPECTEST[name] : name,
  );
  if (host === null) {
    return errorAt(at, `no host function is named ${name}, which ${module} is to give`);
  }
  const fits =
    host.parameters.length === type.parameters.length &&
    host.parameters.every((parameter, i) => parameter === type.parameters[i]) &&
    host.result === (type.results[0] ?? Void) &&
    type.results.length <= 1;
  return fits ? host : errorAt(at, `the host function ${host.name} has other types`);
}
