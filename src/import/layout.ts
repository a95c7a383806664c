// Where the heap of an imported module has what: cells of the instance first, the linear memory last.

import { HEAP_SIZE_MAX } from "../ir/verify/verify.js";
import { errorAt } from "./import-error.js";
import type { WasmModule } from "./wasm-module.js";

export const PAGE = 0x1_0000;
/** What memory.grow may add, if the module allows it. */
const GROWTH_PAGES = 16;
const HEAP_UNIT = 4096;

export interface Layout {
  /** An Int64: the bytes of the linear memory at the moment. Only a memory that may grow uses it. */
  readonly memorySize: number;
  /** Eight bytes for each result of a function behind its first; the caller reads them at once. */
  readonly results: number;
  /** Eight bytes for each mutable global; by index, for the others without meaning. */
  readonly globals: readonly number[];
  /** Int32: how many bytes or elements of the segment memory.init and table.init may still read. */
  readonly dataLengths: readonly number[];
  readonly elementLengths: readonly number[];
  /** Int32 for each element: the number of a function plus one, or 0. */
  readonly table: number;
  readonly tableSize: number;
  /** Contents of segments: bytes; Int32 for each element, as in the table. */
  readonly data: readonly number[];
  readonly elements: readonly number[];
  readonly memory: number;
  readonly pages: number;
  readonly pagesMax: number;
  /** Some function has memory.grow. */
  readonly grows: boolean;
  readonly heapSize: number;
}

/** @throws ImportError if the heap cannot hold it */
export function layoutOf(wasm: WasmModule): Layout {
  const uses = new Set<string>();
  for (const { body } of wasm.functions) for (const { name } of body) uses.add(name);
  let next = 8;
  const take = (size: number): number => {
    const place = next;
    next += Math.ceil(size / 8) * 8;
    return place;
  };
  const resultsMax = wasm.functions.reduce(
    (most, { type }) => Math.max(most, type.results.length - 1),
    0,
  );
  const results = take(8 * resultsMax);
  const globals = wasm.globals.map(({ isMutable }) => (isMutable ? take(8) : 0));
  const initializes = uses.has("memory.init");
  const dataLengths = wasm.data.map(() => (initializes ? take(4) : 0));
  const elementLengths = wasm.elements.map(() => (uses.has("table.init") ? take(4) : 0));
  const tableSize = wasm.table?.initial ?? 0;
  const table = take(4 * tableSize);
  const data = wasm.data.map(({ bytes }) => (initializes ? take(bytes.length) : 0));
  const elements = wasm.elements.map((segment) =>
    uses.has("table.init") ? take(4 * segment.elements.length) : 0,
  );
  const memory = Math.ceil(next / HEAP_UNIT) * HEAP_UNIT;
  const pages = wasm.memory?.initial ?? 0;
  const room = Math.floor((HEAP_SIZE_MAX - memory) / PAGE);
  if (pages > room || next > HEAP_SIZE_MAX) {
    throw errorAt(0, `a heap of ${HEAP_SIZE_MAX} bytes cannot hold the tables and ${pages} pages`);
  }
  const grows = uses.has("memory.grow");
  const wanted = Math.min(wasm.memory?.maximum ?? room, pages + GROWTH_PAGES, room);
  const pagesMax = grows ? Math.max(pages, wanted) : pages;
  return {
    memorySize: 0,
    results,
    globals,
    dataLengths,
    elementLengths,
    table,
    tableSize,
    data,
    elements,
    memory,
    pages,
    pagesMax,
    grows,
    heapSize: Math.max(HEAP_UNIT, memory + pagesMax * PAGE),
  };
}
