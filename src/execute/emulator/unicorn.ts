// Binds libunicorn 2: the functions, the numbers, and the signatures of its callbacks. Numbers are
// those of Unicorn's public headers (unicorn.h, x86.h, arm64.h); they are the same in 2.0.1 and
// 2.1.4. Unicorn is GPL-2.0 and therefore loaded at run time, never shipped.

import koffi, { type LibraryHandle } from "koffi";
import { InternalError } from "../../support/assert.js";
import { unicornCandidates } from "./unicorn-library.js";

/** libunicorn is not on this machine; the message is one line with the remedy. */
export class MissingLibrary extends Error {
  override readonly name = "MissingLibrary";
}

/** An engine, a hook or a context: a pointer as a number. */
export type UnicornHandle = number;
/** An address in the guest; the binding accepts both forms, and returns a BigInt above 2^53. */
export type GuestAddress = number | bigint;

/** The functions of the library; each returns a `uc_err`. */
export interface UnicornLibrary {
  readonly open: (arch: number, mode: number, engine: [UnicornHandle]) => number;
  readonly close: (engine: UnicornHandle) => number;
  readonly mapPointer: (
    engine: UnicornHandle,
    address: GuestAddress,
    size: number,
    permissions: number,
    memory: ArrayBuffer,
  ) => number;
  readonly unmap: (engine: UnicornHandle, address: GuestAddress, size: number) => number;
  readonly readRegister: (engine: UnicornHandle, register: number, value: Uint8Array) => number;
  readonly writeRegister: (engine: UnicornHandle, register: number, value: Uint8Array) => number;
  /** `pointers` holds one native address for each register. */
  readonly readRegisters: RegisterBatch;
  readonly writeRegisters: RegisterBatch;
  readonly start: (
    engine: UnicornHandle,
    begin: GuestAddress,
    until: GuestAddress,
    timeoutMicroseconds: number,
    count: number,
  ) => number;
  readonly stop: (engine: UnicornHandle) => number;
  /** `values` are pairs of a type's name and a value, as variadic functions need them. */
  readonly control: (engine: UnicornHandle, control: number, ...values: unknown[]) => number;
  readonly addHook: (
    engine: UnicornHandle,
    hook: [UnicornHandle],
    type: number,
    callback: bigint,
    userData: null,
    begin: GuestAddress,
    end: GuestAddress,
    ...values: unknown[]
  ) => number;
  readonly allocateContext: (engine: UnicornHandle, context: [UnicornHandle]) => number;
  readonly saveContext: (engine: UnicornHandle, context: UnicornHandle) => number;
  readonly restoreContext: (engine: UnicornHandle, context: UnicornHandle) => number;
  readonly freeContext: (context: UnicornHandle) => number;
}

type RegisterBatch = (
  engine: UnicornHandle,
  registers: Int32Array,
  pointers: BigUint64Array,
  count: number,
) => number;

/** The `uc_err` codes that the emulator distinguishes. */
export const UC_ERR = {
  ok: 0,
  readUnmapped: 6,
  writeUnmapped: 7,
  fetchUnmapped: 8,
  invalidInstruction: 10,
  writeProtected: 12,
  readProtected: 13,
  fetchProtected: 14,
  exception: 21,
} as const;

export const UC_ARCH = { arm64: 2, x64: 4 } as const;
export const UC_MODE = { arm64: 0, x64: 8 } as const;
export const UC_PROTECTION = { read: 1, write: 2, execute: 4 } as const;

/** `memoryInvalid` is every unmapped or forbidden read, write and fetch. */
export const UC_HOOK = { interrupt: 1, instruction: 2, code: 4, memoryInvalid: 0x3f0 } as const;

/** The only x86 instructions that have hooks and that user code must not reach. */
export const UC_X86_INSTRUCTION = { in: 218, out: 500, syscall: 699 } as const;

/**
 * Returns a `uc_ctl` code: the control, the number of its arguments from bit 26, and "write" in bit
 * 30.
 */
const controlCode = (control: number, argumentCount: number) =>
  control + argumentCount * 2 ** 26 + 2 ** 30;
export const UC_CONTROL = {
  useExits: controlCode(4, 1),
  setExits: controlCode(6, 2),
  removeTranslations: controlCode(9, 2),
} as const;

// biome-ignore format: a table
export const UC_X86_REGISTER = {
  // rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15: the order of encodings
  general: [35, 38, 40, 37, 44, 36, 43, 39, 106, 107, 108, 109, 110, 111, 112, 113],
  pc: 41, flags: 25, xmm0: 122, gdtr: 243, fpcw: 246, mxcsr: 249,
} as const;

// biome-ignore format: a table
export const UC_ARM64_REGISTER = {
  x0: 199, x29: 1, x30: 2, sp: 4, pc: 260, flags: 3, q0: 104, fpcr: 291,
} as const;

/** The signatures of callbacks. The last argument is always the user data. */
const UC_CALLBACK = {
  code: koffi.proto("void", ["uintptr_t", "uint64_t", "uint32_t", "void *"]),
  interrupt: koffi.proto("void", ["uintptr_t", "uint32_t", "void *"]),
  memory: koffi.proto("bool", ["uintptr_t", "int", "uint64_t", "int", "int64_t", "void *"]),
  syscall: koffi.proto("void", ["uintptr_t", "void *"]),
  in: koffi.proto("uint32_t", ["uintptr_t", "uint32_t", "int", "void *"]),
  out: koffi.proto("void", ["uintptr_t", "uint32_t", "int", "uint32_t", "void *"]),
};

/** Returns a native pointer to `callback`, which the caller releases with `koffi.unregister`. */
export function registerCallback(
  kind: keyof typeof UC_CALLBACK,
  callback: (...values: never[]) => unknown,
): bigint {
  return koffi.register(callback, koffi.pointer(UC_CALLBACK[kind]));
}

let loaded: UnicornLibrary | undefined;

/** Returns the library, loaded once in a process. Throws MissingLibrary if no candidate loads. */
export function loadUnicorn(): UnicornLibrary {
  loaded ??= bind(loadLibrary());
  return loaded;
}

function loadLibrary(): LibraryHandle {
  const candidates = unicornCandidates();
  for (const candidate of candidates) {
    try {
      return koffi.load(candidate);
    } catch {
      // The next candidate may load; the error below reports that none did.
    }
  }
  throw new MissingLibrary(
    `libunicorn does not load (tried ${candidates.join(", ")}): ` +
      "run ci/setup, or install the package libunicorn2",
  );
}

function bind(library: LibraryHandle): UnicornLibrary {
  return {
    open: library.func("int uc_open(int, int, _Out_ uintptr_t *)"),
    close: library.func("int uc_close(uintptr_t)"),
    mapPointer: library.func("int uc_mem_map_ptr(uintptr_t, uint64_t, size_t, uint32_t, void *)"),
    unmap: library.func("int uc_mem_unmap(uintptr_t, uint64_t, size_t)"),
    readRegister: library.func("int uc_reg_read(uintptr_t, int, void *)"),
    writeRegister: library.func("int uc_reg_write(uintptr_t, int, const void *)"),
    readRegisters: library.func("int uc_reg_read_batch(uintptr_t, int *, void **, int)"),
    writeRegisters: library.func("int uc_reg_write_batch(uintptr_t, int *, void *const *, int)"),
    start: library.func("int uc_emu_start(uintptr_t, uint64_t, uint64_t, uint64_t, size_t)"),
    stop: library.func("int uc_emu_stop(uintptr_t)"),
    control: library.func("int uc_ctl(uintptr_t, uint32_t, ...)"),
    addHook: library.func(
      "int uc_hook_add(uintptr_t, _Out_ uintptr_t *, int, void *, void *, uint64_t, uint64_t, ...)",
    ),
    allocateContext: library.func("int uc_context_alloc(uintptr_t, _Out_ uintptr_t *)"),
    saveContext: library.func("int uc_context_save(uintptr_t, uintptr_t)"),
    restoreContext: library.func("int uc_context_restore(uintptr_t, uintptr_t)"),
    freeContext: library.func("int uc_context_free(uintptr_t)"),
  };
}

/** Throws an InternalError if a call fails that only a bug can make fail. */
export function checkUnicorn(error: number, call: string): void {
  if (error !== UC_ERR.ok) throw new InternalError(`${call} failed with uc_err ${error}`);
}
