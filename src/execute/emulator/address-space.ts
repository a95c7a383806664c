// Reserves the address space of an engine before Unicorn does. If the system refuses it, Unicorn
// ends the whole process with status 1.

import koffi from "koffi";
import { MachineError } from "../../support/machine-error.js";

/** Unicorn reserves 1 GB for translated code at once, and takes the rest in small parts. */
const ENGINE_BYTES = 2 ** 30 + 2 ** 26;
/** Flags of mmap(2) on Linux: readable, writable and executable, as Unicorn requests. */
const ALL_PROTECTIONS = 7;
/** Private and anonymous. */
const FLAGS = 2 | 0x20;
const NO_FILE = -1;
const REFUSED = 2n ** 64n - 1n;

interface MappingFunctions {
  readonly map: (...values: readonly number[]) => number | bigint;
  readonly unmap: (address: number | bigint, size: number) => number;
}

let mapping: MappingFunctions | undefined;

/**
 * Reserves the space of one engine and releases it again. Does nothing on systems other than Linux.
 * @throws MachineError if the system refuses it
 */
export function requireEngineSpace(): void {
  if (process.platform !== "linux") return;
  mapping ??= bind();
  const address = mapping.map(0, ENGINE_BYTES, ALL_PROTECTIONS, FLAGS, NO_FILE, 0);
  if (BigInt(address) !== REFUSED) {
    mapping.unmap(address, ENGINE_BYTES);
    return;
  }
  const megabytes = Math.ceil(ENGINE_BYTES / 2 ** 20);
  throw new MachineError(
    `the emulator cannot reserve ${megabytes} MB of address space (errno ${koffi.errno()}): ` +
      "each process needs 4 GB: raise its limit (ulimit -v), or name subjects without emulation (ir-O1)",
  );
}

function bind(): MappingFunctions {
  const library = koffi.load(null);
  return {
    map: library.func("uintptr_t mmap(uintptr_t, size_t, int, int, int, int64_t)"),
    unmap: library.func("int munmap(uintptr_t, size_t)"),
  };
}
