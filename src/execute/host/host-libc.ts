// What Linux offers by its C library: the calls with which the harness shares memory with the child
// process that runs native code, and with which the child confines itself.

import koffi from "koffi";

/** Calls return -1, or that as a pointer, where the kernel refuses. */
export interface Libc {
  readonly map: (
    address: number,
    size: number,
    protection: number,
    flags: number,
    fd: number,
    offset: number,
  ) => bigint | null;
  readonly protect: (address: number, size: number, protection: number) => number;
  readonly createMemory: (name: string, flags: number) => number;
  readonly resize: (fd: number, size: number) => number;
  readonly pipe: (fds: Int32Array, flags: number) => number;
  readonly setTimer: (which: number, value: BigInt64Array, old: null) => number;
  readonly setLimit: (resource: number, limits: BigUint64Array) => number;
  readonly setSignalStack: (stack: BigUint64Array, old: null) => number;
  readonly handleSignal: (signal: number, action: Uint8Array, old: null) => number;
  readonly currentCpu: () => number;
  readonly getAffinity: (thread: number, size: number, mask: Uint8Array) => number;
  readonly setAffinity: (thread: number, size: number, mask: Uint8Array) => number;
  readonly exit: (status: number) => void;
  readonly random: (bytes: Uint8Array, size: number, flags: number) => number;
  /** A negative time waits for ever. */
  readonly poll: (descriptors: Int32Array, count: number, milliseconds: number) => number;
  readonly setFilter: (
    call: number,
    what: number,
    flags: number,
    program: BigUint64Array,
  ) => number;
  readonly control: (option: number, a: number, b: number | bigint, c: number, d: number) => number;
}

export const PROTECTION = { none: 0, read: 1, write: 2, execute: 4 } as const;
export const MAP = { shared: 1, private: 2, fixed: 0x10, anonymous: 0x20, noReplace: 0x10_0000 };
export const CLOSE_ON_EXEC = { memory: 1, pipe: 0x8_0000 } as const;
export const LIMIT = {
  fileSize: 1,
  core: 4,
  processes: 6,
  openFiles: 7,
  lockedMemory: 8,
  addressSpace: 9,
  pendingSignals: 11,
  messageQueues: 12,
} as const;
export const TIMER = { cpu: 1 } as const;
export const PRCTL = { setParentDeath: 1, setDumpable: 4, setNoNewPrivileges: 38 } as const;
/** The call `seccomp`: SECCOMP_SET_MODE_FILTER with SECCOMP_FILTER_FLAG_TSYNC, for all threads. */
export const SECCOMP = { call: 317, setFilter: 1, allThreads: 1 } as const;
export const POLL = { readable: 1, interrupted: 4 } as const;

const NO_MAP = 2n ** 64n - 1n;

/** Throws where this is not a C library of Linux. */
export function loadLibc(): Libc {
  const library = koffi.load(null);
  return {
    map: library.func("void *mmap(uintptr_t, size_t, int, int, int, int64_t)"),
    protect: library.func("int mprotect(uintptr_t, size_t, int)"),
    createMemory: library.func("int memfd_create(const char *, uint32_t)"),
    resize: library.func("int ftruncate(int, int64_t)"),
    pipe: library.func("int pipe2(int *, int)"),
    setTimer: library.func("int setitimer(int, const void *, void *)"),
    setLimit: library.func("int setrlimit(int, const void *)"),
    setSignalStack: library.func("int sigaltstack(const void *, void *)"),
    handleSignal: library.func("int sigaction(int, const void *, void *)"),
    currentCpu: library.func("int sched_getcpu()"),
    getAffinity: library.func("int sched_getaffinity(int, size_t, void *)"),
    setAffinity: library.func("int sched_setaffinity(int, size_t, const void *)"),
    exit: library.func("void _exit(int)"),
    random: library.func("intptr_t getrandom(void *, size_t, uint32_t)"),
    poll: library.func("int poll(void *, uint64_t, int)"),
    setFilter: library.func("int64_t syscall(int64_t, uint64_t, uint64_t, const void *)"),
    control: library.func("int prctl(int, uint64_t, uint64_t, uint64_t, uint64_t)"),
  };
}

const PROCESSORS_MAX = 1024;

/** A set of logical processors that holds `processor`, or none. */
export function processorSet(processor: number | null): Uint8Array {
  const mask = new Uint8Array(PROCESSORS_MAX / 8);
  if (processor !== null && processor < PROCESSORS_MAX) mask[processor >> 3] = 1 << (processor & 7);
  return mask;
}

/** The message is one line: the call, and the number of the error. */
class KernelRefused extends Error {
  override readonly name = "KernelRefused";
}

/** Throws, with the call and the number of the error, unless the kernel has agreed. */
export function checkCall(result: number | bigint | null, call: string): void {
  if (result === -1 || result === NO_MAP) {
    throw new KernelRefused(`the kernel refuses ${call} (errno ${koffi.errno()})`);
  }
}
