// The table of kernels, and the text of each as corpus/bench has it.

import type { Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import { printLiteral } from "../../src/ir/text/literals.js";
import { printModule } from "../../src/ir/text/print.js";
import { printInput, printOutcome } from "../../src/ir/text/run-line.js";
import { Double, type Type } from "../../src/ir/types.js";
import { decodeModule } from "../../src/oracle/decode.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { Oracle } from "../../src/oracle/oracle.js";
import { interpreter } from "./interpreter.js";
import { heapOf, inputOf, type Kernel } from "./kernel.js";
import { mandelbrot } from "./mandelbrot.js";
import { matrix } from "./matrix.js";
import { quicksort } from "./quicksort.js";
import { sha256 } from "./sha256.js";
import { sieve } from "./sieve.js";

export const KERNELS: readonly Kernel[] = [
  sieve,
  mandelbrot,
  matrix,
  sha256,
  quicksort,
  interpreter,
];

/**
 * The file of a kernel: its program, what JavaScript gives at the counted size, and what the oracle
 * says of the calls that leave.
 */
export function textOf(kernel: Kernel): string {
  const module = kernel.build();
  const { result } = module.entry;
  const inputs = [kernel.args(kernel.counted), ...kernel.leaving].map((args) =>
    inputOf(kernel, args),
  );
  const given = printResult(result, resultOf(kernel, kernel.counted));
  const outcomes = [given, ...outcomesOf(module, inputs.slice(1))];
  const runs = inputs.map((input, i) => `; run: ${printInput(module, input)} = ${outcomes[i]}\n`);
  const head = `; ${kernel.about}\n; Made by fuzz/kernels; do not edit.\n`;
  return `${head}\n${printModule(module)}\n${runs.join("")}`;
}

/** What JavaScript gives at a size. */
export const resultOf = (kernel: Kernel, size: number): number =>
  kernel.javascript(heapOf(kernel), kernel.args(size));

function outcomesOf(module: Module, inputs: readonly Input[]): string[] {
  const program = decodeModule(module);
  const oracle = new Oracle();
  return inputs.map((input) => printOutcome(oracle.run(program, input, DEFAULT_FUEL)));
}

function printResult(type: Type, result: number): string {
  const [lo, hi] = new Int32Array(Float64Array.of(result).buffer);
  return type === Double ? printLiteral(type, lo, hi) : printLiteral(type, result, 0);
}
