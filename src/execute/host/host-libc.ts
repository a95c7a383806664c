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
  readonly control: (option: number, a: number, b: number | bigint, c: number, d: number) => number;
}

export const PROTECTION = { none: 0, read: 1, write: 2, execute: 4 } as const;
export const MAP = { shared: 1, private: 2, fixed: 0x10, anonymous: 0x20, noReplace: 0x10_0000 };
export const CLOSE_ON_EXEC = { memory: 1, pipe: 0x8_0000 } as const;
export const LIMIT = { fileSize: 1, core: 4, openFiles: 7, addressSpace: 9 } as const;
export const TIMER = { real: 0, cpu: 1 } as const;
export const PRCTL = { setSeccomp: 22, setNoNewPrivileges: 38, seccompFilter: 2 } as const;

export const NO_MAP = 2n ** 64n - 1n;

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

/** Throws, with the call and the number of the error, unless the kernel has agreed. */
export function checkCall(result: number | bigint | null, call: string): void {
  if (result === -1 || result === NO_MAP) {
    throw new Error(`the kernel refuses ${call} (errno ${koffi.errno()})`);
  }
}
