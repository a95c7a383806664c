// Defines the state of a simulated AArch64 machine, and the form of a decoded instruction.

import {
  addressAt,
  CODE_SIZE_MAX,
  exitAddress,
  HEAP_SIZE_MAX,
  HOST_CALL_COUNT,
  HOST_CALL_OFFSET,
  HOST_CALL_STRIDE,
  LAYOUT,
  LINK_REGISTER,
  REGISTERS,
  STACK_SIZE,
  setAddress,
} from "../machine/guest.js";

/**
 * Executes the instruction whose operands are in `cells` from `at` on. `pc` is already that of the
 * next one.
 */
export type InstructionHandler = (s: SimulatedState, at: number) => void;

/**
 * The operands of an instruction: words of registers; a number, such as a branch's target; the
 * change of the last operand, and its amount.
 */
export const Cell = { d: 0, n: 1, m: 2, a: 3, number: 4, change: 5, amount: 6 } as const;
export const CELLS = 8;

/**
 * The change of a last operand: a shift of 32 bits, a shift of 64 bits, or an extension of its low
 * half.
 */
// biome-ignore format: a table
export const Change = {
  none: 0, lslW: 1, lsrW: 2, asrW: 3, rorW: 4, lslX: 5, lsrX: 6, asrX: 7, rorX: 8, uxtw: 9, sxtw: 10,
} as const;

/**
 * The words after the registers: xzr for reads, xzr for writes, a changed operand, then immediates.
 */
export const ZERO: number = REGISTERS.arm64.wordCount;
export const SINK: number = ZERO + 2;
const CHANGED: number = ZERO + 4;
const IMMEDIATES = ZERO + 6;
const IMMEDIATES_MAX = 1 << 14;
export const VECTORS: number = REGISTERS.arm64.vectors;

/** The values of `pc` that are no instruction. */
export const Next = { returned: -1, exited: -2, unknown: -3 } as const;

/** Bits of NZCV. */
export const N = 8;
export const Z = 4;
export const C = 2;
export const V = 1;

// Areas are more than 4 GB apart, so the upper half of an address identifies its area.
const upper = (address: number): number => Math.floor(address / 0x1_0000_0000);
const HEAP = { upper: upper(LAYOUT.heap), lower: LAYOUT.heap % 0x1_0000_0000 };
const STACK = { upper: upper(LAYOUT.stack), lower: LAYOUT.stack % 0x1_0000_0000 };
const CODE = { upper: upper(LAYOUT.code), lower: LAYOUT.code % 0x1_0000_0000 };

export class SimulatedState {
  /** Registers in the layout of REGISTERS, followed by the other words. */
  readonly words: Int32Array<ArrayBuffer> = new Int32Array(IMMEDIATES + 2 * IMMEDIATES_MAX);
  readonly floats: Float32Array = new Float32Array(this.words.buffer);
  readonly doubles: Float64Array = new Float64Array(this.words.buffer);
  readonly stack: Uint8Array<ArrayBuffer> = new Uint8Array(STACK_SIZE);
  /** Indexed by instruction of the image, in order. */
  cells = new Int32Array(0);
  steps: InstructionHandler[] = [];
  instructionCount = 0;
  /** The next instruction, counted from the start of the image, or one of Next. */
  pc = 0;
  /** NZCV, in four bits. */
  flags = 0;
  /** The 64-bit result of a helper function. */
  low = 0;
  high = 0;
  /** The location of the access that `locate` found. */
  view: DataView;
  offset = 0;
  /** The location of the last exclusive load; null after a store has used it. */
  exclusiveView: DataView | null = null;
  exclusiveOffset = 0;
  onHostCall: (index: number) => void = () => undefined;

  private readonly stackView = new DataView(this.stack.buffer);
  private readonly heapMemory = new ArrayBuffer(HEAP_SIZE_MAX);
  private heapView = new DataView(this.heapMemory, 0, 0);
  private codeView: DataView = new DataView(new ArrayBuffer(0));
  private immediateCount = 0;

  constructor() {
    this.view = this.stackView;
  }

  /** Makes room for the instructions of an image; each is `first` until it is decoded. */
  load(code: Uint8Array, heapSize: number, first: InstructionHandler): void {
    const count = code.length >>> 2;
    if (this.cells.length < CELLS * count) this.cells = new Int32Array(2 * CELLS * count);
    for (let i = 0; i < count; i++) this.steps[i] = first;
    this.instructionCount = count;
    this.immediateCount = 0;
    this.codeView = new DataView(code.buffer, code.byteOffset, code.length);
    if (this.heapView.byteLength !== heapSize) {
      this.heapView = new DataView(this.heapMemory, 0, heapSize);
    }
  }

  /** Resets the instructions in these bytes to `first`. */
  forget(begin: number, end: number, first: InstructionHandler): void {
    for (let i = begin >>> 2; 4 * i < end; i++) this.steps[i] = first;
  }

  get heapSize(): number {
    return this.heapView.byteLength;
  }

  get heap(): Uint8Array {
    return new Uint8Array(this.heapMemory, 0, this.heapSize);
  }

  instruction(index: number): number {
    return this.codeView.getInt32(4 * index, true);
  }

  /** Returns the word of a new immediate; -1 if there is no room for another. */
  immediate(low: number, high: number): number {
    if (this.immediateCount === IMMEDIATES_MAX) return -1;
    const word = IMMEDIATES + 2 * this.immediateCount++;
    this.words[word] = low;
    this.words[word + 1] = high;
    return word;
  }

  /**
   * Returns the constant of 4 or 8 bytes at an offset of the code, as an immediate; -1 if there is
   * none.
   */
  literal(offset: number, size: number): number {
    const { codeView } = this;
    if (offset < 0 || offset + size > codeView.byteLength) return -1;
    const high = size === 8 ? codeView.getInt32(offset + 4, true) : 0;
    return this.immediate(codeView.getInt32(offset, true), high);
  }

  /**
   * Finds `size` bytes at the sum of words `n` and `m`; returns false and stops the run if there
   * are none.
   */
  locate(n: number, m: number, size: number, isStore: boolean): boolean {
    const { words } = this;
    const low = (words[n] + words[m]) >>> 0;
    const carry = low < words[n] >>> 0 ? 1 : 0;
    const high = (words[n + 1] + words[m + 1] + carry) >>> 0;
    if (high === STACK.upper) {
      this.view = this.stackView;
      this.offset = low - STACK.lower;
    } else if (high === HEAP.upper) {
      this.view = this.heapView;
      this.offset = low - HEAP.lower;
    } else if (high === CODE.upper && !isStore) {
      this.view = this.codeView;
      this.offset = low - CODE.lower;
    } else return this.stop();
    if (this.offset >= 0 && this.offset + size <= this.view.byteLength) return true;
    return this.stop();
  }

  /** Stops the run; all its results are invalid. */
  stop(): false {
    this.pc = Next.unknown;
    return false;
  }

  /**
   * Continues at the address in word `word`. A host function at that address is performed and
   * returns.
   */
  jump(word: number): void {
    const address = addressAt(this.words, word);
    const offset = address - LAYOUT.code;
    if (offset >= 0 && offset < CODE_SIZE_MAX) {
      this.pc = offset % 4 === 0 && offset < 4 * this.instructionCount ? offset / 4 : Next.unknown;
    } else if (address === LAYOUT.host) this.pc = Next.returned;
    else if (address === exitAddress(LAYOUT)) this.pc = Next.exited;
    else this.callHost((address - LAYOUT.host - HOST_CALL_OFFSET) / HOST_CALL_STRIDE);
  }

  /** Writes the address of the next instruction to a word. */
  link(word: number): void {
    this.setCodeAddress(word, 4 * this.pc);
  }

  setCodeAddress(word: number, offset: number): void {
    setAddress(this.words, word, LAYOUT.code + offset);
  }

  private callHost(index: number): void {
    if (!Number.isInteger(index) || index < 0 || index >= HOST_CALL_COUNT) {
      this.stop();
      return;
    }
    this.onHostCall(index);
    // A function that returns to another host function would run it without a counted instruction.
    const target = addressAt(this.words, LINK_REGISTER) - LAYOUT.code;
    if (target >= 0 && target < CODE_SIZE_MAX) this.jump(LINK_REGISTER);
    else this.stop();
  }
}

/** Returns the word of the last operand after its change. */
export function last(s: SimulatedState, at: number): number {
  const change = s.cells[at + Cell.change];
  return change === Change.none ? s.cells[at + Cell.m] : changed(s, at, change);
}

function changed(s: SimulatedState, at: number, change: number): number {
  const { words, cells } = s;
  const m = cells[at + Cell.m];
  const amount = cells[at + Cell.amount];
  const low = words[m];
  const high = words[m + 1];
  switch (change) {
    case Change.lslW:
      s.low = low << amount;
      break;
    case Change.lsrW:
      s.low = low >>> amount;
      break;
    case Change.asrW:
      s.low = low >> amount;
      break;
    case Change.rorW:
      s.low = (low >>> amount) | (low << (-amount & 31));
      break;
    case Change.lslX:
      shiftLeft(s, low, high, amount);
      break;
    case Change.lsrX:
      shiftRight(s, low, high, amount);
      break;
    case Change.asrX:
      shiftRightSigned(s, low, high, amount);
      break;
    case Change.rorX:
      rotateRight(s, low, high, amount);
      break;
    case Change.uxtw:
      shiftLeft(s, low, 0, amount);
      break;
    case Change.sxtw:
      shiftLeft(s, low, low >> 31, amount);
      break;
  }
  words[CHANGED] = s.low;
  words[CHANGED + 1] = s.high;
  return CHANGED;
}

// Shifts of 64 bits, by less than 64; into `low` and `high`.

export function shiftLeft(s: SimulatedState, low: number, high: number, by: number): void {
  if (by >= 32) {
    s.low = 0;
    s.high = low << (by - 32);
  } else {
    s.low = low << by;
    s.high = by === 0 ? high : (high << by) | (low >>> (32 - by));
  }
}

export function shiftRight(s: SimulatedState, low: number, high: number, by: number): void {
  if (by >= 32) {
    s.low = high >>> (by - 32);
    s.high = 0;
  } else {
    s.low = by === 0 ? low : (low >>> by) | (high << (32 - by));
    s.high = high >>> by;
  }
}

export function shiftRightSigned(s: SimulatedState, low: number, high: number, by: number): void {
  if (by >= 32) {
    s.low = high >> (by - 32);
    s.high = high >> 31;
  } else {
    s.low = by === 0 ? low : (low >>> by) | (high << (32 - by));
    s.high = high >> by;
  }
}

export function rotateRight(s: SimulatedState, low: number, high: number, by: number): void {
  const lower = by >= 32 ? high : low;
  const upper = by >= 32 ? low : high;
  const rest = by & 31;
  s.low = rest === 0 ? lower : (lower >>> rest) | (upper << (32 - rest));
  s.high = rest === 0 ? upper : (upper >>> rest) | (lower << (32 - rest));
}
