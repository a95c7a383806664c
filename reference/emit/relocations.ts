// Relocations: the encodings of the distance from a site to a label, and the branches that have a
// short form and a long one.
//
//   x86-64   jmp rel8    jmp rel32
//            je rel8     je rel32
//   ARM64    b.eq l      b.ne .+8, b l
//            cbz x3, l   cbnz x3, .+8, b l
//            adr x3, l   adrp x3, l, add x3, x3, :lo12:l
//
// No form changes flags. An image starts at a multiple of 4096, the unit of `adrp`. A form without
// a long one reaches any label of an image, which has at most 4 MB: `call` 2 GB, `b` and `bl` 128
// MB.

import { CompileError } from "./compile-error.js";

/** The kind of a site. The position of a site is the start of its instruction or field. */
export const RelocationKind = {
  /** x86-64: signed 32-bit distance from the end of the field (Intel SDM vol. 2, 2.2.1.6). */
  Rel32: 0,
  /** ARM64 `b`, `bl`: signed 26-bit word distance in bits 25..0 (Arm ARM C6.2.26). */
  Branch26: 1,
  /** ARM64 `b.cond`, `cbz`, `cbnz`: signed 19-bit word distance in bits 23..5 (Arm ARM C6.2.25). */
  Branch19: 2,
  /** ARM64 `adr`: signed 21-bit distance, low bits in 30..29, the rest in 23..5 (C6.2.10). */
  Adr21: 3,
  /**
   * An entry of a table: signed 32-bit distance from the table's start. Before, the field contains
   * its own distance from that start.
   */
  Table32: 4,
  /**
   * ARM64 `ldr` of a constant: like Branch19, but without a long form. The constants of a procedure
   * are right after it, and a procedure that could be too large for that has none
   * (lower/lir-builder.ts).
   */
  Literal19: 5,
  /** x86-64 `jmp`: signed 8-bit distance from the end of the instruction (Intel SDM vol. 2, JMP). */
  Jump8: 6,
  /** x86-64 `jcc`: the same (Intel SDM vol. 2, Jcc). */
  Branch8: 7,
  /**
   * No instruction: the start of a loop that ends at the label. Padding before it may keep it in
   * one line (short-loops.ts).
   */
  Loop: 8,
} as const;
export type RelocationKind = (typeof RelocationKind)[keyof typeof RelocationKind];

/**
 * The short form of a kind of site, which emission writes, and its long form for labels out of
 * reach.
 */
interface BranchForm {
  /** Size in bytes. */
  readonly size: number;
  /** Bytes from the position of the site to the position at which the distance is counted. */
  readonly origin: number;
  /**
   * The limit of the distance in either direction; forward the limit itself is out of reach.
   * Infinite if there is no long form.
   */
  readonly reach: number;
  /** The additional bytes of the long form. */
  readonly longer: number;
  /** Whether the long form is two instructions. */
  readonly splits: boolean;
}

const only = (size: number): BranchForm => ({
  size,
  origin: 0,
  reach: Number.POSITIVE_INFINITY,
  longer: 0,
  splits: false,
});
const MEGABYTE = 1 << 20;

/** The short form of each kind of branch site. */
// biome-ignore format: a table
export const FORMS: readonly BranchForm[] = [
  /* Rel32 */     only(4),
  /* Branch26 */  only(4),
  /* Branch19 */  { size: 4, origin: 0, reach: MEGABYTE, longer: 4, splits: true },
  /* Adr21 */     { size: 4, origin: 0, reach: MEGABYTE, longer: 4, splits: true },
  /* Table32 */   only(4),
  /* Literal19 */ only(4),
  /* Jump8 */     { size: 2, origin: 2, reach: 128,      longer: 3, splits: false },
  /* Branch8 */   { size: 2, origin: 2, reach: 128,      longer: 4, splits: false },
  /* Loop */      only(0),
];

/** Writes the distance into the short form. Throws CompileError if it does not fit. */
export function fill(view: DataView, place: number, kind: number, label: number): void {
  switch (kind) {
    case RelocationKind.Rel32:
      view.setInt32(place, label - (place + 4), true);
      return;
    case RelocationKind.Jump8:
    case RelocationKind.Branch8:
      fillByte(view, place + 1, label - (place + 2));
      return;
    case RelocationKind.Table32:
      view.setInt32(place, label - (place - view.getInt32(place, true)), true);
      return;
    case RelocationKind.Adr21:
      fillAddress(view, place, label - place);
      return;
    case RelocationKind.Branch26:
      fillWords(view, place, label, 26, 0);
      return;
    case RelocationKind.Branch19:
    case RelocationKind.Literal19:
      fillWords(view, place, label, 19, 5);
  }
}

/** Replaces the short form at `place` by the long one, and writes the distance into that. */
export function fillLong(view: DataView, place: number, kind: number, label: number): void {
  switch (kind) {
    case RelocationKind.Jump8:
      view.setUint8(place, JMP_REL32);
      fill(view, place + 1, RelocationKind.Rel32, label);
      return;
    case RelocationKind.Branch8:
      view.setUint8(place + 1, view.getUint8(place) + JCC_REL32_OVER_REL8);
      view.setUint8(place, ESCAPE);
      fill(view, place + 2, RelocationKind.Rel32, label);
      return;
    case RelocationKind.Adr21:
      fillLongAddress(view, place, label);
      return;
    case RelocationKind.Branch19:
      view.setInt32(place, invertedOver(view.getInt32(place, true)), true);
      view.setInt32(place + 4, BRANCH, true);
      fill(view, place + 4, RelocationKind.Branch26, label);
  }
}

const JMP_REL32 = 0xe9;
/** `je` is 74 with a byte, and 0F 84 with four bytes. */
const ESCAPE = 0x0f;
const JCC_REL32_OVER_REL8 = 0x10;

function fillByte(view: DataView, place: number, distance: number): void {
  if (distance !== (distance << 24) >> 24) {
    throw new CompileError(`the jump at offset ${place - 1} spans ${distance} bytes, limit is 128`);
  }
  view.setInt8(place, distance);
}

function fillAddress(view: DataView, place: number, distance: number): void {
  if (distance < -MEGABYTE || distance >= MEGABYTE) {
    throw new CompileError(
      `the adr instruction at offset ${place} spans ${distance} bytes, limit is 2^20`,
    );
  }
  const fields = ((distance & 3) << 29) | (((distance >> 2) & 0x7ffff) << 5);
  view.setInt32(place, view.getInt32(place, true) | fields, true);
}

function fillWords(
  view: DataView,
  place: number,
  label: number,
  bits: number,
  shift: number,
): void {
  const words = (label - place) >> 2;
  const limit = 1 << (bits - 1);
  if (words < -limit || words >= limit) {
    throw new CompileError(`the branch at offset ${place} spans ${words} words, limit is ${limit}`);
  }
  const mask = (2 ** bits - 1) << shift;
  view.setInt32(place, (view.getInt32(place, true) & ~mask) | ((words << shift) & mask), true);
}

const B_COND = 0x54;
/** In imm19: two words ahead. */
const OVER_THE_NEXT = 2 << 5;
/** `b` to itself, for `fill` to complete. */
const BRANCH = 0x1400_0000;

/**
 * Returns the far conditional branch `word`, inverted, with the position after the following `b` as
 * its target.
 */
function invertedOver(word: number): number {
  // The lowest bit of a condition inverts it; so does the bit that distinguishes cbnz from cbz.
  const inversion = word >>> 24 === B_COND ? 1 : 1 << 24;
  return (word ^ inversion) | OVER_THE_NEXT;
}

const PAGE_BITS = 12;

/** Writes `adrp` and `add` in place of the `adr`. */
function fillLongAddress(view: DataView, place: number, label: number): void {
  const register = view.getInt32(place, true) & 31;
  const pages = (label >> PAGE_BITS) - (place >> PAGE_BITS);
  const low = label & ((1 << PAGE_BITS) - 1);
  const adrp = 0x9000_0000 | ((pages & 3) << 29) | (((pages >> 2) & 0x7ffff) << 5) | register;
  view.setInt32(place, adrp, true);
  view.setInt32(place + 4, 0x9100_0000 | (low << 10) | (register << 5) | register, true);
}
