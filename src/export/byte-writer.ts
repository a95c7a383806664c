// Collects the bytes of a binary: LEB128 numbers, and sections with their sizes.

import { wideBits } from "../ir/words.js";

export class ByteWriter {
  private bytes = new Uint8Array(256);
  private end = 0;

  get length(): number {
    return this.end;
  }

  byte(value: number): void {
    this.makeRoom(1);
    this.bytes[this.end++] = value;
  }

  append(values: Uint8Array | readonly number[]): void {
    this.makeRoom(values.length);
    this.bytes.set(values, this.end);
    this.end += values.length;
  }

  /** Appends the low 32 bits as unsigned LEB128. */
  unsigned(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Appends a 32-bit number as signed LEB128. */
  signed(value: number): void {
    let rest = value | 0;
    while (rest < -0x40 || rest >= 0x40) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest & 0x7f);
  }

  /** Appends the 64-bit number of two words as signed LEB128. */
  signedWide(lo: number, hi: number): void {
    let rest = wideBits(lo, hi);
    while (rest < -0x40n || rest >= 0x40n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest & 0x7fn));
  }

  /** Appends four bytes, little endian. */
  word(value: number): void {
    this.append([value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24]);
  }

  text(value: string): void {
    const encoded = new TextEncoder().encode(value);
    this.unsigned(encoded.length);
    this.append(encoded);
  }

  /** Appends the output of `write`, preceded by its size. */
  sized(write: (inner: ByteWriter) => void): void {
    const inner = new ByteWriter();
    write(inner);
    this.unsigned(inner.length);
    this.append(inner.take());
  }

  /** Returns the bytes so far. The array is shared until more bytes are written. */
  take(): Uint8Array {
    return this.bytes.subarray(0, this.end);
  }

  private makeRoom(count: number): void {
    if (this.end + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.end + count));
    larger.set(this.take());
    this.bytes = larger;
  }
}
