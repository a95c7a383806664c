// Bytes, and where among them an open NaN lies: a NaN whose bits the language leaves unspecified,
// stored whole.

/** What a look at a range of bytes meets: specified bytes only; one whole open NaN; part of one. */
export const CLOSED = 0;
export const OPEN = 1;
export const CUT = 2;

/** In `marks`: a later byte of an open NaN. Its first byte is marked with its width, 4 or 8. */
const INSIDE = 255;

export class Memory {
  bytes: Uint8Array;
  view: DataView;
  private marks: Uint8Array;
  private openCount = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.marks = new Uint8Array(bytes.length);
  }

  /** Goes on with other bytes, none of them open. */
  attach(bytes: Uint8Array): void {
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    if (this.marks.length !== bytes.length) this.marks = new Uint8Array(bytes.length);
    else if (this.openCount > 0) this.marks.fill(0);
    this.openCount = 0;
  }

  get holdsOpenNaN(): boolean {
    return this.openCount > 0;
  }

  /** CLOSED, OPEN or CUT for `size` bytes from `at`. */
  look(at: number, size: number): number {
    if (this.openCount === 0) return CLOSED;
    if (this.marks[at] === size) return OPEN;
    for (let i = at; i < at + size; i++) if (this.marks[i] !== 0) return CUT;
    return CLOSED;
  }

  /** Notes a store. False if it would leave part of an open NaN, whose bytes nobody could judge. */
  overwrite(at: number, size: number, isOpen: boolean): boolean {
    if (this.openCount > 0) {
      // Beyond the end `marks` reads as undefined, which is not INSIDE.
      if (this.marks[at] === INSIDE || this.marks[at + size] === INSIDE) return false;
      this.forget(at, size);
    }
    if (isOpen) {
      this.marks.fill(INSIDE, at, at + size);
      this.marks[at] = size;
      this.openCount++;
    }
    return true;
  }

  /** The bytes are no longer open. */
  forget(at: number, size: number): void {
    if (this.openCount === 0) return;
    for (let i = at; i < at + size; i++) {
      if (this.marks[i] !== 0 && this.marks[i] !== INSIDE) this.openCount--;
      this.marks[i] = 0;
    }
  }

  /** Pairs (offset, width) of the open NaNs, ascending. */
  openNaNs(): number[] {
    const pairs: number[] = [];
    if (this.openCount === 0) return pairs;
    for (let i = 0; i < this.marks.length; i++) {
      const mark = this.marks[i];
      if (mark !== 0 && mark !== INSIDE) pairs.push(i, mark);
    }
    return pairs;
  }
}
