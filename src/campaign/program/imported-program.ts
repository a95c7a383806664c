// The profile `imported`: mutations of real programs. The parent is imported from C that clang
// compiled to WebAssembly (corpus/bench). The seed draws the parent, its inputs and the mutations;
// the donor is the usual program of another seed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../generate/generate-program.js";
import { decodeWasm } from "../../import/decode-wasm.js";
import { importWasm } from "../../import/import-wasm.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../../ir/outcome.js";
import { projectRoot } from "../../support/project-root.js";
import { SeedSource } from "../../support/source.js";
import { mutatedStock, stockOf } from "./mutated-program.js";

export const IMPORTED = "imported";

/**
 * The imported programs that are mutated. Each exported function takes a size, and traps if it is
 * negative.
 */
const PARENTS = [
  { file: "lz.wasm", exported: "lz", sizesBelow: 40 },
  { file: "linear.wasm", exported: "linear", sizesBelow: 10 },
  { file: "formula.wasm", exported: "formulas", sizesBelow: 8 },
] as const;
const INPUTS = 4;
/** One of this many inputs has a negative size. */
const TRAPPING = 8;

/**
 * Returns the program of a seed.
 * @param usual returns the unmutated program of a seed
 */
export function importedProgram(seed: bigint, usual: (seed: bigint) => Program): Program {
  const source = new SeedSource(seed, "imported");
  const { file, exported, sizesBelow } = PARENTS[source.below(PARENTS.length)];
  const wasm = decodeWasm(readFileSync(join(projectRoot(), "corpus", "bench", file)));
  const { module } = importWasm(wasm, exported);
  const inputs = Array.from({ length: INPUTS }, (): Input => {
    const size = source.below(TRAPPING) === 0 ? -1 : 1 + source.below(sizesBelow);
    return { words: Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, size, 0), heapSeed: 0 };
  });
  return mutatedStock(stockOf({ module, inputs, made: [] }), seed, usual).program;
}
