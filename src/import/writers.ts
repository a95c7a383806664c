// Finds exports whose calls may change the state that later calls of the same instance read.

import { functionOfElement } from "./constant-expression.js";
import type { WasmModule } from "./wasm-module.js";

const WRITES =
  /\.store|^global\.set$|^memory\.(?:grow|fill|copy|init)$|^table\.(?:copy|init)$|\.drop$/;

/** Returns false only if no function that the export may call writes to the instance. */
export function mayWrite(wasm: WasmModule, name: string): boolean {
  const exported = wasm.exports.find((each) => each.name === name && each.kind === "function");
  if (exported === undefined) return false;
  const work = [exported.index];
  const seen = new Set(work);
  const reach = (index: number | null): void => {
    if (index === null || seen.has(index)) return;
    seen.add(index);
    work.push(index);
  };
  for (let index = work.pop(); index !== undefined; index = work.pop()) {
    for (const instruction of wasm.functions[index].body) {
      if (WRITES.test(instruction.name)) return true;
      if (instruction.name === "call") reach(instruction.index);
      if (instruction.name !== "call_indirect") continue;
      for (const { elements } of wasm.elements) {
        for (const element of elements) reach(functionOfElement(element));
      }
    }
  }
  return false;
}
