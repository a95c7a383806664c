// The table of kernels, and the text of each as corpus/bench has it.

import { DEFAULT_FUEL } from "../../src/execute/subjects.js";
import { printLiteral } from "../../src/ir/literals.js";
import { printModule } from "../../src/ir/print.js";
import { printInput, printOutcome } from "../../src/ir/run-line.js";
import { Double, type Type } from "../../src/ir/types.js";
import { decodeModule } from "../../src/oracle/decode.js";
import { Oracle } from "../../src/oracle/oracle.js";
import { inputOf, type Kernel } from "./kernel.js";
import { matrix } from "./matrix.js";
import { sieve } from "./sieve.js";

export const KERNELS: readonly Kernel[] = [sieve, matrix];

/**
 * The file of a kernel: its program, what JavaScript says of the counted size, and what the oracle
 * says of the calls that leave.
 */
export function textOf(kernel: Kernel): string {
  const module = kernel.build();
  const program = decodeModule(module);
  const oracle = new Oracle();
  const args = kernel.args(kernel.counted);
  const result = resultOf(kernel, args, module.heapSize);
  const runs = [
    `${printInput(module, inputOf(args))} = ${printResult(module.entry.result, result)}`,
  ];
  for (const leaving of kernel.leaving) {
    const outcome = oracle.run(program, inputOf(leaving), DEFAULT_FUEL);
    runs.push(`${printInput(module, inputOf(leaving))} = ${printOutcome(outcome)}`);
  }
  const lines = runs.map((run) => `; run: ${run}\n`);
  return `; ${kernel.about}\n; Made by fuzz/kernels; do not edit.\n\n${printModule(module)}\n${lines.join("")}`;
}

/** What JavaScript gives for these arguments. */
export const resultOf = (
  { javascript }: Kernel,
  args: readonly number[],
  heapSize: number,
): number => javascript(new ArrayBuffer(heapSize), args);

function printResult(type: Type, result: number): string {
  const words = new Int32Array(Float64Array.of(result).buffer);
  return type === Double ? printLiteral(type, words[0], words[1]) : printLiteral(type, result, 0);
}
