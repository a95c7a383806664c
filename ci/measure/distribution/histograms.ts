// Computes histograms of programs and executions by powers of two, which show what averages hide.
// Also counts how loads overlap earlier stores.

import { EFFECTS, READS_MEMORY, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import {
  accessSize,
  isMemoryAccess,
  type Procedure,
  Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import { isFloating, Void } from "../../../src/ir/types.js";
import type { ExecutionTrace } from "../../../src/oracle/fast/trace.js";

/**
 * One histogram: `counts[k]` items have a number from 2^(k-1) to 2^k - 1; `counts[0]` items have 0.
 */
export interface Histogram {
  readonly name: string;
  readonly counts: readonly number[];
}

const NAMES = [
  "programs, by values of the entry",
  "programs, by blocks of the entry",
  "programs, by depth of expressions",
  "programs, by integers live at once",
  "programs, by floats live at once",
  "executions, by executed values",
  "executions, by iterations of the busiest loop",
  "executions, by exits taken",
  "executions, by loads of just what a store wrote",
  "executions, by loads of part of a store",
  "executions, by loads across stores",
] as const;
type HistogramName = (typeof NAMES)[number];

export class ProgramHistograms {
  private readonly counts = new Map<HistogramName, number[]>(NAMES.map((name) => [name, []]));

  get rows(): Histogram[] {
    return [...this.counts].map(([name, counts]) => ({
      name,
      counts: Array.from(counts, (count) => count ?? 0),
    }));
  }

  /** Returns the share of items that are at least `least`, a power of two or 0. */
  shareFrom(name: HistogramName, least: number): number {
    const counts = this.counts.get(name) ?? [];
    const total = counts.reduce((sum, count) => sum + (count ?? 0), 0);
    const above = counts.slice(bucketOf(least)).reduce((sum, count) => sum + (count ?? 0), 0);
    return total === 0 ? 0 : above / total;
  }

  addProgram(entry: Procedure, valueCount: number): void {
    this.count("programs, by values of the entry", valueCount);
    this.count("programs, by blocks of the entry", entry.blocks.length);
    this.count("programs, by depth of expressions", depthOf(entry));
    const [integers, floats] = liveAtOnce(entry);
    this.count("programs, by integers live at once", integers);
    this.count("programs, by floats live at once", floats);
  }

  /**
   * Counts one execution.
   * @param iterations the iterations of the busiest block of the entry
   */
  addExecution(
    trace: ExecutionTrace,
    values: readonly (readonly Value[])[],
    iterations: number,
  ): void {
    this.count("executions, by executed values", trace.length);
    this.count("executions, by iterations of the busiest loop", iterations);
    this.count("executions, by exits taken", trace.exits.length);
    const overlaps = overlapsIn(trace, values);
    this.count("executions, by loads of just what a store wrote", overlaps.whole);
    this.count("executions, by loads of part of a store", overlaps.part);
    this.count("executions, by loads across stores", overlaps.across);
  }

  private count(name: HistogramName, number: number): void {
    const counts = this.counts.get(name);
    if (counts === undefined) return;
    const bucket = bucketOf(number);
    while (counts.length <= bucket) counts.push(0);
    counts[bucket]++;
  }
}

const bucketOf = (number: number): number => (number === 0 ? 0 : 32 - Math.clz32(number));

/** Returns the depth of the deepest expression in one block. */
function depthOf({ blocks, valueIdEnd }: Procedure): number {
  const depths = new Int32Array(valueIdEnd);
  let most = 0;
  for (const block of blocks) {
    for (const value of block.values) {
      let depth = 0;
      for (const operand of [value.a, value.b, value.c]) {
        if (operand !== null && operand.block === block)
          depth = Math.max(depth, depths[operand.id]);
      }
      depths[value.id] = depth + 1;
      most = Math.max(most, depth + 1);
    }
  }
  return most;
}

/**
 * Returns the largest number of simultaneously live values. A live range is from the definition to
 * the last use in the order of the blocks; back edges are ignored.
 */
function liveAtOnce(proc: Procedure): readonly [integers: number, floats: number] {
  const lastUse = new Int32Array(proc.valueIdEnd);
  let at = 0;
  const use = (value: Value | null): void => {
    if (value !== null) lastUse[value.id] = at;
  };
  for (const { values } of proc.blocks) {
    for (const value of values) {
      at++;
      use(value.a);
      use(value.b);
      use(value.c);
      if (value.rest !== null) for (const operand of value.rest) use(operand);
      if (value.extra instanceof Snapshot) forEachShown(value.extra, use);
    }
  }
  const ends = [new Int32Array(at + 2), new Int32Array(at + 2)];
  const live = [0, 0];
  const most = [0, 0];
  const begin = ({ id, type, isConstant }: Value): void => {
    if (type === Void || isConstant || lastUse[id] <= at) return;
    const bank = isFloating(type) ? 1 : 0;
    ends[bank][lastUse[id]]++;
    most[bank] = Math.max(most[bank], ++live[bank]);
  };
  at = 0;
  for (const parameter of proc.parameters) begin(parameter);
  for (const { values } of proc.blocks) {
    for (const value of values) {
      at++;
      for (const bank of [0, 1]) live[bank] -= ends[bank][at];
      begin(value);
    }
  }
  return [most[0], most[1]];
}

function forEachShown({ frames }: Snapshot, use: (value: Value) => void): void {
  for (const { slots } of frames) {
    for (const slot of slots) if (slot.kind === "value") use(slot.value);
  }
}

/** Numbers of loads that read stored bytes: all of one store, part of one, or several stores. */
interface LoadOverlapCounts {
  whole: number;
  part: number;
  across: number;
}

function overlapsIn(
  trace: ExecutionTrace,
  values: readonly (readonly Value[])[],
): LoadOverlapCounts {
  const loads = sizesOf(values, READS_MEMORY);
  const stores = sizesOf(values, WRITES_MEMORY);
  const { procedures, ids, starts, dependences } = trace;
  const overlaps = { whole: 0, part: 0, across: 0 };
  for (let e = 0; e < trace.length; e++) {
    const size = loads[procedures[e]][ids[e]];
    if (size === 0) continue;
    let writers = 0;
    let writer = 0;
    for (let d = starts[e]; d < starts[e + 1]; d++) {
      const other = dependences[d];
      const stored = stores[procedures[other]][ids[other]];
      if (stored === 0) continue;
      writers++;
      writer = stored;
    }
    if (writers > 1 || (writers === 1 && writer < size)) overlaps.across++;
    else if (writers === 1 && writer === size) overlaps.whole++;
    else if (writers === 1) overlaps.part++;
  }
  return overlaps;
}

/** Returns, by procedure and value, the bytes of an access of that kind, else 0. */
function sizesOf(values: readonly (readonly Value[])[], kind: number): Int32Array[] {
  return values.map((list) => {
    const end = list.reduce((most, { id }) => Math.max(most, id + 1), 0);
    const sizes = new Int32Array(end);
    for (const value of list) {
      const isOfKind = isMemoryAccess(value) && (EFFECTS[value.opcode] & kind) !== 0;
      if (isOfKind) sizes[value.id] = accessSize(value);
    }
    return sizes;
  });
}
