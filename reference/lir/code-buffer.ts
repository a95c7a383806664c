// The bytes of an image under construction, with labels and relocations.
//
// One buffer lives in the compile context and is reset, never reallocated: an image of a fuzzed
// program is small, and a fresh array per compile would be most of the garbage of a campaign.

/** How the distance from a relocation's place to its label is stored. */
export const Relocation = {
  /** x86-64: signed 32-bit distance from the end of the field (Intel SDM vol. 2, 2.2.1.6). */
  Rel32: 0,
  /** ARM64 `b`, `bl`: signed 26-bit word distance in bits 25..0 (Arm ARM C6.2.26). */
  Branch26: 1,
  /**
   * ARM64 `b.cond`, `cbz`, `cbnz`, `adr` of a word: signed 19-bit word distance in bits 23..5 (Arm
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
} as const;
export type Relocation = (typeof Relocation)[keyof typeof Relocation];

/** A limit of the target that this procedure exceeds; a compile error, never a truncation. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

const UNBOUND = -1;

export class CodeBuffer {
  bytes = new Uint8Array(1 << 14);
  size = 0;
  /** One line per instruction, `offset text`, when a listing is wanted; null on the fast path. */
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

  newLabel(): number {
    if (this.labelCount === this.labels.length) this.labels = doubled(this.labels);
    this.labels[this.labelCount] = UNBOUND;
    return this.labelCount++;
  }

  bind(label: number): void {
    this.labels[label] = this.size;
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

  /** Fills in every recorded distance. Throws CompileError where one does not fit its field. */
  resolve(): void {
    for (let i = 0; i < this.relocationCount; i++) {
      const place = this.relocations[3 * i];
      const target = this.labels[this.relocations[3 * i + 2]];
      if (target === UNBOUND)
        throw new CompileError(`label used at offset ${place} is never bound`);
      this.patch(place, this.relocations[3 * i + 1], target);
    }
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

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
