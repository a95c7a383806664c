// The bytes of an image under construction, with labels and relocations.
//
// One buffer lives in the compile context and is reset, never reallocated: an image of a fuzzed
// program is small, and a fresh array per compile would be most of the garbage of a campaign.

import { assert } from "../../src/support/assert.js";
import {
  BRANCH,
  findFar,
  invertedOver,
  longAddress,
  type ReachOf,
  SITE_CELLS,
  type Spread,
  spreadBytes,
  spreadOffset,
} from "./branch-reach.js";

/** How the distance from a relocation's place to its label is stored. */
export const Relocation = {
  /** x86-64: signed 32-bit distance from the end of the field (Intel SDM vol. 2, 2.2.1.6). */
  Rel32: 0,
  /** ARM64 `b`, `bl`: signed 26-bit word distance in bits 25..0 (Arm ARM C6.2.26). */
  Branch26: 1,
  /**
   * ARM64 `b.cond`, `cbz`, `cbnz`: signed 19-bit word distance in bits 23..5 (Arm
   * ARM C6.2.25).
   */
  Branch19: 2,
  /** ARM64 `adr`: signed 21-bit distance, low bits in 30..29, the rest in 23..5 (C6.2.10). */
  Adr21: 3,
  /**
   * An entry of a table: signed 32-bit distance from the table's start. The field holds its own
   * distance from there before.
   */
  Table32: 4,
  /**
   * ARM64 `ldr` of a constant: like Branch19, but without a long form. The constants of a procedure
   * stand right behind it, and one that could be too large for that has none (lower/lir-builder.ts).
   */
  Literal19: 5,
} as const;
export type Relocation = (typeof Relocation)[keyof typeof Relocation];

/** A limit of the target that this procedure exceeds; a compile error, never a truncation. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

const UNBOUND = -1;
/** Bytes that the short forms of ARM64 with a long one reach, either way. */
const SHORT_REACH = 1 << 20;

export class CodeBuffer {
  bytes = new Uint8Array(1 << 14);
  size = 0;
  /** One line per instruction, `offset text`, and per label, when a listing is wanted; null on the fast path. */
  listing: string[] | null = null;

  private labels = new Int32Array(256);
  private labelCount = 0;
  private relocations = new Int32Array(3 * 256); // place, kind, label
  private relocationCount = 0;

  reset(): void {
    this.size = 0;
    this.labelCount = 0;
    this.relocationCount = 0;
    this.listing = null;
  }

  byte(value: number): void {
    if (this.size === this.bytes.length) this.grow();
    this.bytes[this.size++] = value;
  }

  /** Four bytes, little endian. */
  word(value: number): void {
    if (this.size + 4 > this.bytes.length) this.grow();
    const { bytes, size } = this;
    bytes[size] = value;
    bytes[size + 1] = value >> 8;
    bytes[size + 2] = value >> 16;
    bytes[size + 3] = value >> 24;
    this.size = size + 4;
  }

  fill(count: number, value: number): void {
    const offset = this.size.toString(16).padStart(4, "0");
    this.listing?.push(`${offset}  .fill ${count}, 1, 0x${value.toString(16)}`);
    for (let i = 0; i < count; i++) this.byte(value);
  }

  newLabel(): number {
    if (this.labelCount === this.labels.length) this.labels = doubled(this.labels);
    this.labels[this.labelCount] = UNBOUND;
    return this.labelCount++;
  }

  bind(label: number): void {
    this.labels[label] = this.size;
    this.listing?.push(`${labelText(label)}:`);
  }

  /** Binds it to code that is not in this buffer. */
  bindOutside(label: number, offset: number): void {
    assert(offset !== UNBOUND, () => "a label just before the code");
    this.labels[label] = offset;
  }

  /** Offset of a bound label, in bytes from the start of the image. */
  offsetOf(label: number): number {
    return this.labels[label];
  }

  /** Records that the field at `place` (an offset in bytes) holds the distance to `label`. */
  relocate(place: number, kind: Relocation, label: number): void {
    const at = 3 * this.relocationCount++;
    if (at === this.relocations.length) this.relocations = doubled(this.relocations);
    this.relocations[at] = place;
    this.relocations[at + 1] = kind;
    this.relocations[at + 2] = label;
  }

  /**
   * Fills in every recorded distance, with long forms of branches where they are needed: branch-reach.ts.
   * Gives their number. Throws CompileError where a distance does not fit its field.
   * @param branchReach bytes that short forms may span; fewer than they can, to have long ones
   */
  resolve(branchReach = SHORT_REACH): number {
    const { relocations, relocationCount: count, labels } = this;
    for (let i = 0; i < count; i++) {
      if (labels[relocations[SITE_CELLS * i + 2]] !== UNBOUND) continue;
      throw new CompileError(`label used at offset ${relocations[SITE_CELLS * i]} is never bound`);
    }
    if (this.listing !== null) this.listing = withoutUnused(this.listing, relocations, count);
    const reach = Math.min(branchReach, SHORT_REACH);
    const reachOf: ReachOf = (kind) =>
      kind === Relocation.Branch19 || kind === Relocation.Adr21 ? reach : Number.POSITIVE_INFINITY;
    // What is not far from anything needs no search.
    const far = this.size < reach ? null : findFar(relocations, count, labels, reachOf);
    if (far !== null) this.spread(far);
    for (let i = 0; i < count; i++) {
      const place = relocations[SITE_CELLS * i];
      const kind = relocations[SITE_CELLS * i + 1];
      const target = labels[relocations[SITE_CELLS * i + 2]];
      if (far !== null && far.isLong[i] !== 0) this.patchLong(place, kind, target);
      else this.patch(place, kind, target);
    }
    return far === null ? 0 : far.longBefore[count];
  }

  private spread(far: Spread): void {
    const { relocations, relocationCount: count, labels, labelCount, listing } = this;
    const moved = (offset: number): number => spreadOffset(offset, relocations, count, far);
    if (listing !== null) this.listing = spreadListing(listing, moved);
    const size = moved(this.size);
    while (this.bytes.length < size) this.grow();
    spreadBytes(this.bytes, this.size, relocations, count, far);
    this.size = size;
    for (let label = 0; label < labelCount; label++) {
      if (labels[label] !== UNBOUND) labels[label] = moved(labels[label]);
    }
    for (let i = 0; i < count; i++) relocations[SITE_CELLS * i] += 4 * far.longBefore[i];
  }

  private patchLong(place: number, kind: number, target: number): void {
    const view = new DataView(this.bytes.buffer);
    const word = view.getInt32(place, true);
    if (kind === Relocation.Adr21) {
      const [page, low] = longAddress(word, place, target);
      view.setInt32(place, page, true);
      view.setInt32(place + 4, low, true);
      return;
    }
    view.setInt32(place, invertedOver(word), true);
    view.setInt32(place + 4, BRANCH, true);
    this.patch(place + 4, Relocation.Branch26, target);
  }

  private patch(place: number, kind: number, target: number): void {
    const view = new DataView(this.bytes.buffer);
    if (kind === Relocation.Rel32) {
      view.setInt32(place, target - (place + 4), true);
      return;
    }
    if (kind === Relocation.Table32) {
      const start = place - view.getInt32(place, true);
      view.setInt32(place, target - start, true);
      return;
    }
    if (kind === Relocation.Adr21) {
      const distance = target - place;
      if (distance < -(1 << 20) || distance >= 1 << 20) {
        throw new CompileError(`adr at offset ${place} spans ${distance} bytes, limit is 2^20`);
      }
      const fields = ((distance & 3) << 29) | (((distance >> 2) & 0x7ffff) << 5);
      view.setInt32(place, view.getInt32(place, true) | fields, true);
      return;
    }
    const bits = kind === Relocation.Branch26 ? 26 : 19;
    const shift = kind === Relocation.Branch26 ? 0 : 5;
    const words = (target - place) >> 2;
    const limit = 1 << (bits - 1);
    if (words < -limit || words >= limit) {
      throw new CompileError(`branch at offset ${place} spans ${words} words, limit is ${limit}`);
    }
    const mask = (2 ** bits - 1) << shift;
    view.setInt32(place, (view.getInt32(place, true) & ~mask) | ((words << shift) & mask), true);
  }

  private grow(): void {
    const bytes = new Uint8Array(this.bytes.length * 2);
    bytes.set(this.bytes);
    this.bytes = bytes;
  }
}

/** A label as listings show it, where it is and where it is used. */
export const labelText = (label: number): string => `.L${label}`;

/** Leaves out the lines of labels to which nothing goes. */
function withoutUnused(lines: readonly string[], relocations: Int32Array, count: number): string[] {
  const unused = new Set(lines.filter((line) => line.startsWith(".L")));
  for (let i = 0; i < count; i++) unused.delete(`${labelText(relocations[SITE_CELLS * i + 2])}:`);
  return lines.filter((line) => !unused.has(line));
}

/** Lines that begin with an offset are instructions or words; the others are about the next one. */
function spreadListing(lines: readonly string[], moved: (offset: number) => number): string[] {
  return lines.map((line) => {
    const [offset] = /^[0-9a-f]{4,}(?= {2})/.exec(line) ?? [];
    if (offset === undefined) return line;
    const at = Number.parseInt(offset, 16);
    const text = moved(at).toString(16).padStart(4, "0") + line.slice(offset.length);
    return moved(at + 4) - moved(at) > 4 ? `${text} (long form)` : text;
  });
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
