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
}

/** What compiled code calls and jumps to: two pages, where every child has them. */
export const GATES_ADDRESS = LAYOUT.host;
export const GATES_SIZE = 2 * PAGE_SIZE;
/** Among them, a `ret` by which host functions end. */
export const RET_ADDRESS = GATES_ADDRESS + 32;

/** For what the child does, and what it does it with: code, steps of its start, a filter. */
export const PROGRAM_SIZE = 4 * PAGE_SIZE;
/** Of signal handlers, because the guest's stack may be what is wrong. */
export const SIGNAL_STACK_SIZE = 16 * PAGE_SIZE;
/** Places are drawn from here on, and near enough for a `rel32` from the gates. */
export const PRIVATE_FIRST = LAYOUT.host + (64 << 20);
export const PRIVATE_CHOICES = 1 << 17;

const SIZES = {
  mailbox: PAGE_SIZE,
  block: PAGE_SIZE,
  steps: 1 << 20,
  runs: 4 << 20,
  code: CODE_SIZE_MAX,
  stack: STACK_SIZE,
  heap: HEAP_SIZE_MAX,
};
type SegmentName = keyof typeof SIZES;

function segment(name: SegmentName): Segment {
  const sizes = Object.values(SIZES).slice(0, Object.keys(SIZES).indexOf(name));
  return { offset: sizes.reduce((sum, size) => sum + size, 0), size: SIZES[name] };
}

/** One behind the other. */
export const SEGMENTS: { readonly [S in SegmentName]: Segment } = {
  mailbox: segment("mailbox"),
  block: segment("block"),
  steps: segment("steps"),
  runs: segment("runs"),
  code: segment("code"),
  stack: segment("stack"),
  heap: segment("heap"),
};
export const SHARED_SIZE = SEGMENTS.heap.offset + SEGMENTS.heap.size;

/** Where a child has what the guest is not told of. Between two of them nothing is mapped. */
export interface PrivatePlaces {
  readonly program: number;
  readonly mailbox: number;
  readonly block: number;
  readonly signalStack: number;
  readonly steps: number;
  readonly runs: number;
}

/** @param first where the program begins: an address that each child draws */
export function privatePlaces(first: number): PrivatePlaces {
  let next = first;
  const take = (size: number): number => {
    const place = next;
    next += size + PAGE_SIZE;
    return place;
  };
  return {
    program: take(PROGRAM_SIZE),
    mailbox: take(SEGMENTS.mailbox.size),
    block: take(SEGMENTS.block.size),
    signalStack: take(SIGNAL_STACK_SIZE),
    steps: take(SEGMENTS.steps.size),
    runs: take(SEGMENTS.runs.size),
  };
}

/**
 * The block, by offset in bytes. The registers, in the words of REGISTERS, are what the guest gets
 * and what it has left; `pc` is where it is entered. The rest belongs to the code at the gates.
 */
export const BLOCK = {
  registers: 0,
  /** rip, cs, rflags, rsp, ss: what `iretq` takes. */
  frame: 448,
  /** The step that has entered the guest, by address. */
  step: 496,
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

/** The mailbox, which only the child writes to, by index of 32-bit words. */
export const MAIL = {
  /** The child, as the harness numbers processes. */
  pid: 0,
  /** What the kernel has answered where a step failed, and the lower half of the step's address. */
  error: 1,
  failed: 2,
} as const;

/** File descriptors of the child: it reads a byte a request, and answers with a byte; two are closed. */
export const CHILD_FD = { request: 3, answer: 4, memory: 5, program: 6 } as const;

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
