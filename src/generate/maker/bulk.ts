// Emits copies and fills of bytes of the heap. Their lengths are constants around the limit up to
// which a compiler unrolls them, or masked values. Source and target of a copy are often near each
// other, so that bytes overlap.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, sizeOf, Void } from "../../ir/types.js";
import { pickSpecial } from "./conditions.js";
import type { HeapAddress, ProcedureMaker } from "./maker.js";
import { pickAddress, placeIn } from "./memory.js";

/** Lengths: those of accesses and their neighbours, and lengths beyond the limit of unrolling. */
const LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 8, 9, 12, 13, 15, 16, 16, 17, 24, 31, 32, 33, 40, 65];
const MASKS = [1, 3, 7, 15, 15, 31, 63];
/** The greatest variation of the addresses of `pickAddress`. */
const INDEX_MAX = 15;
/** In code that runs more often, lengths are constants: loops over bytes cost fuel. */
const ITERATIONS_MAX = 64;

/** Emits the operation; a sum if the procedure has no heap. */
export function emitBulk(maker: ProcedureMaker, opcode: Opcode): void {
  const { heapBase } = maker;
  if (heapBase === null) {
    maker.emit(Op.Add, Int32, maker.pickValue(Int32), maker.constant(Int32));
    return;
  }
  const { windows } = maker.context.layout;
  const room = Math.min(...windows.map(({ length }) => length)) - INDEX_MAX;
  const isKnown = maker.chance(65) || maker.iterations > ITERATIONS_MAX;
  const lengths = (isKnown ? LENGTHS : MASKS).filter((length) => length <= room);
  const size = lengths[maker.below(lengths.length)];
  const target = pickAddress(maker, heapBase);
  const source = maker.chance(60) ? target : pickAddress(maker, heapBase);
  const to = placed(maker, target, size);
  const from = opcode === Op.CopyBytes ? placed(maker, source, size) : null;
  const byte =
    from !== null ? null : maker.chance(50) ? maker.pick(Int32) : pickSpecial(maker, Int32);
  const length = isKnown ? maker.integer(Int64, size) : masked(maker, size);
  const isSeen = size > 0 && maker.chance(40);
  const at = isSeen ? maker.below(size) : 0;
  const seen = from !== null && maker.chance(30) ? from : to;
  if (isSeen) accessBytes(maker, seen, at, size, maker.chance(50));
  maker.append(opcode, Void, byte ?? to, from ?? to, length);
  if (isSeen) accessBytes(maker, maker.chance(80) ? seen : to, at, size, maker.chance(20));
}

/**
 * Loads or stores some of the bytes, so that a fact about them from before the operation would be
 * wrong after it.
 */
function accessBytes(
  maker: ProcedureMaker,
  address: Value,
  at: number,
  size: number,
  writes: boolean,
): void {
  const types = maker.swarm.types.filter((type) => at + sizeOf(type) <= size);
  const isByte = types.length === 0 || maker.chance(25);
  const type = isByte ? Int32 : types[maker.below(types.length)];
  if (writes) {
    const value = maker.closed(maker.pick(type));
    maker.append(isByte ? Op.Store8 : Op.Store, Void, value, address).offset = at;
  } else {
    maker.emit(isByte ? Op.Load8Z : Op.Load, type, address).offset = at;
  }
}

/** Returns the address, moved so that this many bytes are in a window. */
function placed(maker: ProcedureMaker, address: HeapAddress, size: number): Value {
  const { value, low, high } = address;
  const offset = placeIn(maker, address, size);
  if (offset === 0) return value;
  const moved = maker.append(Op.Add, Int64, value, maker.integer(Int64, offset));
  maker.addresses.push({ value: moved, low: low + offset, high: high + offset });
  return moved;
}

function masked(maker: ProcedureMaker, mask: number): Value {
  const bits = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, mask));
  return maker.append(Op.ZExt32, Int64, bits);
}
