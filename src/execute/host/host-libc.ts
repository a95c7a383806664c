// Binds calls of Linux through its C library. With them the harness starts the child process that
// runs native code, shares memory with it, and waits for it.

import koffi from "koffi";

/** The calls return -1, or that as a pointer, if the kernel refuses. */
export interface LibcCalls {
  readonly map: (
    address: number,
    size: number,
    protection: number,
    flags: number,
    fd: number,
    offset: number,
  ) => bigint | null;
  readonly createMemory: (name: string, flags: number) => number;
  readonly resize: (fd: number, size: number) => number;
  readonly pipe: (fds: Int32Array, flags: number) => number;
  readonly currentCpu: () => number;
  readonly getAffinity: (thread: number, size: number, mask: Uint8Array) => number;
  readonly setAffinity: (thread: number, size: number, mask: Uint8Array) => number;
  /** A negative time waits forever. */
  readonly poll: (descriptors: Int32Array, count: number, milliseconds: number) => number;
}

export const PROTECTION = { none: 0, read: 1, write: 2, execute: 4 } as const;
export const WRITABLE = PROTECTION.read | PROTECTION.write;
export const MAP = { shared: 1, private: 2, anonymous: 0x20, noReplace: 0x10_0000 } as const;
export const CLOSE_ON_EXEC = { memory: 1, pipe: 0x8_0000 } as const;
/**
 * A flag for memory that may be executed. Linux before 6.3 does not support it, and allows
 * execution of all such memory.
 */
export const EXECUTABLE = 0x10;
export const TIMER = { cpu: 1 } as const;
export const POLL = { readable: 1, interrupted: 4 } as const;

const NO_MAP = 2n ** 64n - 1n;

/** Throws if this is not a C library of Linux. */
export function loadLibc(): LibcCalls {
  const library = koffi.load(null);
  return {
    map: library.func("void *mmap(uintptr_t, size_t, int, int, int, int64_t)"),
    createMemory: library.func("int memfd_create(const char *, uint32_t)"),
    resize: library.func("int ftruncate(int, int64_t)"),
    pipe: library.func("int pipe2(int *, int)"),
    currentCpu: library.func("int sched_getcpu()"),
    getAffinity: library.func("int sched_getaffinity(int, size_t, void *)"),
    setAffinity: library.func("int sched_setaffinity(int, size_t, const void *)"),
    poll: library.func("int poll(void *, uint64_t, int)"),
  };
}

const PROCESSORS_MAX = 1024;

/** Returns a set of logical processors that holds `processor`, or none. */
export function processorSet(processor: number | null): Uint8Array {
  const mask = new Uint8Array(PROCESSORS_MAX / 8);
  if (processor !== null && processor < PROCESSORS_MAX) mask[processor >> 3] = 1 << (processor & 7);
  return mask;
}

/** The message is one line: the call, and the number of the error. */
class KernelRefused extends Error {
  override readonly name = "KernelRefused";
}

/** Throws, with the call and the number of the error, if the kernel refuses. */
export function checkCall(result: number | bigint | null, call: string): void {
  if (result === -1 || result === NO_MAP) {
    throw new KernelRefused(`the kernel refuses ${call} (errno ${koffi.errno()})`);
  }
}
