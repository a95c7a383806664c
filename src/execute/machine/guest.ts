// Describes the two machines as guests: addresses of the areas, layout of the registers, bits and
// bytes of each machine.

import { HOST_FUNCTIONS } from "../../ir/host-functions.js";

export type Architecture = "x64" | "arm64";

/** The addresses of the guest's areas. Unmapped memory surrounds each area. */
export interface GuestLayout {
  readonly heap: number;
  readonly code: number;
  readonly stack: number;
  readonly host: number;
}

/**
 * The areas are more than 4 GB apart, so no relative branch or address reaches from one to another.
 * No address stays valid without its upper half. Low halves occur with and without their sign bit.
 */
export const LAYOUT: GuestLayout = {
  heap: 0x11_8000_0000,
  code: 0x22_4000_0000,
  stack: 0x33_c000_0000,
  host: 0x44_8000_0000,
};

export const PAGE_SIZE = 4096;
export const HEAP_SIZE_MAX = 16 << 20;
/** Exceeds the reach of an ARM64 conditional branch. */
export const CODE_SIZE_MAX = 4 << 20;
/** The last page remains a trap, so that code cannot run past its end. */
export const IMAGE_SIZE_MAX = CODE_SIZE_MAX - PAGE_SIZE;
/** Holds 64 activations and 1 MB of their stack slots, the most that a defined program needs. */
export const STACK_SIZE = 2 << 20;

const EXIT_OFFSET = 16;
export const HOST_CALL_OFFSET = PAGE_SIZE;
export const HOST_CALL_STRIDE = 16;
/** One address for each function; a call of any other address there is a trap. */
export const HOST_CALL_COUNT = HOST_FUNCTIONS.length;

/** Returns the address to which exit stubs jump; the run ends as an exit. */
export const exitAddress = (layout: GuestLayout) => layout.host + EXIT_OFFSET;

/** Returns the address of host function `index`, which is below HOST_CALL_COUNT. */
export const hostCallAddress = (layout: GuestLayout, index: number) =>
  layout.host + HOST_CALL_OFFSET + HOST_CALL_STRIDE * index;

/**
 * The words of registers in `Emulator.registers`, in 32-bit units, the low word first. General
 * register i, in the order of encodings, is at word 2i. Vector register i, of 128 bits, is at
 * `vectors + 4i`. `flags` is EFLAGS or NZCV (bits 28 to 31), `control` MXCSR or FPCR.
 */
export interface RegisterLayout {
  readonly generalCount: number;
  readonly stackPointer: number;
  readonly pc: number;
  readonly flags: number;
  readonly control: number;
  readonly vectors: number;
  readonly vectorCount: number;
  readonly wordCount: number;
}

// Vectors begin at a multiple of 16 bytes.
// biome-ignore format: a table
export const REGISTERS: { readonly [A in Architecture]: RegisterLayout } = {
  x64:   { generalCount: 16, stackPointer: 8,  pc: 32, flags: 34, control: 36, vectors: 40, vectorCount: 16, wordCount: 104 },
  arm64: { generalCount: 31, stackPointer: 62, pc: 64, flags: 66, control: 68, vectors: 72, vectorCount: 32, wordCount: 200 },
};

/** The word of x30. */
export const LINK_REGISTER = 60;

/** Facts of an architecture that the emulator and the native harness share. */
export interface ArchitectureFacts {
  /** The bits of `flags` that the harness may set, and the values of the other bits at entry. */
  readonly flagsMask: number;
  readonly flagsClean: number;
  /** Fills memory without code; one byte. */
  readonly trap: number;
  /** The code of each host function, as bytes. */
  readonly hostFunction: readonly number[];
}

export const GUEST_CODE: { readonly [A in Architecture]: ArchitectureFacts } = {
  x64: {
    flagsMask: 0x8d5, // CF, PF, AF, ZF, SF, OF
    flagsClean: 0x202, // interrupts enabled, and the bit that is always 1; not DF
    trap: 0xcc, // int3
    hostFunction: [0xc3], // ret
  },
  arm64: {
    flagsMask: 0xf000_0000 | 0,
    flagsClean: 0,
    trap: 0x00, // udf #0
    hostFunction: [0xc0, 0x03, 0x5f, 0xd6], // ret
  },
};

/**
 * Returns an exact result for every address of the layout; an address above 2^53 becomes some other
 * number above 2^53.
 */
export function addressAt(registers: Int32Array, word: number): number {
  return (registers[word + 1] >>> 0) * 0x1_0000_0000 + (registers[word] >>> 0);
}

/** Writes `address` at register word `word`. */
export function setAddress(registers: Int32Array, word: number, address: number): void {
  registers[word] = address | 0;
  registers[word + 1] = Math.floor(address / 0x1_0000_0000);
}

/**
 * Returns true if the rounding mode and the direction flag have their values at a function's entry.
 */
export function isControlClean(architecture: Architecture, registers: Int32Array): boolean {
  const at = REGISTERS[architecture];
  const control = registers[at.control];
  if (architecture === "arm64") return control === 0;
  // The low six bits of MXCSR are sticky flags, which a function may set.
  return (control & 0xffc0) === 0x1f80 && (registers[at.flags] & DIRECTION_FLAG) === 0;
}

/** A bit of EFLAGS. */
export const DIRECTION_FLAG = 1 << 10;
