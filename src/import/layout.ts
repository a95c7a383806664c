// Lays out the heap of an imported module: cells of the instance first, the linear memory last.

import { HEAP_SIZE_MAX } from "../ir/verify/verify.js";
import { ImportError } from "./import-error.js";
import type { WasmModule } from "./wasm-module.js";

export const PAGE = 0x1_0000;
/** The most pages that memory.grow may add, if the module allows them. */
const GROWTH_PAGES = 16;
const HEAP_UNIT = 4096;

/** The part of the heap that contains a table. */
interface TableLocation {
  readonly place: number;
  readonly size: number;
}

export interface InstanceLayout {
  /**
   * An Int64: the current size of the linear memory in bytes. Only a memory that may grow uses it.
   */
  readonly memorySize: number;
  /** An Int32: 1 after a growth that the module allows and the heap does not; 0 without growth. */
  readonly growthRefused: number;
  /**
   * Eight bytes for each result of a function after its first. The caller reads them directly after
   * the call.
   */
  readonly results: number;
  /** Eight bytes for each mutable global, by index; entries of constant globals are unused. */
  readonly globals: readonly number[];
  /**
   * Int32 cells: the number of bytes or elements that memory.init and table.init may still read.
   */
  readonly dataLengths: readonly number[];
  readonly elementLengths: readonly number[];
  /** An Int32 for each element of a table: the index of a function plus one, or 0. */
  readonly tables: readonly TableLocation[];
  /** Contents of segments: bytes, or an Int32 for each element as in a table. */
  readonly data: readonly number[];
  readonly elements: readonly number[];
  readonly memory: number;
  /** The initial pages of the memory in the heap. */
  readonly pages: number;
  /** Pages that the module declares but the heap does not contain. */
  readonly missingPages: number;
  readonly pagesMax: number;
  /** Whether some function contains memory.grow. */
  readonly grows: boolean;
  readonly heapSize: number;
}

/**
 * Returns the layout.
 * @param pagesGiven the most pages of the memory that the heap contains; null for all that fit
 * @throws ImportError if the heap cannot hold the tables
 */
export function layoutOf(wasm: WasmModule, pagesGiven: number | null): InstanceLayout {
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
  const grows = uses.has("memory.grow");
  const growthRefused = grows ? take(4) : 0;
  const results = take(8 * resultsMax);
  const globals = wasm.globals.map(({ isMutable }) => (isMutable ? take(8) : 0));
  const initializes = uses.has("memory.init");
  const dataLengths = wasm.data.map(() => (initializes ? take(4) : 0));
  const elementLengths = wasm.elements.map(() => (uses.has("table.init") ? take(4) : 0));
  const tables = wasm.tables.map(({ initial, outside }): TableLocation => {
    const size = outside === null ? initial : 0;
    return { place: take(4 * size), size };
  });
  const data = wasm.data.map(({ bytes }) => (initializes ? take(bytes.length) : 0));
  const elements = wasm.elements.map((segment) =>
    uses.has("table.init") ? take(4 * segment.elements.length) : 0,
  );
  const memory = Math.ceil(next / HEAP_UNIT) * HEAP_UNIT;
  if (next > HEAP_SIZE_MAX) {
    throw new ImportError(
      `the module: a heap of ${HEAP_SIZE_MAX} bytes cannot hold the tables and segments`,
    );
  }
  const room = Math.floor((HEAP_SIZE_MAX - memory) / PAGE);
  const declared = wasm.memory?.initial ?? 0;
  const pages = Math.min(declared, room, pagesGiven ?? room);
  const missingPages = declared - pages;
  const wanted = Math.min(wasm.memory?.maximum ?? room, pages + GROWTH_PAGES, room);
  const pagesMax = grows && missingPages === 0 ? Math.max(pages, wanted) : pages;
  return {
    memorySize: 0,
    growthRefused,
    results,
    globals,
    dataLengths,
    elementLengths,
    tables,
    data,
    elements,
    memory,
    pages,
    missingPages,
    pagesMax,
    grows,
    heapSize: Math.max(HEAP_UNIT, memory + pagesMax * PAGE),
  };
}
