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

export class Instance {
  readonly wasm: WasmModule;
  readonly layout: Layout;
  readonly module = new Module();
  /** Functions that are called, and wait for their bodies. */
  readonly pending: Pending[] = [];
  private readonly procedures = new Map<number, Procedure>();
  private readonly helpers = new Map<string, Procedure>();
  private readonly exits: ExitNumbers = { next: 0 };

  constructor(wasm: WasmModule) {
    this.wasm = wasm;
    this.layout = layoutOf(wasm);
    this.module.heapSize = this.layout.heapSize;
  }

  /**
   * Starts a procedure; the first of a module is its entry. It gives as many of the results as a procedure can
   * give; the others are in the heap.
   */
  start(name: string, { parameters, results }: FunctionType): Emitter {
    const taken = this.module.procedureNamed(name) !== null;
    const unique = taken ? `${name}.${this.module.procedures.length}` : name;
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
    if (wanted.imported !== null) return hostFunctionOf(wanted);
    const emitter = this.start(wanted.name, wanted.type);
    this.procedures.set(index, emitter.proc);
    this.pending.push({ emitter, function: wanted });
    return emitter.proc;
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
        return isSame(type.parameters, parameters) && isSame(type.results, results);
      })
      .sort((x, y) => x - y);
  }
}

/** Names of the specification's test host, in ours. */
const SPECTEST: Readonly<Record<string, string>> = { print_i32: "logInt", print: "ping" };

function hostFunctionOf({ imported, type, at }: WasmFunction): HostFunction {
  const { module, name } = imported ?? { module: "", name: "" };
  const host = hostFunctionNamed(
    module === "spectest" && Object.hasOwn(SPECTEST, name) ? SPECTEST[name] : name,
  );
  if (host === null) {
    throw errorAt(at, `no host function is named ${name}, which ${module} is to give`);
  }
  const fits =
    host.parameters.length === type.parameters.length &&
    host.parameters.every((parameter, i) => parameter === type.parameters[i]) &&
    host.result === (type.results[0] ?? Void) &&
    type.results.length <= 1;
  if (!fits) throw errorAt(at, `the host function ${host.name} has other types`);
  return host;
}
