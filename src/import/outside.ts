// Finds functions that cannot be imported, with the reasons. The import refuses only exports that
// reach them.

import { isImported } from "./function-body.js";
import { errorAt, ImportError } from "./import-error.js";
import type { WasmInstruction, WasmModule } from "./wasm-module.js";

/** Features by the names of their instructions. */
const FEATURES: readonly (readonly [names: RegExp, feature: string])[] = [
  [/^(?:v128|[if]\d+x\d+)\./, "vectors"],
  [/atomic/, "threads"],
  [/^return_call/, "tail calls"],
  [/^(?:try|catch|throw|rethrow|delegate)/, "exceptions"],
  [/^(?:ref|table)\.|call_ref|^br_on/, "references"],
];

/** Returns the reason why a function cannot be imported, with the location; null if it can. */
export function reasonOutside(wasm: WasmModule, index: number): string | null {
  const { outside, body } = wasm.functions[index];
  if (outside !== null) return outside;
  for (const instruction of body) {
    const reason = reasonOf(wasm, instruction);
    if (reason !== null) return errorAt(instruction.at, reason).message;
  }
  return null;
}

function reasonOf(wasm: WasmModule, { name, index, table, from }: WasmInstruction): string | null {
  if (!isImported(name)) {
    const feature = FEATURES.find(([names]) => names.test(name))?.[1];
    if (feature === undefined) return `${name} is outside of the import`;
    return `${feature} are outside of the import: ${name}`;
  }
  if (name === "call") return wasm.functions[index].type.outside ?? null;
  if (name.startsWith("global.")) return wasm.globals[index].outside;
  if (name === "call_indirect") {
    return wasm.types[index].outside ?? wasm.tables[table].outside;
  }
  if (name === "table.size") return wasm.tables[index].outside;
  if (!name.startsWith("table.")) return null;
  return wasm.tables[table].outside ?? wasm.tables[from].outside;
}

/**
 * Refuses functions that cannot be imported, and their direct callees. A function that is reached
 * only through a table is not refused: a call of it is an exit.
 * @throws ImportError
 */
export function refuseOutside(wasm: WasmModule, roots: readonly number[]): void {
  const work = [...roots];
  const seen = new Set(work);
  for (let index = work.pop(); index !== undefined; index = work.pop()) {
    const reason = reasonOutside(wasm, index);
    if (reason !== null) throw new ImportError(reason);
    for (const { name, index: callee } of wasm.functions[index].body) {
      if (name !== "call" || seen.has(callee)) continue;
      seen.add(callee);
      work.push(callee);
    }
  }
}
