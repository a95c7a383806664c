// Lays out the memory of an exported module. The module exports the addresses that a driver needs
// as globals of the same names.

import type { Module } from "../../ir/procedure.js";

/** The greatest total size of live stack slots, which the oracle limits too, plus a margin. */
const STACK_SIZE = (1 << 20) + 64 * 16;
export const PAGE = 0x1_0000;

/** See ../status.ts. */
export const STATUS = 0;
/** The address of the next record and the end of the space for records, which the driver sets. */
export const RECORD_NEXT = 4;
export const RECORD_LIMIT = 8;
/** The offset of the record bytes that were shown. */
export const SHOWN = 12;
/** Four kept addresses of stack slots; and eight bytes for writes while no address is kept. */
export const KEPT = 16;
export const KEPT_NOWHERE = 32;
/** The deoptimization flag of the last return. */
export const DEOPT_FLAG = 40;
/** Further results of a procedure, eight bytes each; see ../further-results.ts. */
export const FURTHER = 48;
/** The arguments of the entry, eight bytes each. */
const ARGUMENTS = 64;

export interface MemoryLayout {
  readonly arguments: number;
  /** The address above the stack of slots, which grows down to the arguments. */
  readonly stackTop: number;
  readonly heap: number;
  readonly heapSize: number;
  /** The start of the records, which extend to the end of the memory. The memory may grow. */
  readonly records: number;
  /** The initial pages of the memory. */
  readonly pages: number;
}

export function layoutOf(module: Module): MemoryLayout {
  const argumentsEnd = ARGUMENTS + 8 * module.entry.parameters.length;
  const hasSlots = module.procedures.some(({ slots }) => slots.length > 0);
  const stackTop = alignUp(argumentsEnd + (hasSlots ? STACK_SIZE : 0), 16);
  const heap = alignUp(stackTop, 4096);
  const records = heap + module.heapSize;
  const pages = alignUp(records + PAGE, PAGE) / PAGE;
  return { arguments: ARGUMENTS, stackTop, heap, heapSize: module.heapSize, records, pages };
}

const alignUp = (value: number, to: number): number => Math.ceil(value / to) * to;
