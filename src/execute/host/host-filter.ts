// The system calls that the native child may make once it serves, as a seccomp filter.
//
// They come from one instruction, that of steps, and are few: to read a request, to answer, to end, and to set what a
// run may use, time and heap. None of them names a file, a process or an address outside. A guest that has found
// that instruction, whose address each child draws, can make these calls with arguments of its own, and no other.
// Whatever else the kernel is asked for, from wherever, is a signal: it ends the child and is seen as a fault.

import { LAYOUT } from "../machine/guest.js";
import type { HostCode } from "./host-code.js";
import { CHILD_FD } from "./host-layout.js";
import { PROTECTION, TIMER, WRITABLE } from "./host-libc.js";
import { CALL } from "./system-calls.js";

/** Where struct seccomp_data holds the call, its place and its arguments (Linux, linux/seccomp.h), in bytes. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const PLACE = 8;
const argument = (index: number): number => 16 + 8 * index;
const UPPER_HALF = 4;
const upperHalf = (address: number): number => Math.floor(address / 2 ** 32);

const AUDIT_ARCH_X86_64 = 0xc000_003e;
const TRAP = 0x0003_0000;
const ALLOW = 0x7fff_0000;
/** Of classic BPF: load a word, compare it, return. */
const [LOAD, JUMP_IF_EQUAL, RETURN] = [0x20, 0x15, 0x06];

interface Check {
  /** Of struct seccomp_data. */
  readonly word: number;
  readonly oneOf: readonly number[];
}

interface Rule {
  readonly number: number;
  readonly checks: readonly Check[];
}

/** Never code. */
const PROTECTIONS = [PROTECTION.none, WRITABLE];

/** In the order of how often they come. */
// biome-ignore format: a table
const RULES: readonly Rule[] = [
  { number: CALL.read,       checks: [{ word: argument(0), oneOf: [CHILD_FD.request] }] },
  { number: CALL.write,      checks: [{ word: argument(0), oneOf: [CHILD_FD.answer] }] },
  { number: CALL.setitimer,  checks: [{ word: argument(0), oneOf: [TIMER.cpu] }] }, // the limit of a run
  { number: CALL.mprotect,   checks: [{ word: argument(0) + UPPER_HALF, oneOf: [upperHalf(LAYOUT.heap)] },
                                      { word: argument(2), oneOf: PROTECTIONS }] }, // the size of the heap
  { number: CALL.exit_group, checks: [] },
];

/** Code, jump if true, jump if false, constant. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, constant: number];

/** The filter as the kernel takes it: an array of struct sock_filter. `afterCall` and `afterExit` have one upper half. */
export function systemCallFilter({ afterCall, afterExit }: HostCode): Uint32Array {
  const program: readonly Instruction[] = [
    // Of `int 0x80` the numbers mean something else.
    ...trapUnless({ word: ARCHITECTURE, oneOf: [AUDIT_ARCH_X86_64] }),
    ...trapUnless({ word: PLACE + UPPER_HALF, oneOf: [upperHalf(afterCall)] }),
    ...trapUnless({ word: PLACE, oneOf: [afterCall % 2 ** 32, afterExit % 2 ** 32] }),
    [LOAD, 0, 0, NUMBER], // of the x32 ABI: has bit 30 set, equals none below
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

function trapUnless({ word, oneOf }: Check): readonly Instruction[] {
  const count = oneOf.length;
  return [
    [LOAD, 0, 0, word],
    ...oneOf.map((value, i): Instruction => [JUMP_IF_EQUAL, count - i, 0, value]),
    [RETURN, 0, 0, TRAP],
  ];
}

/** Falls through, with the number still loaded, if it is another. */
function instructionsFor({ number, checks }: Rule): readonly Instruction[] {
  const body: readonly Instruction[] = [...checks.flatMap(trapUnless), [RETURN, 0, 0, ALLOW]];
  return [[JUMP_IF_EQUAL, 0, body.length, number], ...body];
}
