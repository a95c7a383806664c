// The expressions that globals and segments begin with.

import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";
import { errorAt, type ImportError } from "./import-error.js";
import type { Instruction, WasmModule } from "./wasm-module.js";

export interface Constant {
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

/** Values of imported globals. A loader of dynamic libraries may place one at 0. */
const GIVEN_GLOBALS = new Map<string, readonly [number, number]>([
  ...SPECTEST_GLOBALS,
  ["env.__memory_base", [0, 0]],
  ["env.__table_base", [0, 0]],
]);

/** The value that a global has at first; null if nothing gives an imported one its value. @throws ImportError */
export function initialOf(wasm: WasmModule, index: number): Constant | null {
  const { type, imported, initial } = wasm.globals[index];
  if (imported === null) return evaluate(wasm, initial);
  const { module, name } = imported;
  const words = GIVEN_GLOBALS.get(`${module}.${name}`);
  return words === undefined ? null : { type, lo: words[0], hi: words[1] };
}

/** The error for a global to which nothing gives a value. */
export function valueMissing(wasm: WasmModule, index: number): ImportError {
  const { module, name } = wasm.globals[index].imported ?? { module: "", name: "" };
  return errorAt(0, `nothing gives the imported global ${module}.${name} a value`);
}

/** The value of an expression; null if it depends on a global without value. @throws ImportError */
export function evaluate(wasm: WasmModule, expression: readonly Instruction[]): Constant | null {
  const stack: (Constant | null)[] = [];
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

type Calculation = (x: bigint, y: bigint) => bigint;

const CALCULATIONS: Readonly<Record<string, Calculation | undefined>> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
};

function calculated(x: Constant, y: Constant, calculate: Calculation): Constant {
  const bits = calculate(bitsOf(x), bitsOf(y));
  const lo = Number(BigInt.asIntN(32, bits));
  return { type: x.type, lo, hi: x.type === Int64 ? Number(BigInt.asIntN(32, bits >> 32n)) : 0 };
}

const bitsOf = ({ lo, hi }: Constant): bigint => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

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
