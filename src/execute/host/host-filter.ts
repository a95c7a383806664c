// The system calls that the native child may make once it has set itself up, as a seccomp filter.
//
// The filter decides by number and argument, never by what the caller looks like: whatever guest
// code does to the process around it, by jumping into the C library, into Node or into a page that
// it has made itself, it finds these calls and no other. None of them names a file, a process or an
// address outside; the two that move bytes are bound to files that the child already has.
//
// It holds for every thread (TSYNC): a filter of the one thread that enters the guest could be evaded
// by overwriting the stack of another, of which V8 and Node have ten. Those keep working: they
// wait for futexes and eventfds, collect garbage and compile, which the table allows.
//
// A system call in the guest's own code is a signal, which ends the child and is seen as a fault of
// the program. Any other refused call fails, because the C library may ask for more than it needs:
// malloc reads the number of processors when it makes an arena for a thread, and does without.

import { LAYOUT } from "../machine/guest.js";

/** Where struct seccomp_data holds the call and its arguments (Linux, linux/seccomp.h), in bytes. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const UPPER_HALF_OF_PC = 12;
const argument = (index: number): number => 16 + 8 * index; // its low half

const AUDIT_ARCH_X86_64 = 0xc000_003e;
const TRAP = 0x0003_0000;
/** The call returns EPERM. */
const REFUSE = 0x0005_0001;
const ALLOW = 0x7fff_0000;
/** Of classic BPF: load a word, compare it, return. */
const [LOAD, JUMP_IF_EQUAL, JUMP_IF_ANY_BIT, RETURN] = [0x20, 0x15, 0x45, 0x06];
const MAP_ANONYMOUS = 0x20;

/** The files that the child keeps. */
interface Files {
  /** Requests are read from it, and answers written to the other. */
  readonly request: number;
  readonly answer: number;
  /** By which Node wakes its own threads; no other process has them. */
  readonly events: readonly number[];
}

interface Rule {
  readonly name: string;
  readonly number: number;
  /** Allowed only if this argument has one of these values. */
  readonly oneOf?: { readonly argument: number; readonly values: readonly number[] };
  /** Allowed only if this argument has one of these bits. */
  readonly bits?: { readonly argument: number; readonly mask: number };
}

/** In the order of how often they come. */
// biome-ignore format: a table
const rules = ({ request, answer, events }: Files): readonly Rule[] => [
  // the service itself
  { name: "read",              number: 0,   oneOf: { argument: 0, values: [request, ...events] } },
  { name: "write",             number: 1,   oneOf: { argument: 0, values: [answer, ...events] } },
  { name: "setitimer",         number: 38 },  // the limit of a run
  { name: "mprotect",          number: 10 },  // the size of the heap; also V8
  { name: "sched_setaffinity", number: 203, oneOf: { argument: 0, values: [0] } }, // its own
  { name: "exit_group",        number: 231 },
  // what V8 and the C library need to keep memory and threads
  { name: "futex",             number: 202 },
  { name: "madvise",           number: 28 },
  { name: "mmap",              number: 9,   bits: { argument: 3, mask: MAP_ANONYMOUS } },
  { name: "munmap",            number: 11 },
  { name: "mremap",            number: 25 },
  { name: "brk",               number: 12 },
  { name: "pkey_mprotect",     number: 329 },
  { name: "sched_yield",       number: 24 },
  { name: "epoll_wait",        number: 232 },
  { name: "epoll_pwait",       number: 281 },
  { name: "restart_syscall",   number: 219 },
  { name: "exit",              number: 60 },
  { name: "getpid",            number: 39 },
  { name: "gettid",            number: 186 },
  // clocks, where the vdso has none
  { name: "clock_gettime",     number: 228 },
  { name: "gettimeofday",      number: 96 },
  { name: "clock_nanosleep",   number: 230 },
];

/** Code, jump if true, jump if false, constant. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, constant: number];

/** The filter as the kernel takes it: an array of struct sock_filter. */
export function systemCallFilter(files: Files): Uint32Array {
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, AUDIT_ARCH_X86_64],
    [RETURN, 0, 0, TRAP], // `int 0x80`: the numbers mean something else there
    // The guest's code itself makes none at all, so that a stray one is seen.
    [LOAD, 0, 0, UPPER_HALF_OF_PC],
    [JUMP_IF_EQUAL, 0, 1, Math.floor(LAYOUT.code / 2 ** 32)],
    [RETURN, 0, 0, TRAP],
    [LOAD, 0, 0, NUMBER], // of the x32 ABI: has bit 30 set, equals none below
    ...rules(files).flatMap(instructionsFor),
    [RETURN, 0, 0, REFUSE],
  ];
  return new Uint32Array(
    program.flatMap(([code, whenTrue, whenFalse, constant]) => [
      code | (whenTrue << 16) | (whenFalse << 24),
      constant,
    ]),
  );
}

/** Falls through, with the number still loaded, if it is another. */
function instructionsFor({ number, oneOf, bits }: Rule): readonly Instruction[] {
  const body: Instruction[] = [];
  if (oneOf !== undefined) {
    const { values } = oneOf;
    body.push([LOAD, 0, 0, argument(oneOf.argument)]);
    // To ALLOW, which is behind the other comparisons and REFUSE.
    for (let i = 0; i < values.length; i++) {
      body.push([JUMP_IF_EQUAL, values.length - i, 0, values[i]]);
    }
    body.push([RETURN, 0, 0, REFUSE]);
  }
  if (bits !== undefined) {
    body.push([LOAD, 0, 0, argument(bits.argument)], [JUMP_IF_ANY_BIT, 1, 0, bits.mask]);
    body.push([RETURN, 0, 0, REFUSE]);
  }
  body.push([RETURN, 0, 0, ALLOW]);
  return [[JUMP_IF_EQUAL, 0, body.length, number], ...body];
}
