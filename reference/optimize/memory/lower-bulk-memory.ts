// Lowers CopyBytes and FillBytes to loads and stores, because no target has an instruction for
// them.
//
// For a small constant length the accesses are unrolled: a copy loads everything before it stores
// anything, so the ranges may overlap. Otherwise:
//
//   FillBytes(x, to, n)     ->  words up to n & -8, then single bytes
//   CopyBytes(to, from, n)  ->  the same if unsigned to - from is at least n: no byte is written before it is
//                               read, because loads are always above earlier stores;
//                               else single bytes from the last to the first
//
// So each loop has one direction, and no case needs a separate block:
//
//   @block:  the values before the operation; start, end and step of the single bytes
//   words:   i = Phi(0, i + 8)          Branch(i below the words, @body, @bytes)
//   bytes:   j = Phi(start, j + step)   Branch(j != end, @body, @rest)
//   rest:    the values after the operation, and its successors
//
// Assumes a valid program, in any form of Phi. Required, because lowering has no rows for bulk
// operations. It terminates because none is left.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  gatherExtracts,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../../src/ir/types.js";
import { assert } from "../../../src/support/assert.js";
import type { OptimizeContext } from "../edit/context.js";
import { resolve, sweep } from "../edit/sweep.js";

/** The maximum constant length, in bytes, that is unrolled. */
const COPIED_MAX = 32;
const FILLED_MAX = 64;
/** The assumed ratio of the frequency of a loop body to that of its block. */
const ITERATIONS = 4;

export function lowerBulkMemory(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  const expansion = new BulkMemoryExpander(proc);
  let changed = false;
  let splits = false;
  for (let b = 0; b < order.length; b++) {
    if (!order[b].values.some(isBulk)) continue;
    if (expansion.expand(order[b])) splits = true;
    changed = true;
  }
  if (splits) {
    proc.computePredecessors();
    context.blocksChanged();
  }
  if (changed) sweep(proc);
  return changed;
}

const isBulk = ({ opcode }: Value): boolean => opcode === Op.CopyBytes || opcode === Op.FillBytes;

class BulkMemoryExpander {
  private readonly proc: Procedure;
  /** The block to which the expansion appends values. */
  private block: BasicBlock;
  private frequency = 1;

  constructor(proc: Procedure) {
    this.proc = proc;
    this.block = proc.blocks[0];
  }

  /** Returns true if the block was split: its last values are in a new block. */
  expand(block: BasicBlock): boolean {
    gatherExtracts(block);
    const { values, successors } = block;
    this.block = block;
    this.frequency = block.frequency;
    block.values = [];
    for (let i = 0; i < values.length; i++) {
      if (isBulk(values[i])) this.expandOperation(values[i]);
      else this.append(values[i]);
    }
    if (this.block === block) return false;
    this.block.successors = successors;
    return true;
  }

  private expandOperation(operation: Value): void {
    const { opcode, a, b, c } = operation;
    assert(a !== null && b !== null && c !== null, () => `@${operation.id} lacks an operand`);
    const length = resolve(c);
    const isFill = opcode === Op.FillBytes;
    const isShort =
      length.isConstant &&
      length.constantHigh === 0 &&
      length.constantLow >>> 0 <= (isFill ? FILLED_MAX : COPIED_MAX);
    if (isShort) {
      if (isFill) this.fillShort(a, b, length.constantLow);
      else this.copyShort(a, b, length.constantLow);
    } else if (isFill) this.fill(a, b, length);
    else this.copy(a, b, length);
  }

  private fillShort(byte: Value, to: Value, length: number): void {
    const word = this.repeated(byte);
    const half = this.make(Op.Trunc, Int32, word);
    for (const { at, size } of pieces(length)) this.store(size === 8 ? word : half, to, at, size);
  }

  private copyShort(to: Value, from: Value, length: number): void {
    const loaded = pieces(length).map(({ at, size }) => this.load(from, at, size));
    pieces(length).forEach(({ at, size }, p) => {
      this.store(loaded[p], to, at, size);
    });
  }

  private fill(byte: Value, to: Value, length: Value): void {
    const word = this.repeated(byte);
    const words = this.make(Op.BitAnd, Int64, length, this.long(-8));
    const [zero, one, eight] = [this.long(0), this.long(1), this.long(8)];
    this.loop(Op.Below, zero, words, eight, (i) => {
      this.store(word, this.make(Op.Add, Int64, to, i), 0, 8);
    });
    this.loop(Op.NotEqual, words, length, one, (j) => {
      this.store(byte, this.make(Op.Add, Int64, to, j), 0, 1);
    });
  }

  private copy(to: Value, from: Value, length: Value): void {
    const distance = this.make(Op.Sub, Int64, to, from);
    const isBackward = this.make(Op.Below, Int32, distance, length);
    const select = (x: Value, y: Value): Value => this.make(Op.Select, Int64, isBackward, x, y);
    const [zero, one, minusOne] = [this.long(0), this.long(1), this.long(-1)];
    const eight = this.long(8);
    const words = select(zero, this.make(Op.BitAnd, Int64, length, this.long(-8)));
    const start = select(this.make(Op.Sub, Int64, length, one), words);
    const end = select(minusOne, length);
    const step = select(minusOne, one);
    const move = (at: Value, size: number): void => {
      const loaded = this.load(this.make(Op.Add, Int64, from, at), 0, size);
      this.store(loaded, this.make(Op.Add, Int64, to, at), 0, size);
    };
    this.loop(Op.Below, zero, words, eight, (i) => move(i, 8));
    this.loop(Op.NotEqual, start, end, step, (j) => move(j, 1));
  }

  /**
   * Builds a loop in which a counter goes from `start` by `step` while the comparison with `end`
   * holds.
   */
  private loop(
    compare: Opcode,
    start: Value,
    end: Value,
    step: Value,
    iterate: (counter: Value) => void,
  ): void {
    const header = this.newBlock(this.frequency * (ITERATIONS + 1));
    const body = this.newBlock(this.frequency * ITERATIONS);
    const next = this.newBlock(this.frequency);
    const phi = this.proc.newValue(Op.Phi, Int64);
    this.jump(start, phi, header);
    this.block = header;
    this.append(phi);
    this.make(Op.Branch, Void, this.make(compare, Int32, phi, end));
    header.successors = [body, next];
    this.block = body;
    iterate(phi);
    this.jump(this.make(Op.Add, Int64, phi, step), phi, header);
    this.block = next;
  }

  private jump(value: Value, phi: Value, to: BasicBlock): void {
    this.make(Op.Upsilon, Void, value).extra = phi;
    this.make(Op.Jump, Void);
    this.block.successors = [to];
  }

  /** Returns an Int64 with the low byte in each of its bytes. */
  private repeated(byte: Value): Value {
    const known = resolve(byte);
    if (known.isConstant) {
      const word = Math.imul(known.constantLow & 0xff, 0x0101_0101);
      return this.append(this.proc.newConstant(Int64, word, word));
    }
    const low = this.make(
      Op.BitAnd,
      Int32,
      byte,
      this.append(this.proc.newConstant(Int32, 255, 0)),
    );
    const ones = this.append(this.proc.newConstant(Int64, 0x0101_0101, 0x0101_0101));
    return this.make(Op.Mul, Int64, this.make(Op.ZExt32, Int64, low), ones);
  }

  private load(from: Value, offset: number, size: number): Value {
    const type = size === 8 ? Int64 : Int32;
    const value = this.make(LOAD_OF[size], type, from);
    value.offset = offset;
    return value;
  }

  private store(value: Value, to: Value, offset: number, size: number): void {
    this.make(STORE_OF[size], Void, value, to).offset = offset;
  }

  private long(number: number): Value {
    return this.append(this.proc.newConstant(Int64, number, number >> 31));
  }

  private make(
    opcode: Opcode,
    type: Type,
    a: Value | null = null,
    b: Value | null = null,
    c: Value | null = null,
  ): Value {
    return this.append(this.proc.newValue(opcode, type, a, b, c));
  }

  private append(value: Value): Value {
    return this.block.append(value);
  }

  private newBlock(frequency: number): BasicBlock {
    const block = this.proc.newBlock();
    block.frequency = frequency;
    return block;
  }
}

const LOAD_OF: Readonly<Record<number, Opcode>> = {
  1: Op.Load8Z,
  2: Op.Load16Z,
  4: Op.Load,
  8: Op.Load,
};
const STORE_OF: Readonly<Record<number, Opcode>> = {
  1: Op.Store8,
  2: Op.Store16,
  4: Op.Store,
  8: Op.Store,
};

/** Returns the accesses of a length: consecutive, and as wide as possible. */
function pieces(length: number): { readonly at: number; readonly size: number }[] {
  const list = [];
  let at = 0;
  for (const size of [8, 4, 2, 1]) {
    for (; length - at >= size; at += size) list.push({ at, size });
  }
  return list;
}
