// Stores bytes, and marks those that are open NaNs (stored whole, with bits that the language leaves open), dead after
// an exit, frozen by a LoadInvariant, or of a class.

/** The contents of a range of bytes: specified bytes only; one whole open NaN; part of an open NaN; a dead byte. */
export const CLOSED = 0;
const OPEN = 1;
export const CUT = 2;
export const DEAD = 3;

/** In `marks`: a later byte of an open NaN. The mark of its first byte is its width, 4 or 8. */
const INSIDE = 255;
/** In `marks`: a dead byte. */
const IS_DEAD = 254;

export class OracleMemory {
  bytes: Uint8Array;
  view: DataView;
  private marks: Uint8Array;
  /** By byte: 1 if it must not be written any more. */
  private frozen: Uint8Array;
  /** By byte: the class of accesses to it; 0 until an access has stated one. */
  private classes: Uint8Array;
  private hasClasses = false;
  private openCount = 0;
  private deadCount = 0;
  private hasFrozen = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.marks = new Uint8Array(bytes.length);
    this.frozen = new Uint8Array(bytes.length);
    this.classes = new Uint8Array(bytes.length);
  }

  /** Replaces the bytes by others without open NaNs. */
  attach(bytes: Uint8Array): void {
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    if (this.marks.length !== bytes.length) this.marks = new Uint8Array(bytes.length);
    else if (this.openCount + this.deadCount > 0) this.marks.fill(0);
    this.openCount = 0;
    this.deadCount = 0;
    if (this.frozen.length !== bytes.length) this.frozen = new Uint8Array(bytes.length);
    else if (this.hasFrozen) this.frozen.fill(0);
    this.hasFrozen = false;
    if (this.classes.length !== bytes.length) this.classes = new Uint8Array(bytes.length);
    else if (this.hasClasses) this.classes.fill(0);
    this.hasClasses = false;
  }

  get holdsOpenNaN(): boolean {
    return this.openCount > 0;
  }

  get holdsDead(): boolean {
    return this.deadCount > 0;
  }

  /** Returns CLOSED, OPEN, CUT or DEAD for `size` bytes from `at`. */
  look(at: number, size: number): number {
    if (this.openCount + this.deadCount === 0) return CLOSED;
    if (this.marks[at] === size) return OPEN;
    let look = CLOSED;
    for (let i = at; i < at + size; i++) {
      if (this.marks[i] === IS_DEAD) return DEAD;
      if (this.marks[i] !== 0) look = CUT;
    }
    return look;
  }

  /** Returns whether the range contains bytes of open NaNs. */
  holdsOpen(at: number, size: number): boolean {
    if (this.openCount === 0) return false;
    for (let i = at; i < at + size; i++) {
      if (this.marks[i] !== 0 && this.marks[i] !== IS_DEAD) return true;
    }
    return false;
  }

  /** Returns whether the range contains dead bytes. */
  holdsDeadAmong(at: number, size: number): boolean {
    if (this.deadCount === 0) return false;
    for (let i = at; i < at + size; i++) if (this.marks[i] === IS_DEAD) return true;
    return false;
  }

  /** Records a store. Returns false if it would leave part of an open NaN, because that part could not be compared. */
  overwrite(at: number, size: number, isOpen: boolean): boolean {
    if (this.openCount + this.deadCount > 0) {
      // Beyond the end, `marks` reads as undefined, which differs from INSIDE.
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

  /** Removes the marks of open NaNs and of dead bytes. */
  forget(at: number, size: number): void {
    if (this.openCount + this.deadCount === 0) return;
    for (let i = at; i < at + size; i++) {
      if (this.marks[i] === IS_DEAD) this.deadCount--;
      else if (this.marks[i] !== 0 && this.marks[i] !== INSIDE) this.openCount--;
      this.marks[i] = 0;
    }
  }

  /** Makes bytes dead until they are written. Returns false if that would leave part of an open NaN. */
  kill(at: number, size: number): boolean {
    if (!this.overwrite(at, size, false)) return false;
    this.marks.fill(IS_DEAD, at, at + size);
    this.deadCount += size;
    return true;
  }

  /** Assigns bytes to the class, for the rest of the execution. Returns false if one has another class. */
  enter(at: number, size: number, accessClass: number): boolean {
    for (let i = at; i < at + size; i++) {
      if (this.classes[i] !== 0 && this.classes[i] !== accessClass) return false;
      this.classes[i] = accessClass;
    }
    this.hasClasses = true;
    return true;
  }

  /** Forbids writes of the bytes for the rest of the execution. */
  freeze(at: number, size: number): void {
    this.frozen.fill(1, at, at + size);
    this.hasFrozen = true;
  }

  isFrozen(at: number, size: number): boolean {
    if (!this.hasFrozen) return false;
    for (let i = at; i < at + size; i++) if (this.frozen[i] !== 0) return true;
    return false;
  }

  /** Runs `change`. Returns whether the frozen bytes are unchanged. */
  keepsFrozen(change: () => void): boolean {
    const before = this.hasFrozen ? this.bytes.slice() : null;
    change();
    return before === null || before.every((b, i) => this.frozen[i] === 0 || b === this.bytes[i]);
  }

  /** Returns pairs (offset, width) of the open NaNs from `start` to `end`, ascending, relative to `start`. */
  openNaNs(start = 0, end = this.marks.length): number[] {
    const pairs: number[] = [];
    if (this.openCount === 0) return pairs;
    for (let i = start; i < end; i++) {
      const mark = this.marks[i];
      if (mark !== 0 && mark !== INSIDE && mark !== IS_DEAD) pairs.push(i - start, mark);
    }
    return pairs;
  }

  /** Returns pairs (offset, size) of the dead bytes, ascending. */
  deadRanges(): number[] {
    const { marks } = this;
    const pairs: number[] = [];
    let left = this.deadCount;
    for (let i = left === 0 ? 0 : marks.indexOf(IS_DEAD); left > 0; i++) {
      if (marks[i] !== IS_DEAD) continue;
      const from = i;
      while (marks[i] === IS_DEAD) i++; // beyond the end, it reads as undefined
      pairs.push(from, i - from);
      left -= i - from;
    }
    return pairs;
  }
}

/** Returns pairs (offset from `start`, size) of the runs of `wanted` in the bytes from `start` to `end`. */
export function rangesOf(bytes: Uint8Array, start: number, end: number, wanted: number): number[] {
  const pairs: number[] = [];
  for (let i = start; i < end; i++) {
    if (bytes[i] !== wanted) continue;
    const from = i;
    while (i < end && bytes[i] === wanted) i++;
    pairs.push(from - start, i - from);
  }
  return pairs;
}
