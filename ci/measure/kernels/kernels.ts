// Lists the kernels of corpus/bench. The first run line of each file is the call whose instructions
// are counted. The table below contains the arguments of the timed call.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Input } from "../../../src/ir/outcome.js";
import type { Module } from "../../../src/ir/procedure.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { runLines } from "../../../src/ir/text/run-line.js";
import { assert } from "../../../src/support/assert.js";
import { projectRoot } from "../../../src/support/project-root.js";

export const KERNEL_FOLDER = join(projectRoot(), "corpus", "bench");

/** A row of the tables below. */
interface KernelRow {
  readonly name: string;
  /** Int32 arguments after the heap's address. With these, a run takes milliseconds on a processor. */
  readonly timed: readonly number[];
}

export interface Kernel {
  readonly name: string;
  readonly module: Module;
  /** The counted call: its inner loops dominate, and an emulator runs it quickly. */
  readonly counted: Input;
  /** The timed call, on the same heap. */
  readonly timed: Input;
}

// biome-ignore format: a table
export const FRONT_END_KERNELS: readonly KernelRow[] = [
  { name: "sieve",       timed: [200_000, 200_000] },
  { name: "mandelbrot",  timed: [120] },
  { name: "matrix",      timed: [64] },
  { name: "sha256",      timed: [65_536] },
  { name: "quicksort",   timed: [30_000, 30_000] },
  { name: "interpreter", timed: [20_000, 10_007] },
];

// biome-ignore format: a table
export const IMPORTED_KERNELS: readonly KernelRow[] = [
  { name: "lz",      timed: [16_000] },
  { name: "linear",  timed: [48] },
  { name: "formula", timed: [5000] },
];

/** Reads the program of a row from corpus/bench. */
export function kernelOf({ name, timed }: KernelRow): Kernel {
  const text = readFileSync(join(KERNEL_FOLDER, `${name}.ir`), "utf8");
  const module = parseModule(text);
  const [run] = runLines(text, module);
  assert(run !== undefined, () => `${name}.ir has no line '; run: ...'`);
  const { words, heapSeed } = run.input;
  const timedWords = words.slice(0, 2);
  return {
    name,
    module,
    counted: run.input,
    timed: { words: Int32Array.from([...timedWords, ...timed.flatMap((x) => [x, 0])]), heapSeed },
  };
}

/** Returns the Int32 arguments after the heap's address. */
export const argumentsOf = ({ words }: Input): number[] =>
  Array.from({ length: words.length / 2 - 1 }, (_, i) => words[2 * i + 2]);
