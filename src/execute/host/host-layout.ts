// What the harness and the child process that runs x86-64 code natively share: one piece of memory,
// and where each sees its parts.

import { assert } from "../../support/assert.js";
import {
  CODE_SIZE_MAX,
  HEAP_SIZE_MAX,
  LAYOUT,
  PAGE_SIZE,
  REGISTERS,
  STACK_SIZE,
} from "../machine/guest.js";

export interface Segment {
  /** In the shared memory, in bytes. */
  readonly offset: number;
  readonly size: number;
  /** Where the guest sees it; null: the guest does not get its address. */
  readonly address: number | null;
}

/** What compiled code calls and jumps to: two pages, where every child has them. */
export const GATES_ADDRESS = LAYOUT.host;
export const GATES_SIZE = 2 * PAGE_SIZE;
/** Among them, a `ret` by which host functions end. */
export const RET_ADDRESS = GATES_ADDRESS + 32;

/**
 * What else the child needs beside the guest, by offset from an address that each child draws: the
 * code that enters and leaves the guest, the block, and a stack for signal handlers, because the
 * guest's may be what is wrong. Nothing is mapped between them.
 */
export const PRIVATE = {
  code: 0,
  codeSize: PAGE_SIZE,
  block: 2 * PAGE_SIZE,
  signalStack: 4 * PAGE_SIZE,
  signalStackSize: 16 * PAGE_SIZE,
  size: 20 * PAGE_SIZE,
} as const;
/** It is drawn from here on, and near enough for a `rel32` from the gates. */
export const PRIVATE_FIRST = LAYOUT.host + (64 << 20);
export const PRIVATE_CHOICES = 1 << 17;

const SIZES = [
  ["mailbox", PAGE_SIZE, null],
  ["block", PAGE_SIZE, null],
  ["events", 1 << 20, null],
  ["runs", 4 << 20, null],
  ["code", CODE_SIZE_MAX, LAYOUT.code],
  ["stack", STACK_SIZE, LAYOUT.stack],
  ["heap", HEAP_SIZE_MAX, LAYOUT.heap],
] as const;
type SegmentName = (typeof SIZES)[number][0];

function segment(wanted: SegmentName): Segment {
  let offset = 0;
  for (const [name, size, address] of SIZES) {
    if (name === wanted) return { offset, size, address };
    offset += size;
  }
  return { offset, size: 0, address: null };
}

export const SEGMENTS: { readonly [S in SegmentName]: Segment } = {
  mailbox: segment("mailbox"),
  block: segment("block"),
  events: segment("events"),
  runs: segment("runs"),
  code: segment("code"),
  stack: segment("stack"),
  heap: segment("heap"),
};
export const SHARED_SIZE = SIZES.reduce((sum, [, size]) => sum + size, 0);

/**
 * The block, by offset in bytes. The registers, in the words of REGISTERS, are what the guest gets
 * and what it has left; `pc` is where it is entered. The rest belongs to the code at the gates.
 */
export const BLOCK = {
  registers: 0,
  /** rip, cs, rflags, rsp, ss: what `iretq` takes. */
  frame: 448,
  /** The stack pointer and MXCSR of the caller of `enter`. */
  callerStack: 496,
  callerControl: 504,
  /** One of LEFT. */
  left: 512,
  /** The index of the host function that was called. */
  hostCall: 516,
  /** What a signal handler has seen; the signal is 0 if there was none. */
  signal: 520,
  faultAddress: 528,
  faultPc: 536,
  faultError: 544,
  faultTrap: 552,
  /** A few words of stack for the code at the gates. */
  scratchStackEnd: 1024,
} as const;

assert(4 * REGISTERS.x64.wordCount <= BLOCK.frame, () => "the registers overlap the frame");

/** How the guest was left. */
export const LEFT = { nowhere: 0, byReturn: 1, byExit: 2, byHostCall: 3 } as const;

/** The mailbox, by index of 32-bit words. */
export const MAIL = {
  /** Request: 1 to continue after events were taken away, else 0. */
  goOn: 0,
  poison: 1,
  heapSize: 2,
  /** CPU time that this run may take. */
  milliseconds: 3,
  /** Asked: where in the image it is entered, in bytes. */
  entry: 7,
  /** On which logical processor the asking side runs. */
  processor: 6,
  /** Answered: one of LEFT; by host call, if there is no room for more events. */
  left: 4,
  /** Words in the events segment: per event the index of the function, two words an argument. */
  eventWords: 5,
  /** Answered at the start, before any guest has run: its process, and 1 if it has a capability. */
  pid: 8,
  isPrivileged: 9,
  /** Asked: so many runs, of the records in `runs` (host-runs.ts); 0: one, of what is in place. */
  runs: 10,
  /** Asked, with runs: where the part of the stack begins that a record has, in bytes. */
  stackBegin: 11,
  /** Answered, with runs: so many records hold what their run has left. */
  runsDone: 12,
  /** Asked, and answered without runs: what host functions keep, a word for each of four places. */
  kept: 16,
} as const;

/** File descriptors of the child: it reads a byte a request, answers with a byte; two are closed. */
export const CHILD_FD = { request: 3, answer: 4, memory: 5, launcher: 6 } as const;

/** Answers; any other first byte begins the text of an error. */
export const ANSWER_DONE = 1;

/** Linux signals on x86-64, as far as they are told apart. */
export const SIGNAL = {
  illegal: 4,
  trap: 5,
  bus: 7,
  arithmetic: 8,
  segmentation: 11,
  cpuTimer: 26,
  systemCall: 31,
} as const;
