// Builds the seccomp filter: the system calls that the native child may make while it serves.
// One instruction, that of steps, makes all of them. They read a request, write an answer, end the
// process, and set the time and the heap of a run. None of them names a file, a process or an
// address outside of the child. A guest may find that instruction, whose address each child draws.
// It can then make these calls with arguments of its own, and no other. Any other request to the
// kernel, from any instruction, is a signal: it ends the child and becomes a fault.

import { LAYOUT } from "../machine/guest.js";
import type { HostCode } from "./host-code.js";
import { CHILD_FD } from "./host-layout.js";
import { PROTECTION, TIMER, WRITABLE } from "./host-libc.js";
import { CALL } from "./system-calls.js";

/**
 * Offsets in struct seccomp_data of the call, its address and its arguments (Linux,
 * linux/seccomp.h), in bytes.
 */
const NUMBER = 0;
const ARCHITECTURE = 4;
const PLACE = 8;
const argument = (index: number): number => 16 + 8 * index;
const UPPER_HALF = 4;
const upperHalf = (address: number): number => Math.floor(address / 2 ** 32);

const AUDIT_ARCH_X86_64 = 0xc000_003e;
const TRAP = 0x0003_0000;
const ALLOW = 0x7fff_0000;
/** Codes of classic BPF: load a word, compare it, return. */
const [LOAD, JUMP_IF_EQUAL, RETURN] = [0x20, 0x15, 0x06];

interface ArgumentCheck {
  /** An offset in struct seccomp_data. */
  readonly word: number;
  readonly oneOf: readonly number[];
}

interface FilterRule {
  readonly number: number;
  readonly checks: readonly ArgumentCheck[];
}

/** Code is never allowed. */
const PROTECTIONS = [PROTECTION.none, WRITABLE];

/** In the order of frequency. */
// biome-ignore format: a table
const RULES: readonly FilterRule[] = [
  { number: CALL.read,       checks: [{ word: argument(0), oneOf: [CHILD_FD.request] }] },
  { number: CALL.write,      checks: [{ word: argument(0), oneOf: [CHILD_FD.answer] }] },
  { number: CALL.setitimer,  checks: [{ word: argument(0), oneOf: [TIMER.cpu] }] }, // the limit of a run
  { number: CALL.mprotect,   checks: [{ word: argument(0) + UPPER_HALF, oneOf: [upperHalf(LAYOUT.heap)] },
                                      { word: argument(2), oneOf: PROTECTIONS }] }, // the size of the heap
  { number: CALL.exit_group, checks: [] },
];

/** Code, jump if true, jump if false, constant. */
type BpfInstruction = readonly [
  code: number,
  whenTrue: number,
  whenFalse: number,
  constant: number,
];

/**
 * Returns the filter in the kernel's form: an array of struct sock_filter. `afterCall` and
 * `afterExit` must have one upper half.
 */
export function systemCallFilter({ afterCall, afterExit }: HostCode): Uint32Array {
  const program: readonly BpfInstruction[] = [
    // The numbers have another meaning for `int 0x80`.
    ...trapUnless({ word: ARCHITECTURE, oneOf: [AUDIT_ARCH_X86_64] }),
    ...trapUnless({ word: PLACE + UPPER_HALF, oneOf: [upperHalf(afterCall)] }),
    ...trapUnless({ word: PLACE, oneOf: [afterCall % 2 ** 32, afterExit % 2 ** 32] }),
    [LOAD, 0, 0, NUMBER], // a number of the x32 ABI has bit 30 set, and equals none below
    ...RULES.flatMap(instructionsFor),
    [RETURN, 0, 0, TRAP],
  ];
  return new Uint32Array(
    program.flatMap(([code, whenTrue, whenFalse, constant]) => [
      code | (whenTrue << 16) | (whenFalse << 24),
      constant,
    ]),
  );
}

function trapUnless({ word, oneOf }: ArgumentCheck): readonly BpfInstruction[] {
  const count = oneOf.length;
  return [
    [LOAD, 0, 0, word],
    ...oneOf.map((value, i): BpfInstruction => [JUMP_IF_EQUAL, count - i, 0, value]),
    [RETURN, 0, 0, TRAP],
  ];
}

/** Falls through, with the number still loaded, if the number is another one. */
function instructionsFor({ number, checks }: FilterRule): readonly BpfInstruction[] {
  const body: readonly BpfInstruction[] = [...checks.flatMap(trapUnless), [RETURN, 0, 0, ALLOW]];
  return [[JUMP_IF_EQUAL, 0, body.length, number], ...body];
}
