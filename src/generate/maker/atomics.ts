// Emits atomic operations on locations in the windows, at multiples of their sizes. The location's
// contents are often known. A store precedes the operation, so that a comparison may succeed. A
// load of the same or adjacent bytes follows it.

import { OPERAND_COUNTS, Op, type Opcode, specOf } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, sizeOf, type Type, Void } from "../../ir/types.js";
import { pickSpecial } from "./conditions.js";
import type { ProcedureMaker } from "./maker.js";
import type { OpcodeInstance } from "./swarm.js";

/** Opcodes for one and two bytes, by the opcode for a whole value. */
const NARROWER: ReadonlyMap<Opcode, readonly Opcode[]> = new Map([
  [Op.AtomicXchg, [Op.AtomicXchg8, Op.AtomicXchg16]],
  [Op.AtomicXchgAdd, [Op.AtomicXchgAdd8, Op.AtomicXchgAdd16]],
  [Op.AtomicXchgSub, [Op.AtomicXchgSub8, Op.AtomicXchgSub16]],
  [Op.AtomicXchgAnd, [Op.AtomicXchgAnd8, Op.AtomicXchgAnd16]],
  [Op.AtomicXchgOr, [Op.AtomicXchgOr8, Op.AtomicXchgOr16]],
  [Op.AtomicXchgXor, [Op.AtomicXchgXor8, Op.AtomicXchgXor16]],
  [Op.AtomicStrongCAS, [Op.AtomicStrongCAS8, Op.AtomicStrongCAS16]],
  [Op.AtomicWeakCAS, [Op.AtomicWeakCAS8, Op.AtomicWeakCAS16]],
]);

/** Returns the opcode; for an Int32, often one for fewer bits. */
function drawWidth(maker: ProcedureMaker, { opcode, operands }: OpcodeInstance): Opcode {
  const narrower = NARROWER.get(opcode);
  if (narrower === undefined || operands[0] !== Int32 || maker.chance(60)) return opcode;
  return narrower[maker.below(narrower.length)];
}

/** Emits the operation; a sum if the procedure has no heap. */
export function emitAtomic(maker: ProcedureMaker, instance: OpcodeInstance): void {
  const { operands, result } = instance;
  const { heapBase } = maker;
  if (heapBase === null) {
    maker.emit(Op.Add, Int32, maker.pickValue(Int32), maker.constant(Int32));
    return;
  }
  const [type] = operands;
  const opcode = drawWidth(maker, instance);
  const size = specOf(opcode).bytes ?? sizeOf(type);
  const place = placeFor(maker, heapBase, size);
  const { address, offset } = place;
  const isCompared = operands.length === 3;
  const x = operandFor(maker, type);
  const store = size === 1 ? Op.Store8 : size === 2 ? Op.Store16 : Op.Store;
  if (maker.chance(isCompared ? 55 : 25)) {
    const stored = isCompared && maker.chance(75) ? x : maker.pick(type);
    maker.append(store, Void, stored, address).offset = offset;
  }
  const [b, c] = isCompared ? [operandFor(maker, type), address] : [address, null];
  maker.emit(opcode, result, x, b, c).offset = offset;
  if (maker.chance(50)) emitNarrow(maker, place, size);
  if (maker.chance(50)) loadAfter(maker, place, size);
}

/**
 * Returns an operand. Atomic rows are rare, so it is often one of the special values that each row
 * should receive.
 */
const operandFor = (maker: ProcedureMaker, type: Type): Value =>
  maker.chance(75) ? pickSpecial(maker, type) : maker.pick(type);

const ALL_NARROW: readonly Opcode[] = [...NARROWER.values()].flat();

/** Emits another operation on a part of the location that the first one wrote. */
function emitNarrow(
  maker: ProcedureMaker,
  { address, offset }: AtomicLocation,
  size: number,
): void {
  const opcodes = ALL_NARROW.filter((each) => (specOf(each).bytes ?? size) <= size);
  const opcode = opcodes[maker.below(opcodes.length)];
  const bytes = specOf(opcode).bytes ?? size;
  const isCompared = OPERAND_COUNTS[opcode] === 3;
  const x = operandFor(maker, Int32);
  const [b, c] = isCompared ? [operandFor(maker, Int32), address] : [address, null];
  maker.emit(opcode, Int32, x, b, c).offset = offset + bytes * maker.below(size / bytes);
}

interface AtomicLocation {
  readonly address: Value;
  readonly offset: number;
  /** The least number of bytes of the window before and after the location. */
  readonly before: number;
  readonly after: number;
}

function placeFor(maker: ProcedureMaker, heapBase: Value, size: number): AtomicLocation {
  const { windows } = maker.context.layout;
  const { start, length } = windows[maker.below(windows.length)];
  const end = start + length;
  const first = (start + size - 1) & -size;
  const count = Math.floor((end - first) / size);
  const at = first + size * maker.below(count);
  if (count >= PLACES && maker.chance(25)) {
    // One of several consecutive locations, selected by an index.
    const offset = Math.min(at, first + size * (count - PLACES));
    const mask = maker.integer(Int32, (PLACES - 1) * size);
    const index = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), mask);
    const wide = maker.append(Op.ZExt32, Int64, index);
    const address = maker.append(Op.Add, Int64, heapBase, wide);
    return { address, offset, before: offset - start, after: end - offset - PLACES * size };
  }
  const { value, low } = knownAddress(maker, heapBase);
  return { address: value, offset: at - low, before: at - start, after: end - at - size };
}
const PLACES = 4;

/** Returns an address that is a constant above the heap's start. */
function knownAddress(maker: ProcedureMaker, heapBase: Value): { value: Value; low: number } {
  const known = maker.addresses.filter(({ low, high }) => low === high);
  const last = known[known.length - 1];
  if (last !== undefined && maker.chance(50)) return last;
  if (maker.chance(65)) return { value: heapBase, low: 0 };
  const { windows } = maker.context.layout;
  const low = windows[maker.below(windows.length)].start + maker.below(24) - 8;
  const value = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, low));
  maker.addresses.push({ value, low, high: low });
  return { value, low };
}

const NARROW: readonly Opcode[] = [Op.Load8Z, Op.Load8S, Op.Load16Z, Op.Load16S];

/** Loads the location again, or as many bytes before or after it. */
function loadAfter(
  maker: ProcedureMaker,
  { address, offset, before, after: behind }: AtomicLocation,
  size: number,
): void {
  const beside = [0, 0, ...(before >= size ? [-size] : []), ...(behind >= size ? [size] : [])];
  const at = offset + beside[maker.below(beside.length)];
  const isWide = size === 8 && maker.swarm.hasType[Int64];
  if (size >= 4 && maker.chance(70)) {
    maker.emit(Op.Load, isWide ? Int64 : Int32, address).offset = at;
  } else maker.emit(NARROW[maker.below(size === 1 ? 2 : 4)], Int32, address).offset = at;
}
