// Finds the heap locations that an event depends on and that the program has not written. The input
// sets their contents.

import { Op } from "../ir/opcodes.js";
import { HEAP_BASE } from "../ir/outcome.js";
import { accessSize, type Value } from "../ir/procedure.js";
import { type WordPair, wideBits } from "../ir/words.js";
import type { ExecutionTrace } from "../oracle/fast/trace.js";

export interface HeapLocation {
  /** The distance from the start of the heap, in bytes. */
  readonly distance: number;
  readonly bytes: number;
  /** The contents. */
  readonly contents: WordPair;
}

/** The greatest number of visited events, and of returned locations. */
const EVENTS_MAX = 100;
const LOCATIONS_MAX = 3;

/** @param values the values of the entry, by id */
export function heapLocationsOf(
  trace: ExecutionTrace,
  values: ReadonlyMap<number, Value>,
  event: number,
): readonly HeapLocation[] {
  const locations: HeapLocation[] = [];
  const seen = new Set([event]);
  for (const e of seen) {
    if (seen.size > EVENTS_MAX || locations.length >= LOCATIONS_MAX) break;
    const [start, end] = [trace.starts[e], trace.starts[e + 1]];
    const value = values.get(trace.ids[e]);
    const isFirst = value?.opcode === Op.Load && end - start === 1;
    if (value !== undefined && isFirst) {
      const { results, dependences } = trace;
      const at = dependences[start];
      const address = wideBits(results[2 * at], results[2 * at + 1]) + BigInt(value.offset);
      const contents = [results[2 * e], results[2 * e + 1]] as const;
      const distance = Number(BigInt.asIntN(64, address - HEAP_BASE));
      locations.push({ distance, bytes: accessSize(value), contents });
    } else for (let d = start; d < end; d++) seen.add(trace.dependences[d]);
  }
  return locations;
}
