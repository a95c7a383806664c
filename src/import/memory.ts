// Writes accesses to the linear memory, with bounds checks.

import { Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64 } from "../ir/types.js";
import type { ProcedureEmitter } from "./emitter.js";
import { type InstanceLayout, PAGE } from "./layout.js";
import type { MemoryAccess } from "./memory-accesses.js";
import type { TrapKind } from "./traps.js";

export interface MemoryAddress {
  readonly emitter: ProcedureEmitter;
  readonly heap: Value;
  readonly layout: InstanceLayout;
  /** An Int32. */
  readonly pointer: Value;
  /** Unsigned, less than 2^32. */
  readonly offset: number;
}

/** Returns the current size in bytes of the memory in the heap, as an Int64. */
export function memoryBytes(emitter: ProcedureEmitter, heap: Value, layout: InstanceLayout): Value {
  if (!layout.grows) return emitter.long(layout.pages * PAGE);
  return emitter.load(Op.Load, Int64, heap, layout.memorySize);
}

export function loadFrom(
  address: MemoryAddress,
  { opcode, type, bytes, convert }: MemoryAccess,
): Value {
  const { emitter } = address;
  const { at, offset } = checked(address, bytes);
  const loaded = emitter.load(opcode, type, at, offset);
  return convert === null ? loaded : emitter.emit(convert.opcode, convert.to, loaded);
}

export function storeTo(address: MemoryAddress, value: Value, access: MemoryAccess): void {
  const { emitter } = address;
  const { opcode, bytes, convert } = access;
  const { at, offset } = checked(address, bytes);
  const stored = convert === null ? value : emitter.emit(convert.opcode, convert.to, value);
  emitter.store(opcode, stored, at, offset);
}

/** Returns the trap of an access after the pages that the heap contains. */
export const memoryTrap = ({ missingPages }: InstanceLayout): TrapKind =>
  missingPages === 0 ? "out of bounds memory access" : "not imported";

/** Traps unless all bytes are in bounds, and returns their address and offset. */
function checked(
  { emitter, heap, layout, pointer, offset }: MemoryAddress,
  bytes: number,
): { readonly at: Value; readonly offset: number } {
  const wide = emitter.emit(Op.ZExt32, Int64, pointer);
  if (layout.grows) {
    const end = emitter.emit(Op.Add, Int64, wide, emitter.long(offset + bytes));
    const size = memoryBytes(emitter, heap, layout);
    emitter.trapIf(emitter.emit(Op.Above, Int32, end, size), memoryTrap(layout));
  } else {
    // The last pointer for which the bytes are in bounds; negative if there is none.
    const last = layout.pages * PAGE - offset - bytes;
    const condition =
      last < 0 ? emitter.int(1) : emitter.emit(Op.Above, Int32, pointer, emitter.int(last));
    emitter.trapIf(condition, memoryTrap(layout));
  }
  const at = emitter.emit(Op.Add, Int64, heap, wide);
  const total = layout.memory + offset;
  if (total < 2 ** 31) return { at, offset: total };
  return { at: emitter.emit(Op.Add, Int64, at, emitter.long(total)), offset: 0 };
}
