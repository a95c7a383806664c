// Selects the accesses that state their class of memory. Windows that do not overlap are classes,
// and so are the regions of cells; each may be split into two. So accesses of two classes may be
// adjacent. An access whose possible locations are within one of these ranges belongs to its class
// in every execution.

import { Op } from "../../ir/opcodes.js";
import { accessSize, isMemoryAccess, type Value } from "../../ir/procedure.js";
import type { ChoiceSource } from "../../support/source.js";
import { FIXED, type HeapLayout, type HeapRange, OPEN, SINK } from "./heap-layout.js";
import type { KnownAddress, ProcedureMaker } from "./maker.js";
import { chance } from "./odds.js";

/** States the classes of some accesses of the finished procedure. */
export function stateClasses(maker: ProcedureMaker): void {
  const { heapBase, proc, dials, context } = maker;
  if (heapBase === null || dials.classes === 0) return;
  context.classes ??= drawClasses(context.source, context.layout);
  const { classes } = context;
  const known = new Map(maker.knownAddresses.map((address) => [address.value, address]));
  proc.forEachValue((value) => {
    if (!isMemoryAccess(value)) return;
    const range = rangeOf(value, heapBase, known);
    if (range === null) return;
    const isStated = known.get(value.address)?.isStated === true;
    if (!isStated && !maker.chance(dials.classes)) return;
    const index = classes.findIndex(({ start, end }) => start <= range.start && range.end <= end);
    value.memoryClass = index + 1;
  });
}

/** Returns the ranges of the classes: the k-th range has class k + 1, and no two ranges overlap. */
function drawClasses(source: ChoiceSource, layout: HeapLayout): HeapRange[] {
  return regionsOf(layout).flatMap(({ start, end }) => {
    if (chance(source, 50)) return [{ start, end }];
    const border = start + 1 + source.below(end - start - 1);
    return [
      { start, end: border },
      { start: border, end },
    ];
  });
}

/** Returns the windows, joined if they overlap, and the regions. */
function regionsOf({ windows }: HeapLayout): HeapRange[] {
  const fixed = { start: FIXED.start, end: FIXED.start + FIXED.length };
  const ranges: HeapRange[] = [SINK, OPEN, fixed];
  for (const { start, length } of windows) {
    let joined: HeapRange = { start, end: start + length };
    for (let i = ranges.length - 1; i >= 0; i--) {
      const other = ranges[i];
      if (joined.end <= other.start || other.end <= joined.start) continue;
      joined = {
        start: Math.min(joined.start, other.start),
        end: Math.max(joined.end, other.end),
      };
      ranges.splice(i, 1);
    }
    ranges.push(joined);
  }
  return ranges;
}

/** Ranges of addresses that their operands do not determine. */
type KnownAddresses = ReadonlyMap<Value, KnownAddress>;

/** Returns the bytes that the access may touch; null if unknown. */
function rangeOf(access: Value, heapBase: Value, known: KnownAddresses): HeapRange | null {
  const address = spanOf(access.address, heapBase, known);
  if (address === null) return null;
  const start = address.start + access.offset;
  return { start, end: address.end + access.offset + accessSize(access) };
}

/** Returns the values that an address may have, both ends included. */
function spanOf(address: Value, heapBase: Value, known: KnownAddresses): HeapRange | null {
  if (address === heapBase) return { start: 0, end: 0 };
  const bounds = known.get(address);
  if (bounds !== undefined) return { start: bounds.low, end: bounds.high };
  const { opcode, a, b } = address;
  if (opcode !== Op.Add || a === null || b === null) return null;
  const [base, added] = indexOf(a) === null ? [a, b] : [b, a];
  const from = spanOf(base, heapBase, known);
  const index = indexOf(added);
  return from && index && { start: from.start + index.start, end: from.end + index.end };
}

/** Masks have few bits, so a shifted index does not wrap. */
const MASK_MAX = 0xffff;

/** Returns the range of a constant or a masked index. */
function indexOf(value: Value): HeapRange | null {
  const { opcode, a, b } = value;
  if (opcode === Op.Const64) {
    const { constantLow: lo, constantHigh: hi } = value;
    return hi === lo >> 31 ? { start: lo, end: lo } : null;
  }
  if (opcode === Op.ZExt32 || opcode === Op.SExt32) return a && indexOf(a);
  if (
    opcode === Op.BitAnd &&
    b?.isConstant &&
    b.constantHigh === 0 &&
    b.constantLow >= 0 &&
    b.constantLow <= MASK_MAX
  ) {
    return { start: 0, end: b.constantLow };
  }
  if (opcode !== Op.Shl || a === null || !b?.isConstant || b.constantLow < 0 || b.constantLow > 8)
    return null;
  const index = indexOf(a);
  return index && { start: index.start, end: index.end * 2 ** b.constantLow };
}
