// Holds code of several images in one array. The code grows and is patched while a processor has it
// loaded; the processor then discards its translation of the changed bytes.

import type { Cpu } from "./cpu.js";
import { GUEST_CODE, IMAGE_SIZE_MAX, PAGE_SIZE } from "./guest.js";

const FIRST_SIZE = 4 * PAGE_SIZE;

export class CodeCache {
  /** The code, with traps after it; a new array when it grows. */
  bytes: Uint8Array<ArrayBuffer>;
  private readonly cpu: Cpu;
  private readonly sizeMax: number;
  private used = 0;

  constructor(cpu: Cpu, sizeMax = IMAGE_SIZE_MAX) {
    this.cpu = cpu;
    this.sizeMax = sizeMax;
    this.bytes = this.trapsOf(Math.min(FIRST_SIZE, sizeMax));
  }

  /** Returns the offset at which code of that size fits; null if there is no room. */
  placeFor(size: number, alignment: number): number | null {
    const place = Math.ceil(this.used / alignment) * alignment;
    return place + size <= this.sizeMax ? place : null;
  }

  /** Adds code at an offset that `placeFor` returned. */
  add(code: Uint8Array, place: number): void {
    this.used = place + code.length;
    if (this.used > this.bytes.length) {
      const larger = this.trapsOf(Math.min(this.sizeMax, 2 * this.used));
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.write(code, place);
  }

  write(code: Uint8Array, place: number): void {
    this.bytes.set(code, place);
    if (this.cpu.code === this.bytes) this.cpu.patch?.(place, place + code.length);
  }

  clear(): void {
    this.used = 0;
    this.bytes = this.trapsOf(this.bytes.length);
  }

  private trapsOf(size: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(size).fill(GUEST_CODE[this.cpu.architecture].trap);
  }
}
