// Merges stores of constants to adjacent bytes.
//
//   Store8(1, p); Store8(2, p, offset = 1)      becomes      Store16(0x0201, p)
//
// Assumes a valid program, in any form of Phi. The phase considers, within one block, stores to the
// heap with the same address value and the same class of memory. Between them no value reads or
// writes memory, calls or may exit. The stores have no byte in common, and together have 2, 4 or 8
// bytes. For 8 bytes there must be at least three stores, because a 64-bit constant may need an
// additional instruction. An address need not be aligned.
//
// The merged store replaces the last of the stores. Slots are excluded: each store to an anonymous
// slot makes all other bytes unwritten. One application is one merged store.

import {
  EFFECTS,
  Op,
  PARTIAL,
  READS_VARIABLE,
  WRITES_MEMORY,
  WRITES_VARIABLE,
} from "../../../src/ir/opcodes.js";
import {
  accessSize,
  type BasicBlock,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32, Int64, isInteger } from "../../../src/ir/types.js";
import { AliasAnalysis, HEAP } from "../analysis/alias.js";
import type { OptimizeContext } from "../edit/context.js";
import { resolve, sweep } from "../edit/sweep.js";

const NAME = "merge-stores";
/**
 * The maximum number of consecutive stores that are considered together, because each is compared
 * with each.
 */
const STORES_MAX = 32;
/** The sizes of a merged store in bytes, with the least number of stores that it must replace. */
const FORMS = [
  { size: 8, storesMin: 3, opcode: Op.Store, type: Int64 },
  { size: 4, storesMin: 2, opcode: Op.Store, type: Int32 },
  { size: 2, storesMin: 2, opcode: Op.Store16, type: Int32 },
] as const;
type StoreForm = (typeof FORMS)[number];

export function mergeStores(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  const before = context.applications;
  let aliases: AliasAnalysis | null = null;
  for (const block of order) {
    for (const row of rowsIn(block)) {
      aliases ??= new AliasAnalysis(proc, { order }, context);
      if (aliases.space[row[0].id] === HEAP) mergeIn(proc, block, row, context);
    }
  }
  if (context.applications === before) return false;
  sweep(proc);
  return true;
}

/**
 * Returns groups of at least two stores whose order is not observable, with one address and one
 * class.
 */
function rowsIn({ values }: BasicBlock): Value[][] {
  const rows: Value[][] = [];
  let row: Value[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value.isConstant || (EFFECTS[value.opcode] & ~OF_NO_MEMORY) === 0) continue;
    const isNext = isCandidate(value);
    if (!isNext || !row.every((store) => areSeparate(store, value)) || row.length === STORES_MAX) {
      if (row.length > 1) rows.push(row);
      row = [];
    }
    if (isNext) row.push(value);
  }
  // The last group is complete, because the control value of the block ended it.
  return rows;
}

const OF_NO_MEMORY = PARTIAL | READS_VARIABLE | WRITES_VARIABLE;

function isCandidate({ opcode, a }: Value): boolean {
  if ((EFFECTS[opcode] & WRITES_MEMORY) === 0 || a === null) return false;
  const stored = resolve(a);
  return stored.isConstant && isInteger(stored.type);
}

/** True if two stores have one address value and one class, and no byte in common. */
function areSeparate(x: Value, y: Value): boolean {
  if (resolve(x.address) !== resolve(y.address) || x.memoryClass !== y.memoryClass) return false;
  return x.offset + accessSize(x) <= y.offset || y.offset + accessSize(y) <= x.offset;
}

function mergeIn(
  proc: Procedure,
  block: BasicBlock,
  row: readonly Value[],
  context: OptimizeContext,
): void {
  const upward = row.toSorted((x, y) => x.offset - y.offset);
  for (let at = 0; at < upward.length; ) {
    const found = formAt(upward, at);
    if (found === null) {
      at++;
      continue;
    }
    const stores = upward.slice(at, found.end);
    if (!context.claim(NAME, stores[0])) return;
    const last = row.findLast((store) => stores.includes(store)) ?? stores[0];
    merge(proc, block, stores, last, found.form);
    at = found.end;
  }
}

/** Returns the widest form for the stores from that position on, and the end of these stores. */
function formAt(upward: readonly Value[], at: number): { form: StoreForm; end: number } | null {
  for (const form of FORMS) {
    let end = at;
    let size = 0;
    while (
      end < upward.length &&
      size < form.size &&
      upward[end].offset === upward[at].offset + size
    ) {
      size += accessSize(upward[end++]);
    }
    if (size === form.size && end - at >= form.storesMin) return { form, end };
  }
  return null;
}

function merge(
  proc: Procedure,
  block: BasicBlock,
  stores: readonly Value[],
  last: Value,
  { opcode, type }: StoreForm,
): void {
  const bytes = stores.flatMap(bytesOf);
  const constant = proc.newConstant(type, wordOf(bytes, 0), wordOf(bytes, 4));
  constant.block = block;
  block.values.splice(block.values.indexOf(last), 0, constant);
  const offset = stores[0].offset;
  for (const store of stores) if (store !== last) store.becomesNop();
  last.opcode = opcode;
  last.a = constant;
  last.offset = offset;
}

/** Returns the bytes that the store writes, in the order of the heap. */
function bytesOf(store: Value): number[] {
  const { constantLow: lo, constantHigh: hi } = store.a === null ? store : resolve(store.a);
  const bytes: number[] = [];
  for (let b = 0; b < accessSize(store); b++)
    bytes.push(((b < 4 ? lo : hi) >>> (8 * (b % 4))) & 0xff);
  return bytes;
}

function wordOf(bytes: readonly number[], at: number): number {
  let word = 0;
  for (let b = 0; b < 4; b++) word |= (bytes[at + b] ?? 0) << (8 * b);
  return word;
}
