// Kernels in C that clang compiled to WebAssembly: code as a compiler of others leaves it, with bounds
// checks, a stack in memory, and tables of functions. corpus/bench has the sources and the binaries.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeWasm } from "../../src/import/decode-wasm.js";
import { importWasm } from "../../src/import/import-wasm.js";
import { assert } from "../../src/support/assert.js";
import { projectRoot } from "../../src/support/project-root.js";
import type { Kernel } from "./kernel.js";

/** The part of WebAssembly's own interface that this needs. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => { readonly exports: Readonly<Record<string, (...args: number[]) => number>> };
};

interface Row {
  readonly name: string;
  readonly about: string;
  /** The function. It takes a size, and traps if that is negative. */
  readonly exported: string;
  readonly counted: number;
  readonly timed: number;
}

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { name: "lz",      exported: "lz",       counted: 1000, timed: 16000, about: "Compresses a text and expands it again." },
  { name: "linear",  exported: "linear",   counted: 14,   timed: 48,    about: "Solves a system of linear equations." },
  { name: "formula", exported: "formulas", counted: 100,  timed: 5000,  about: "Parses, simplifies and evaluates formulas." },
];

export const IMPORTED_KERNELS: readonly Kernel[] = ROWS.map(kernelOf);

function kernelOf({ name, about, exported, counted, timed }: Row): Kernel {
  const path = join(projectRoot(), "corpus", "bench", `${name}.wasm`);
  let compiled: object | null = null;
  return {
    name,
    about: `${about} Imported from ${name}.wasm, which clang made of ${name}.c.`,
    build: () => importWasm(decodeWasm(readFileSync(path)), exported).module,
    javascript: (_heap, args) => {
      compiled ??= new WebAssembly.Module(readFileSync(path));
      const { [exported]: run } = new WebAssembly.Instance(compiled).exports;
      assert(run !== undefined, () => `${name}.wasm does not export ${exported}`);
      return run(...args);
    },
    args: (size) => [size],
    fill: 0,
    counted,
    timed,
    leaving: [[-1]],
    inner: null,
  };
}
