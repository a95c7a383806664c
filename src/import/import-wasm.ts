// Imports one export of a WebAssembly module as a program.
//
// The entry takes the heap and the parameters of the export. It creates the instance and repeats
// earlier calls, if any. Then it calls the export and returns its result.

import type { Module } from "../ir/procedure.js";
import type { Type } from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { assert } from "../support/assert.js";
import { call, returnResults } from "./calls.js";
import type { WasmConstant } from "./constant-expression.js";
import { writeBody } from "./function-body.js";
import { ImportError } from "./import-error.js";
import { type ImportOptions, WasmInstance } from "./instance.js";
import { globalValue } from "./instance-instructions.js";
import { instantiateProcedure } from "./instantiate.js";
import { reasonOutside, refuseOutside } from "./outside.js";
import type { FunctionType, WasmExport, WasmModule } from "./wasm-module.js";

export interface ExportCall {
  readonly name: string;
  readonly args: readonly WasmConstant[];
}

export interface ImportedProgram {
  readonly module: Module;
  /** Types of all results; the entry returns the first. */
  readonly results: readonly Type[];
  /** The location in the heap of the second result; the others follow, eight bytes each. */
  readonly resultsAt: number;
  /**
   * The location in the heap of a flag: the heap was too small for growth that the module allows. 0
   * if there is no flag.
   */
  readonly growthRefused: number;
  /** Functions whose calls are exits, and pages of the memory that the heap does not contain. */
  readonly notImported: readonly string[];
}

/**
 * Returns the program of an export.
 * @param name the name of the export; null to create only the instance
 * @param before earlier calls, in order; their results are dropped
 * @throws ImportError
 */
export function importWasm(
  wasm: WasmModule,
  name: string | null,
  before: readonly ExportCall[] = [],
  options: ImportOptions = {},
): ImportedProgram {
  const instance = new WasmInstance(wasm, options, (index) => reasonOutside(wasm, index));
  const exported = name === null ? null : exportNamed(wasm, name);
  const first = exported?.kind === "function" ? [exported.index] : [];
  const earlier = before.map((each) => functionNamed(wasm, each.name).index);
  refuseOutside(wasm, [...first, ...earlier, ...(wasm.start === null ? [] : [wasm.start])]);
  const type = typeOf(wasm, exported);
  const at = first.length === 0 ? 0 : wasm.functions[first[0]].at;
  const emitter = instance.start(name ?? "instantiate", type, at);
  const [heap, ...parameters] = emitter.proc.parameters;
  const place = { emitter, heap };
  const instantiate = instantiateProcedure(instance);
  if (instantiate !== null) emitter.call(instantiate, [heap]);
  before.forEach(({ args }, i) => {
    const constants = args.map(({ type: given, lo, hi }) => emitter.constant(given, lo, hi));
    call(instance, place, earlier[i], constants);
  });
  if (exported === null) emitter.return();
  else if (exported.kind === "global") emitter.return(globalValue(instance, place, exported.index));
  else returnResults(instance, place, call(instance, place, exported.index, parameters));
  for (let next = instance.pending.pop(); next !== undefined; next = instance.pending.pop()) {
    writeBody(instance, next);
  }
  const { module, layout } = instance;
  const [fault] = verify(module);
  assert(fault === undefined, () => `import: ${describeFault(fault)}`);
  const { results: resultsAt, growthRefused } = layout;
  return {
    module,
    results: type.results,
    resultsAt,
    growthRefused,
    notImported: notImportedOf(instance),
  };
}

function notImportedOf({ stubs, layout }: WasmInstance): readonly string[] {
  const { pages, missingPages } = layout;
  if (missingPages === 0) return stubs;
  return [...stubs, `the memory after ${pages} of ${pages + missingPages} pages`];
}

const NOTHING: FunctionType = { parameters: [], results: [] };

function typeOf(wasm: WasmModule, exported: WasmExport | null): FunctionType {
  if (exported === null) return NOTHING;
  const { kind, index } = exported;
  if (kind === "function") return wasm.functions[index].type;
  const { outside, type } = wasm.globals[index];
  if (outside !== null) throw new ImportError(outside);
  return { parameters: [], results: [type] };
}

function exportNamed(wasm: WasmModule, name: string): WasmExport {
  const exported = wasm.exports.find((each) => each.name === name && each.kind !== "other");
  if (exported !== undefined) return exported;
  const names = functionsOf(wasm).map((each) => each.name);
  const known = names.length === 0 ? "none" : names.slice(0, NAMES_SHOWN).join(", ");
  throw new ImportError(`no function is exported as ${name}: exported are ${known}`);
}

const NAMES_SHOWN = 20;

function functionNamed(wasm: WasmModule, name: string): WasmExport {
  const exported = exportNamed(wasm, name);
  if (exported.kind === "function") return exported;
  throw new ImportError(`${name} is exported, but is not a function`);
}

export const functionsOf = ({ exports }: WasmModule): readonly WasmExport[] =>
  exports.filter(({ kind }) => kind === "function");
