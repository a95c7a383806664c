// Defines the memory that the harness shares with the child process that runs x86-64 code natively,
// and the addresses of its parts.

import { assert } from "../../support/assert.js";
import {
  CODE_SIZE_MAX,
  HEAP_SIZE_MAX,
  LAYOUT,
  PAGE_SIZE,
  REGISTERS,
  STACK_SIZE,
} from "../machine/guest.js";

export interface MemorySegment {
  /** The offset in the shared memory, in bytes. */
  readonly offset: number;
  readonly size: number;
}

/**
 * The addresses that compiled code calls and jumps to: two pages, at the same address in every
 * child.
 */
export const GATES_ADDRESS = LAYOUT.host;
export const GATES_SIZE = 2 * PAGE_SIZE;
/** A `ret` among the gates, by which host functions end. */
export const RET_ADDRESS = GATES_ADDRESS + 32;

/** The size of the child's program: code, steps of its start, a filter. */
export const PROGRAM_SIZE = 4 * PAGE_SIZE;
/** The stack of signal handlers, because the guest's stack may be invalid. */
export const SIGNAL_STACK_SIZE = 16 * PAGE_SIZE;
/**
 * The first of the private addresses, which each child draws. All are in reach of a `rel32` from
 * the gates.
 */
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

function segment(name: SegmentName): MemorySegment {
  const sizes = Object.values(SIZES).slice(0, Object.keys(SIZES).indexOf(name));
  return { offset: sizes.reduce((sum, size) => sum + size, 0), size: SIZES[name] };
}

/** In order, without gaps. */
export const SEGMENTS: { readonly [S in SegmentName]: MemorySegment } = {
  mailbox: segment("mailbox"),
  block: segment("block"),
  steps: segment("steps"),
  runs: segment("runs"),
  code: segment("code"),
  stack: segment("stack"),
  heap: segment("heap"),
};
export const SHARED_SIZE = SEGMENTS.heap.offset + SEGMENTS.heap.size;

/** The addresses that a child keeps from the guest. Unmapped memory separates them. */
export interface PrivateAddresses {
  readonly program: number;
  readonly mailbox: number;
  readonly block: number;
  readonly signalStack: number;
  readonly steps: number;
  readonly runs: number;
}

/** @param first address of the program, which each child draws */
export function privatePlaces(first: number): PrivateAddresses {
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
 * Offsets of fields in the block, in bytes. The guest gets the registers, in the words of
 * REGISTERS, when it is entered, and leaves them there; `pc` is its entry. The other fields belong
 * to the code at the gates.
 */
export const BLOCK = {
  registers: 0,
  /** The operands of `iretq`: rip, cs, rflags, rsp, ss. */
  frame: 448,
  /** The address of the step that has entered the guest. */
  step: 496,
  /** One of LEFT. */
  left: 512,
  /** The index of the host function that was called. */
  hostCall: 516,
  /** The record of a signal handler; the signal is 0 if there was none. */
  signal: 520,
  faultAddress: 528,
  faultPc: 536,
  faultError: 544,
  faultTrap: 552,
  /** A few words of stack for the code at the gates. */
  scratchStackEnd: 1024,
} as const;

assert(4 * REGISTERS.x64.wordCount <= BLOCK.frame, () => "the registers overlap the frame");

/** The ways of leaving the guest. */
export const LEFT = { nowhere: 0, byReturn: 1, byExit: 2, byHostCall: 3 } as const;

/** Indexes in the mailbox, in 32-bit words; only the child writes to it. */
export const MAIL = {
  /** The number of the child's process outside of its namespaces. */
  pid: 0,
  /** The kernel's error for a failed step, and the lower half of the step's address. */
  error: 1,
  failed: 2,
} as const;

/**
 * File descriptors of the child. It reads one byte for each request, and answers with one byte; the
 * last two are closed.
 */
export const CHILD_FD = { request: 3, answer: 4, memory: 5, program: 6 } as const;

/** The signals of Linux on x86-64 that the harness distinguishes. */
export const SIGNAL = {
  illegal: 4,
  trap: 5,
  bus: 7,
  arithmetic: 8,
  segmentation: 11,
  cpuTimer: 26,
  systemCall: 31,
} as const;
