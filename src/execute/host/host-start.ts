// Writes the start of the native child as steps. Two processes execute one list: the process that
// the harness starts, which then waits, and the child, which starts in namespaces of its own.
// 1. The process ends with its parent, and gives up all future privileges.
// 2. It requests the namespaces: the kernel gives a user namespace only to a process of one thread,
//    which Node never is. Then it forks, because only a new process enters a new pid namespace.
// 3. The first process waits for the child with all files closed, so that the child's end closes
//    the pipes.
// 4. The child maps the memory that it shares with the harness, and installs a handler for its
//    faults.
// 5. It gives up its user, its capabilities, its limits, and every page that is not listed here: it
//    has no C library, no stack of its own, and no page of the kernel below the top.
// 6. It installs the filter of system calls, and serves.

import { assert } from "../../support/assert.js";
import { LAYOUT, PAGE_SIZE } from "../machine/guest.js";
import { buildCode, CODE_SIZE, type HostCode } from "./host-code.js";
import { systemCallFilter } from "./host-filter.js";
import {
  CHILD_FD,
  GATES_ADDRESS,
  GATES_SIZE,
  MAIL,
  type MemorySegment,
  PROGRAM_SIZE,
  type PrivateAddresses,
  SEGMENTS,
  SIGNAL,
  SIGNAL_STACK_SIZE,
} from "./host-layout.js";
import { MAP, PROTECTION, WRITABLE } from "./host-libc.js";
import { STEP_SIZE, StepWriter } from "./host-steps.js";
import { CALL } from "./system-calls.js";

const NEW = { ipc: 0x0800_0000, user: 0x1000_0000, pid: 0x2000_0000, network: 0x4000_0000 };

/**
 * The levels of isolation, from the most to the least, in case the kernel refuses; an ordinary user
 * needs the first.
 */
export const NAMESPACE_LEVELS: readonly (readonly (keyof typeof NEW)[])[] = [
  ["user", "network", "ipc", "pid"],
  ["network", "ipc", "pid"],
  [],
];

const PRCTL = { parentDeath: 1, dumpable: 4, name: 15, noNewPrivileges: 38 } as const;
/** The name of both processes in `ps`; 15 bytes at most. */
export const PROCESS_NAME = "touchstone-host";
const LIMIT = {
  fileSize: 1,
  core: 4,
  processes: 6,
  openFiles: 7,
  lockedMemory: 8,
  addressSpace: 9,
  pendingSignals: 11,
  messageQueues: 12,
} as const;
const SIGKILL = 9;
const SIGCHLD = 17;
const SA_SIGINFO = 4;
const SA_ONSTACK = 0x0800_0000;
/** Without it the kernel delivers no signal; the address to which it returns is never reached. */
const SA_RESTORER = 0x0400_0000;
/**
 * A flag of `clone`: it stores the new process's number, in this process's namespace, at the third
 * argument.
 */
const PARENT_SET_ID = 0x0010_0000;
const CAPABILITY_VERSION = 0x2008_0522;
/** The operation SECCOMP_SET_MODE_FILTER. */
const SET_FILTER = 1;
const NOBODY = 65_534;
/** The end of the address space of an ordinary process. */
const ADDRESSES_END = 0x7fff_ffff_f000;
/**
 * Indexes of the first steps that serve, of those of the waiting process, and of the first step to
 * execute. Other steps jump to the former.
 */
const [SERVE, WAIT, FIRST] = [0, 2, 5];

export interface HostStart {
  /** The bytes at GATES_ADDRESS, and at the address of the program. */
  readonly gates: Uint8Array;
  readonly program: Uint8Array;
  readonly code: HostCode;
  /** The address of the step by which a request ends. */
  readonly serve: number;
  readonly steps: StepWriter;
}

export function hostStart(
  places: PrivateAddresses,
  namespaces: readonly (keyof typeof NEW)[],
): HostStart {
  const at = places.program + CODE_SIZE;
  const serve = at + STEP_SIZE * SERVE;
  const code = buildCode(places, at + STEP_SIZE * FIRST, serve);
  const program = new Uint8Array(PROGRAM_SIZE);
  program.set(code.code);
  const steps = new StepWriter(new Int32Array(program.buffer, CODE_SIZE), at, code.steps);
  writeService(steps, places);
  assert(steps.next === at + STEP_SIZE * WAIT, () => `the waiting steps are not at step ${WAIT}`);
  writeWaiting(steps);
  assert(steps.next === at + STEP_SIZE * FIRST, () => `the first step is not at step ${FIRST}`);
  writeFork(steps, places, namespaces, at + STEP_SIZE * WAIT);
  writeMemory(steps, places);
  writeSignals(steps, places, code);
  writeConfinement(steps, places, code);
  steps.jump(serve);
  return { gates: code.gates, program, code, serve, steps };
}

/**
 * Writes the steps that notify the harness, wait, and continue with the steps that the harness has
 * written.
 */
function writeService(steps: StepWriter, { steps: requests, mailbox }: PrivateAddresses): void {
  const { request, answer } = CHILD_FD;
  steps.call(CALL.write, [answer, mailbox, 1]); // the value of the byte has no meaning
  steps.call(CALL.read, [request, mailbox + PAGE_SIZE - 1, 1], "serve", requests);
}

function writeWaiting(steps: StepWriter): void {
  // Older kernels have no close_range: the pipes then close a little later.
  steps.call(CALL.close_range, [0, 2 ** 32 - 1, 0], "ignore");
  steps.call(CALL.wait4, [-1, 0, 0, 0], "ignore");
  steps.call(CALL.exit_group, [0]);
}

function writeFork(
  steps: StepWriter,
  { mailbox }: PrivateAddresses,
  namespaces: readonly (keyof typeof NEW)[],
  wait: number,
): void {
  const flags = namespaces.reduce((all, name) => all | NEW[name], 0);
  share(steps, mailbox, SEGMENTS.mailbox, WRITABLE);
  const name = new Uint8Array(16);
  new TextEncoder().encodeInto(PROCESS_NAME, name);
  steps.call(CALL.prctl, [PRCTL.name, steps.dataWords(new Uint32Array(name.buffer))]);
  steps.call(CALL.prctl, [PRCTL.parentDeath, SIGKILL]);
  steps.call(CALL.prctl, [PRCTL.noNewPrivileges, 1]);
  // Containers refuse the call with any argument.
  if (flags !== 0) steps.call(CALL.unshare, [flags]);
  steps.call(CALL.clone, [PARENT_SET_ID | SIGCHLD, 0, mailbox + 4 * MAIL.pid], "fork", wait);
}

function writeMemory(steps: StepWriter, places: PrivateAddresses): void {
  share(steps, places.block, SEGMENTS.block, WRITABLE);
  share(steps, places.steps, SEGMENTS.steps, PROTECTION.read);
  share(steps, places.runs, SEGMENTS.runs, WRITABLE);
  share(steps, LAYOUT.code, SEGMENTS.code, PROTECTION.read | PROTECTION.execute);
  share(steps, LAYOUT.stack, SEGMENTS.stack, WRITABLE);
  share(steps, LAYOUT.heap, SEGMENTS.heap, WRITABLE);
  const flags = MAP.private | MAP.anonymous | MAP.noReplace;
  steps.call(CALL.mmap, [places.signalStack, SIGNAL_STACK_SIZE, WRITABLE, flags, -1, 0]);
  for (const fd of [CHILD_FD.memory, CHILD_FD.program]) steps.call(CALL.close, [fd]);
}

function share(
  steps: StepWriter,
  address: number,
  { offset, size }: MemorySegment,
  protection: number,
): void {
  const flags = MAP.shared | MAP.noReplace;
  steps.call(CALL.mmap, [address, size, protection, flags, CHILD_FD.memory, offset]);
}

function writeSignals(steps: StepWriter, { signalStack }: PrivateAddresses, code: HostCode): void {
  steps.call(CALL.sigaltstack, [steps.data([signalStack, 0, SIGNAL_STACK_SIZE]), 0]);
  const flags = SA_SIGINFO | SA_ONSTACK | SA_RESTORER;
  const action = steps.data([code.handleSignal, flags, code.handleSignal, 0]);
  const maskSize = 8;
  for (const signal of Object.values(SIGNAL)) {
    steps.call(CALL.rt_sigaction, [signal, action, 0, maskSize]);
  }
}

function writeConfinement(steps: StepWriter, places: PrivateAddresses, code: HostCode): void {
  // Gives up root if there is no new user namespace. A container may have no such user; the harness
  // then detects the remaining privileges. An ordinary user may not call these, and need not.
  steps.call(CALL.setgroups, [0, 0], "ignore");
  steps.call(CALL.setresgid, [NOBODY, NOBODY, NOBODY], "ignore");
  steps.call(CALL.setresuid, [NOBODY, NOBODY, NOBODY], "ignore");
  const none = [0, 0, 0]; // effective, permitted and inheritable, of 32 bits, twice
  steps.call(CALL.capset, [steps.data([CAPABILITY_VERSION]), steps.data(none)]);
  // After those calls, because a change of user resets it. A parent that has died before closes the
  // pipe.
  steps.call(CALL.prctl, [PRCTL.parentDeath, SIGKILL]);
  steps.call(CALL.prctl, [PRCTL.dumpable, 0]);
  for (const [begin, end] of gapsBetween(areas(places))) {
    steps.call(CALL.munmap, [begin, end - begin]);
  }
  const noneAllowed = steps.data([0, 0]);
  for (const resource of Object.values(LIMIT)) {
    steps.call(CALL.setrlimit, [resource, noneAllowed]);
  }
  const filter = systemCallFilter(code);
  const program = steps.data([filter.length / 2, steps.dataWords(filter)]);
  steps.call(CALL.seccomp, [SET_FILTER, 0, program]);
}

interface MemoryArea {
  readonly address: number;
  readonly size: number;
}

/** Returns the memory that the child keeps. */
function areas(places: PrivateAddresses): readonly MemoryArea[] {
  const { mailbox, block, steps, runs, code, stack, heap } = SEGMENTS;
  return [
    { address: GATES_ADDRESS, size: GATES_SIZE },
    { address: places.program, size: PROGRAM_SIZE },
    { address: places.mailbox, size: mailbox.size },
    { address: places.block, size: block.size },
    { address: places.signalStack, size: SIGNAL_STACK_SIZE },
    { address: places.steps, size: steps.size },
    { address: places.runs, size: runs.size },
    { address: LAYOUT.code, size: code.size },
    { address: LAYOUT.stack, size: stack.size },
    { address: LAYOUT.heap, size: heap.size },
  ];
}

/** Returns the gaps from the first page to the last. */
function gapsBetween(
  kept: readonly MemoryArea[],
): readonly (readonly [begin: number, end: number])[] {
  const sorted = [...kept].sort((a, b) => a.address - b.address);
  const begins = [0, ...sorted.map(({ address, size }) => address + size)];
  const ends = [...sorted.map(({ address }) => address), ADDRESSES_END];
  return begins.map((begin, i) => [begin, ends[i]]);
}
