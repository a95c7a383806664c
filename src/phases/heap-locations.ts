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

const LOADS: ReadonlySet<number> = new Set([
  ...[Op.Load, Op.Load8Z, Op.Load8S, Op.Load16Z, Op.Load16S],
]);

/** The greatest number of visited events, and of returned locations. */
const EVENTS_MAX = 100;
const LOCATIONS_MAX = 3;

/**
 * @param values the values of the entry, by id
 * @param preparation the index of a procedure whose stores count as the initial contents; null if
 *   there is none
 */
export function heapLocationsOf(
  trace: ExecutionTrace,
  values: ReadonlyMap<number, Value>,
  event: number,
  preparation: number | null,
): readonly HeapLocation[] {
  const locations: HeapLocation[] = [];
  const seen = new Set([event]);
  for (const e of seen) {
    if (seen.size > EVENTS_MAX || locations.length >= LOCATIONS_MAX) break;
    const [start, end] = [trace.starts[e], trace.starts[e + 1]];
    const value = trace.procedures[e] === 0 ? values.get(trace.ids[e]) : undefined;
    const stores = trace.dependences.slice(start + 1, end);
    const hasInitialContents = stores.every((store) => trace.procedures[store] === preparation);
    const isInitialLoad =
      value !== undefined && LOADS.has(value.opcode) && end > start && hasInitialContents;
    if (value !== undefined && isInitialLoad) {
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
