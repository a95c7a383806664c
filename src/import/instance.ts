// Holds the state that a module's functions share. It creates each procedure at its first use.

import { type HostFunction, hostFunctionNamed } from "../ir/host-functions.js";
import { FURTHER_MAX, Module, type Procedure } from "../ir/procedure.js";
import { Int64, Void } from "../ir/types.js";
import { functionOfElement } from "./constant-expression.js";
import { type ExitNumbers, ProcedureEmitter } from "./emitter.js";
import { errorAt, ImportError, tooMany } from "./import-error.js";
import { type InstanceLayout, layoutOf } from "./layout.js";
import type { FunctionType, WasmFunction, WasmModule } from "./wasm-module.js";

/** A procedure whose body is not written yet. */
export interface PendingFunction {
  readonly emitter: ProcedureEmitter;
  readonly function: WasmFunction;
}

/** The most parameters of a procedure, without the heap. */
const PARAMETERS_MAX = 511;

export interface ImportOptions {
  /** The treatment of a call of an unknown imported function: a distinct exit, or an error. */
  readonly imports?: "exit" | "refuse";
  /** The most pages of the memory that the heap contains; null for all that fit. */
  readonly pages?: number | null;
}

export class WasmInstance {
  readonly wasm: WasmModule;
  readonly imports: "exit" | "refuse";
  readonly layout: InstanceLayout;
  readonly module = new Module();
  /** Called functions whose bodies are not written yet. */
  readonly pending: PendingFunction[] = [];
  /** Functions whose calls are exits, with the reasons. */
  readonly stubs: string[] = [];
  private readonly procedures = new Map<number, Procedure>();
  private readonly helpers = new Map<string, Procedure>();
  private readonly exits: ExitNumbers = { next: 0 };

  private readonly names = new Set<string>();

  /** Returns the reason why a function is outside of the import; null if it is not. */
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
   * Starts a procedure; the first of a module is its entry. The procedure returns as many results
   * as the language allows; the others are passed in the heap.
   * @param at the position of the function in the binary; 0 for one that is not in it
   */
  start(name: string, { parameters, results }: FunctionType, at = 0): ProcedureEmitter {
    let unique = name;
    for (let number = this.module.procedures.length; this.names.has(unique); number++) {
      unique = `${name}.${number}`;
    }
    this.names.add(unique);
    if (parameters.length > PARAMETERS_MAX) {
      throw tooMany(at, PARAMETERS_MAX, "parameters of one function");
    }
    const isEntry = this.module.procedures.length === 0;
    const given = results.slice(0, isEntry ? 1 : 1 + FURTHER_MAX);
    const emitter = new ProcedureEmitter(unique, given, this.exits);
    const { proc } = emitter;
    proc.newParameter(Int64); // the heap
    for (const type of parameters) proc.newParameter(type);
    this.module.procedures.push(proc);
    return emitter;
  }

  /**
   * Returns the callee of a function index. A procedure takes the heap first, a host function does
   * not.
   */
  callee(index: number): Procedure | HostFunction {
    const known = this.procedures.get(index);
    if (known !== undefined) return known;
    const wanted = this.wasm.functions[index];
    const host = wanted.imported === null ? null : this.hostFunctionOf(wanted);
    if (host !== null) return host;
    const emitter = this.start(wanted.name, wanted.type, wanted.at);
    this.procedures.set(index, emitter.proc);
    const reason = this.reasonOf(index);
    if (reason !== null) {
      this.stubs.push(`${wanted.name}: ${reason}`);
      emitter.trap("not imported");
    } else this.pending.push({ emitter, function: wanted });
    return emitter.proc;
  }

  /** Returns the reason why a call of a function is an exit; null if it is not. */
  private reasonOf(index: number): string | null {
    const { imported } = this.wasm.functions[index];
    if (imported !== null) return `${imported.module}.${imported.name} has no definition`;
    return this.reasonOutside(index);
  }

  /**
   * Returns the host function of an imported function; null if there is none.
   * @throws ImportError
   */
  private hostFunctionOf(wanted: WasmFunction): HostFunction | null {
    const found = hostFunctionOf(wanted);
    if (!(found instanceof ImportError)) return found;
    if (this.imports === "refuse") throw found;
    return null;
  }

  /** Returns a helper procedure of the import, and writes it at the first use. */
  helper(name: string, type: FunctionType, write: (emitter: ProcedureEmitter) => void): Procedure {
    const known = this.helpers.get(name);
    if (known !== undefined) return known;
    const emitter = this.start(name, type);
    this.helpers.set(name, emitter.proc);
    write(emitter);
    return emitter.proc;
  }

  /** Returns the functions of a type that a table may contain, in ascending order. */
  tableFunctions({ parameters, results }: FunctionType): readonly number[] {
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

/** Host functions for the functions of the specification's test host. */
const SPECTEST: Readonly<Record<string, string>> = { print_i32: "logInt", print: "ping" };

function hostFunctionOf({ imported, type, at }: WasmFunction): HostFunction | ImportError {
  const { module, name } = imported ?? { module: "", name: "" };
  const host = hostFunctionNamed(
    module === "spectest" && Object.hasOwn(SPECTEST, name) ? SPECTEST[name] : name,
  );
  if (host === null) {
    return errorAt(at, `no host function is named ${name}, as the import from ${module} requires`);
  }
  const fits =
    host.parameters.length === type.parameters.length &&
    host.parameters.every((parameter, i) => parameter === type.parameters[i]) &&
    host.result === (type.results[0] ?? Void) &&
    type.results.length <= 1;
  return fits ? host : errorAt(at, `the host function ${host.name} has other types`);
}
