// Lists the kernels in C. They are translated from unoptimized LLVM IR, as a simple front end emits
// it. clang and gcc compile the same C, so code quality can be compared. corpus/bench/c contains
// both texts of each kernel; its README describes how the IR is made from the C.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Module } from "../../../src/ir/procedure.js";
import { projectRoot } from "../../../src/support/project-root.js";
import { moduleFromLlvm } from "./from-llvm.js";

/** The heap of the kernels, in bytes. */
const HEAP_SIZE = 1 << 20;

/** `int kernel(unsigned char *heap, int n)` */
export interface CKernel {
  readonly name: string;
  /** Seed of the initial heap contents; 0: zeroes. */
  readonly fill: number;
  readonly counted: number;
  /** The result at the counted size. */
  readonly result: number;
  /** The size for timing; a run takes milliseconds on a processor. */
  readonly timed: number;
}

// biome-ignore format: a table
export const C_KERNELS: readonly CKernel[] = [
  { name: "accumulator", fill: 7, counted: 200, timed: 20000, result: -144106387 },
  { name: "bits",      fill: 1, counted: 200,  timed: 10000, result: 723878650 },
  { name: "checksum",  fill: 9, counted: 400,  timed: 40000, result: 1149601178 },
  { name: "crc",       fill: 2, counted: 1000, timed: 100000, result: 151309110 },
  { name: "edit",      fill: 3, counted: 60,   timed: 400,  result: 44028 },
  { name: "heapsort",  fill: 4, counted: 500,  timed: 10000, result: 1433176710 },
  { name: "image",     fill: 5, counted: 24,   timed: 120,  result: -1263059602 },
  { name: "insertion", fill: 6, counted: 500,  timed: 10000, result: 1234866617 },
  { name: "machine",   fill: 0, counted: 300,  timed: 20000, result: -371016220 },
  { name: "matches",   fill: 8, counted: 400,  timed: 10000, result: 1706241746 },
  { name: "orbits",    fill: 0, counted: 40,   timed: 2000,  result: 245765181 },
  { name: "primes",    fill: 0, counted: 5000, timed: 200000, result: 160499262 },
  { name: "product",   fill: 7, counted: 20,   timed: 120,   result: -2078824088 },
  { name: "queens",    fill: 8, counted: 7,    timed: 10,    result: 48 },
  { name: "recursion", fill: 9, counted: 12,   timed: 20,    result: 220544 },
  { name: "rotate",    fill: 1, counted: 1000, timed: 100000, result: -1917449342 },
  { name: "search",    fill: 2, counted: 1000, timed: 50000, result: 4282 },
  { name: "table",     fill: 3, counted: 1000, timed: 60000, result: -181694606 },
  { name: "tail",      fill: 4, counted: 100,  timed: 8000,  result: 1983244975 },
  { name: "tree",      fill: 5, counted: 500,  timed: 10000, result: 2091743970 },
  { name: "words",     fill: 6, counted: 2000, timed: 200000, result: 887755521 },
];

export const sourceOf = ({ name }: CKernel): string =>
  join(projectRoot(), "corpus", "bench", "c", `${name}.c`);

export const moduleOf = ({ name }: CKernel): Module =>
  moduleFromLlvm(
    readFileSync(join(projectRoot(), "corpus", "bench", "c", `${name}.ll`), "utf8"),
    HEAP_SIZE,
  );
