// Where an exported module has what in its memory. A driver finds it by the globals that the module
// exports under the same names, so it needs to know no more than these.

import type { Module } from "../../ir/procedure.js";

/** Bytes of stack slots that live activations have at most (the oracle's bound), and a margin. */
const STACK_SIZE = (1 << 20) + 64 * 16;
export const PAGE = 0x1_0000;

/** See ../status.ts. */
export const STATUS = 0;
/** Where the next record goes, and where there is no room any more: addresses, set by the driver. */
export const RECORD_NEXT = 4;
export const RECORD_LIMIT = 8;
/** How many bytes of records were shown: an offset. */
export const SHOWN = 12;
/** What host functions keep of stack slots: four addresses; and eight bytes to write where nothing is kept. */
export const KEPT = 16;
export const KEPT_NOWHERE = 32;
/** Whether the last return asks. */
export const ANSWERED = 40;
/** Further results of a procedure, eight bytes each; see ../further-results.ts. */
export const FURTHER = 48;
/** The arguments of the entry, eight bytes each. */
const ARGUMENTS = 64;

export interface Layout {
  readonly arguments: number;
  /** Above the stack of slots, which grows down to the arguments. */
  readonly stackTop: number;
  readonly heap: number;
  readonly heapSize: number;
  /** Where records begin; they may go on to the end of the memory, which may grow. */
  readonly records: number;
  /** Pages that the module asks for. */
  readonly pages: number;
}

export function layoutOf(module: Module): Layout {
  const argumentsEnd = ARGUMENTS + 8 * module.entry.parameters.length;
  const hasSlots = module.procedures.some(({ slots }) => slots.length > 0);
  const stackTop = alignUp(argumentsEnd + (hasSlots ? STACK_SIZE : 0), 16);
  const heap = alignUp(stackTop, 4096);
  const records = heap + module.heapSize;
  const pages = alignUp(records + PAGE, PAGE) / PAGE;
  return { arguments: ARGUMENTS, stackTop, heap, heapSize: module.heapSize, records, pages };
}

const alignUp = (value: number, to: number): number => Math.ceil(value / to) * to;
