// Links imports from other modules of a script. A function that accesses no state of its instance
// is copied with its callees. A constant global is replaced by its value. Other imports would share
// state between instances, which the import does not support.

import type { Type } from "../ir/types.js";
import { initialOf, type WasmConstant } from "./constant-expression.js";
import { nameOfType } from "./type-names.js";
import type {
  FunctionType,
  SizeLimits,
  WasmExport,
  WasmFunction,
  WasmGlobal,
  WasmImport,
  WasmInstruction,
  WasmModule,
} from "./wasm-module.js";

interface LinkedModule {
  readonly wasm: WasmModule;
  /** Modules whose functions may change their instance when this one runs. */
  readonly calls: ReadonlySet<string>;
  /** Modules whose memory, tables or variables this one shares. */
  readonly shares: ReadonlySet<string>;
}

/** Replaces imports from `registered` modules; null stands for a module that cannot be read. */
export function linkFunctions(
  wasm: WasmModule,
  registered: ReadonlyMap<string, WasmModule | null>,
): LinkedModule {
  const functions = wasm.functions.slice();
  const globals = wasm.globals.slice();
  const calls = new Set<string>();
  const shares = new Set<string>();
  const given = (imported: WasmImport | null, kind: WasmExport["kind"]): ResolvedImport | null => {
    const source = imported === null ? undefined : registered.get(imported.module);
    if (source === undefined || imported === null) return null;
    const found = source?.exports.find((each) => each.name === imported.name && each.kind === kind);
    return { from: imported.module, source, index: found?.index ?? null };
  };
  wasm.functions.forEach((wanted, i) => {
    const found = given(wanted.imported, "function");
    if (found === null) return;
    const { source, index } = found;
    const copied = source === null || index === null ? null : copyOf(source, index, functions, i);
    if (copied === null) calls.add(found.from);
    else if (isSameType(copied.type, wanted.type)) functions[i] = copied;
  });
  wasm.globals.forEach((wanted, i) => {
    const found = given(wanted.imported, "global");
    if (found === null) return;
    const { source, index } = found;
    const value = source === null || index === null ? null : constantOf(source, index);
    if (value === null) shares.add(found.from);
    else globals[i] = globalOf(wanted, value);
  });
  for (const place of [...wasm.tables, ...(wasm.memory === null ? [] : [wasm.memory])]) {
    const found = given(place.imported, "other");
    if (found !== null) shares.add(found.from);
  }
  const tables = wasm.tables.map((table) => withSpectestLimits(table, "table"));
  const memory = wasm.memory === null ? null : withSpectestLimits(wasm.memory, "memory");
  return { wasm: { ...wasm, functions, globals, tables, memory }, calls, shares };
}

/** The memory and the table of the specification's test host. */
const SPECTEST: Readonly<Record<"table" | "memory", Pick<SizeLimits, "initial" | "maximum">>> = {
  table: { initial: 10, maximum: 20 },
  memory: { initial: 1, maximum: 2 },
};

function withSpectestLimits<T extends SizeLimits>(place: T, name: "table" | "memory"): T {
  const { imported } = place;
  const isHosts = imported?.module === "spectest" && imported.name === name;
  return isHosts ? { ...place, ...SPECTEST[name] } : place;
}

interface ResolvedImport {
  readonly from: string;
  readonly source: WasmModule | null;
  /** null if the module has no export of the name and kind */
  readonly index: number | null;
}

/** Instructions that access the instance. */
const TOUCHES =
  /\.(?:load|store)|^global\.|^memory\.|^table\.|^call_indirect$|^(?:data|elem)\.drop$/;

/**
 * Appends copies of a function's callees.
 * @returns the function for index `at`; null if it accesses its instance
 */
function copyOf(
  source: WasmModule,
  first: number,
  functions: WasmFunction[],
  at: number,
): WasmFunction | null {
  const reached = new Map([[first, at]]);
  for (const [index] of reached) {
    const { imported, body } = source.functions[index];
    if (imported !== null || body.some(({ name }) => TOUCHES.test(name))) return null;
    for (const { name, index: callee } of body) {
      if (name !== "call" || reached.has(callee)) continue;
      reached.set(callee, functions.length + reached.size - 1);
    }
  }
  const copies = [...reached.keys()].map((index): WasmFunction => {
    const body = source.functions[index].body.map((each): WasmInstruction => {
      const callee = each.name === "call" ? reached.get(each.index) : undefined;
      return callee === undefined ? each : { ...each, index: callee };
    });
    return { ...source.functions[index], body };
  });
  functions.push(...copies.slice(1));
  return copies[0];
}

function constantOf(source: WasmModule, index: number): WasmConstant | null {
  return source.globals[index].isMutable ? null : initialOf(source, index);
}

const globalOf = (wanted: WasmGlobal, { type, lo, hi }: WasmConstant): WasmGlobal => ({
  ...wanted,
  imported: null,
  initial: [
    {
      name: `${nameOfType(type)}.const`,
      at: 0,
      index: 0,
      table: 0,
      from: 0,
      labels: [],
      blockType: null,
      lo,
      hi,
    },
  ],
});

const isSameType = (x: FunctionType, y: FunctionType): boolean =>
  isSame(x.parameters, y.parameters) && isSame(x.results, y.results);

const isSame = (some: readonly Type[], others: readonly Type[]): boolean =>
  some.length === others.length && some.every((type, i) => type === others[i]);
