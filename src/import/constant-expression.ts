// The expressions that globals and segments begin with.

import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";
import { errorAt } from "./import-error.js";
import type { Instruction, WasmModule } from "./wasm-module.js";

export interface Constant {
  readonly type: Type;
  readonly lo: number;
  readonly hi: number;
}

/** Globals of the specification's test host, whose values its tests expect. */
const SPECTEST_GLOBALS: Readonly<Record<string, readonly [number, number]>> = {
  global_i32: [666, 0],
  global_i64: [666, 0],
  global_f32: [0x4426_a666, 0],
  global_f64: [-858993459, 0x4084_d4cc],
};

/** The value that a global has at first. @throws ImportError */
export function initialOf(wasm: WasmModule, index: number): Constant {
  const { type, imported, initial } = wasm.globals[index];
  if (imported === null) return evaluate(wasm, initial);
  const { module, name } = imported;
  const isKnown = module === "spectest" && Object.hasOwn(SPECTEST_GLOBALS, name);
  const words = isKnown ? SPECTEST_GLOBALS[name] : undefined;
  if (words === undefined) {
    throw errorAt(0, `nothing gives the imported global ${module}.${name} a value`);
  }
  return { type, lo: words[0], hi: words[1] };
}

/** @throws ImportError */
export function evaluate(wasm: WasmModule, [first]: readonly Instruction[]): Constant {
  const { name, at, index, lo, hi } = first;
  const type = CONSTANTS.get(name);
  if (type !== undefined) return { type, lo, hi };
  if (name === "global.get") return initialOf(wasm, index);
  throw errorAt(at, `${name} in a constant expression is outside of the import`);
}

const CONSTANTS = new Map<string, Type>([
  ["i32.const", Int32],
  ["i64.const", Int64],
  ["f32.const", Float],
  ["f64.const", Double],
]);

/** The function that an element of a segment is; null for a null reference. @throws ImportError */
export function functionOfElement([first]: readonly Instruction[]): number | null {
  if (first.name === "ref.func") return first.index;
  if (first.name === "ref.null") return null;
  throw errorAt(first.at, `${first.name} as an element is outside of the import`);
}
