// Evaluates the initial expressions of globals and segments.

import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";
import { errorAt, type ImportError } from "./import-error.js";
import type { WasmInstruction, WasmModule } from "./wasm-module.js";

export interface WasmConstant {
  readonly type: Type;
  readonly lo: number;
  readonly hi: number;
}

/** Globals of the specification's test host, whose values its tests expect. */
const SPECTEST_GLOBALS: readonly (readonly [name: string, words: readonly [number, number]])[] = [
  ["spectest.global_i32", [666, 0]],
  ["spectest.global_i64", [666, 0]],
  ["spectest.global_f32", [0x4426_a666, 0]],
  ["spectest.global_f64", [-858993459, 0x4084_d4cc]],
];

/** Values of known imported globals. A loader of dynamic libraries may choose base 0. */
const KNOWN_GLOBALS = new Map<string, readonly [number, number]>([
  ...SPECTEST_GLOBALS,
  ["env.__memory_base", [0, 0]],
  ["env.__table_base", [0, 0]],
]);

/**
 * Returns the initial value of a global; null for an imported global without a known value.
 * @throws ImportError
 */
export function initialOf(wasm: WasmModule, index: number): WasmConstant | null {
  const { type, imported, initial } = wasm.globals[index];
  if (imported === null) return evaluate(wasm, initial);
  const { module, name } = imported;
  const words = KNOWN_GLOBALS.get(`${module}.${name}`);
  return words === undefined ? null : { type, lo: words[0], hi: words[1] };
}

/** Returns the error for a read, at byte `at`, of a global without a known value. */
export function valueMissing(wasm: WasmModule, index: number, at: number): ImportError {
  const { module, name } = wasm.globals[index].imported ?? { module: "", name: "" };
  return errorAt(at, `the imported global ${module}.${name} has no known value`);
}

/**
 * Returns the value of an expression; null if it depends on a global without a known value.
 * @throws ImportError
 */
export function evaluate(
  wasm: WasmModule,
  expression: readonly WasmInstruction[],
): WasmConstant | null {
  const stack: (WasmConstant | null)[] = [];
  for (const { name, at, index, lo, hi } of expression) {
    const type = CONSTANTS.get(name);
    const calculate = CALCULATIONS[name.slice(4)];
    if (type !== undefined) stack.push({ type, lo, hi });
    else if (name === "global.get") stack.push(initialOf(wasm, index));
    else if (calculate !== undefined) {
      const [x = null, y = null] = stack.splice(-2);
      stack.push(x === null || y === null ? null : calculated(x, y, calculate));
    } else if (name !== "end") {
      throw errorAt(at, `${name} in a constant expression is outside of the import`);
    }
  }
  return stack[0] ?? null;
}

type ConstantOperation = (x: bigint, y: bigint) => bigint;

const CALCULATIONS: Readonly<Record<string, ConstantOperation | undefined>> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
};

function calculated(x: WasmConstant, y: WasmConstant, calculate: ConstantOperation): WasmConstant {
  const bits = calculate(bitsOf(x), bitsOf(y));
  const lo = Number(BigInt.asIntN(32, bits));
  return { type: x.type, lo, hi: x.type === Int64 ? Number(BigInt.asIntN(32, bits >> 32n)) : 0 };
}

const bitsOf = ({ lo, hi }: WasmConstant): bigint => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

const CONSTANTS = new Map<string, Type>([
  ["i32.const", Int32],
  ["i64.const", Int64],
  ["f32.const", Float],
  ["f64.const", Double],
]);

/**
 * Returns the function index of an element expression; null for a null reference.
 * @throws ImportError
 */
export function functionOfElement([first]: readonly WasmInstruction[]): number | null {
  if (first.name === "ref.func") return first.index;
  if (first.name === "ref.null") return null;
  throw errorAt(first.at, `${first.name} as an element is outside of the import`);
}
