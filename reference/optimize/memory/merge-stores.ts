// Stores of constants to bytes beside each other become one store.
//
//   Store8(1, p); Store8(2, p, offset = 1)      becomes      Store16(0x0201, p)
//
// Assumes a valid program, in any form of Phi. Looks within one block, at stores to the heap that name their address by
// the same value and state the same class of memory, with nothing between them that reads or writes memory, calls or
// may leave. They have no byte in common, and together are 2, 4 or 8 bytes; where 8, they are three at least, since a
// number of 64 bits may take an instruction more. An address need not be aligned.
//
// The one store stands where the last of them stood. A slot is left alone: in one that is not locked each store makes
// all other bytes unwritten. One application is one store that is made.

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
import { Aliases, HEAP } from "../analysis/alias.js";
import type { OptimizeContext } from "../edit/context.js";
import { resolve, sweep } from "../edit/sweep.js";

const NAME = "merge-stores";
/** Stores in a row that are looked at together, at most: each is compared with each. */
const STORES_MAX = 32;
/** Bytes of the one store, with the number of stores that it is worth. */
const FORMS = [
  { size: 8, storesMin: 3, opcode: Op.Store, type: Int64 },
  { size: 4, storesMin: 2, opcode: Op.Store, type: Int32 },
  { size: 2, storesMin: 2, opcode: Op.Store16, type: Int32 },
] as const;
type Form = (typeof FORMS)[number];

export function mergeStores(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  const before = context.applications;
  let aliases: Aliases | null = null;
  for (const block of order) {
    for (const row of rowsIn(block)) {
      aliases ??= new Aliases(proc, { order }, context);
      if (aliases.space[row[0].id] === HEAP) mergeIn(proc, block, row, context);
    }
  }
  if (context.applications === before) return false;
  sweep(proc);
  return true;
}

/** Two stores and more of which nothing tells the order, at one address and of one class. */
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
  // A block ends in a value that is no store.
  return rows;
}

const OF_NO_MEMORY = PARTIAL | READS_VARIABLE | WRITES_VARIABLE;

function isCandidate({ opcode, a }: Value): boolean {
  if ((EFFECTS[opcode] & WRITES_MEMORY) === 0 || a === null) return false;
  const stored = resolve(a);
  return stored.isConstant && isInteger(stored.type);
}

/** At one address, of one class, and without a byte in common. */
function areSeparate(x: Value, y: Value): boolean {
  if (resolve(x.address) !== resolve(y.address) || x.accessClass !== y.accessClass) return false;
  return x.lo + accessSize(x) <= y.lo || y.lo + accessSize(y) <= x.lo;
}

function mergeIn(
  proc: Procedure,
  block: BasicBlock,
  row: readonly Value[],
  context: OptimizeContext,
): void {
  const upward = row.toSorted((x, y) => x.lo - y.lo);
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

/** The widest form of the stores from that place on, and where they end. */
function formAt(upward: readonly Value[], at: number): { form: Form; end: number } | null {
  for (const form of FORMS) {
    let end = at;
    let size = 0;
    while (end < upward.length && size < form.size && upward[end].lo === upward[at].lo + size) {
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
  { opcode, type }: Form,
): void {
  const bytes = stores.flatMap(bytesOf);
  const constant = proc.newConstant(type, wordOf(bytes, 0), wordOf(bytes, 4));
  constant.block = block;
  block.values.splice(block.values.indexOf(last), 0, constant);
  const offset = stores[0].lo;
  for (const store of stores) if (store !== last) store.becomesNop();
  last.opcode = opcode;
  last.a = constant;
  last.lo = offset;
}

/** What the store writes, in the order of the heap. */
function bytesOf(store: Value): number[] {
  const { lo, hi } = store.a === null ? store : resolve(store.a);
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
