// Implements the plain interpreter of bytecode: word by word, on the memory of layout.ts. It does
// not use modules, traces or compilers; their results for the same bytecode are compared with it.

import { type BytecodeWords, immediateOf, primitiveOf } from "./code.js";
import {
  CELL_BYTES,
  DATA_WORDS,
  HALT_EXIT,
  HEAP_BYTES,
  NO_ROOM_EXIT,
  OPERAND_LIMIT,
  OPERAND_START,
  RETURN_LIMIT,
  RETURN_START,
  WORD_BYTES,
  WRONG_TAG_EXIT,
} from "./layout.js";
import {
  type CellKind,
  type ComputingOpcode,
  isInteger,
  type PrimitiveSteps,
  TAG_BITS,
  TAG_MASK,
} from "./primitives.js";

/** The computing opcodes on numbers, which represent 32-bit integers and Doubles. */
export const COMPUTE: Readonly<
  Record<ComputingOpcode, (x: number, y: number, takes: CellKind) => number>
> = {
  Add: (x, y, takes) => (takes === "double" ? x + y : (x + y) | 0),
  Sub: (x, y, takes) => (takes === "double" ? x - y : (x - y) | 0),
  Mul: (x, y, takes) => (takes === "double" ? x * y : Math.imul(x, y)),
  ChillDiv: (x, y) => (y === 0 ? 0 : (x / y) | 0),
  ChillMod: (x, y) => (y === 0 ? 0 : (x % y) | 0),
  BitAnd: (x, y) => x & y,
  BitOr: (x, y) => x | y,
  BitXor: (x, y) => x ^ y,
  Shl: (x, y) => x << y,
  SShr: (x, y) => x >> y,
  Neg: (x, _, takes) => (takes === "double" ? -x : -x | 0),
  LessThan: (x, y) => Number(x < y),
  Equal: (x, y) => Number(x === y),
  IToD: (x) => x,
  ToInt32: (x) => x | 0, // for a number this is ECMAScript's ToInt32
};

/** The end of an execution: an exit, or no fuel left. */
type InterpreterEnd =
  | typeof HALT_EXIT
  | typeof NO_ROOM_EXIT
  | typeof WRONG_TAG_EXIT
  | "out-of-fuel";

export class BytecodeInterpreter implements PrimitiveSteps<number> {
  readonly memory = new DataView(new ArrayBuffer(HEAP_BYTES));
  /** Arguments of the events, in order. */
  readonly events: number[] = [];
  /**
   * The state, as InterpState of Tamarin Tracing: the address of a word, and offsets in the memory.
   */
  ip = 0;
  sp = OPERAND_START;
  rp = RETURN_START;
  private readonly code: BytecodeWords;
  private ending: InterpreterEnd | null = null;

  constructor(code: BytecodeWords) {
    this.code = code;
  }

  /** @param wordsMax the maximum number of executed words */
  run(args: readonly number[], wordsMax: number): InterpreterEnd {
    for (const argument of args) this.push("int", argument);
    const { words } = this.code;
    for (let left = wordsMax; this.ending === null; left--) {
      if (left === 0) return "out-of-fuel";
      const at = this.ip++;
      primitiveOf(words[at]).applyTo(this);
      if (this.ending !== null) this.ip = at;
    }
    return this.ending;
  }

  // Steps. `ip` is already the next word.

  immediate(): number {
    return immediateOf(this.code.words[this.ip - 1]);
  }

  nextAddress(): number {
    return this.ip;
  }

  pop(kind: CellKind): number {
    const { memory, sp } = this;
    if (this.ending !== null) return 0; // the word is not executed
    this.sp -= CELL_BYTES;
    return isInteger(kind) ? memory.getInt32(sp, true) : memory.getFloat64(sp, true);
  }

  push(kind: CellKind, value: number): void {
    if (this.ending !== null) return;
    this.sp += CELL_BYTES;
    if (!isInteger(kind)) this.memory.setFloat64(this.sp, value, true);
    else this.memory.setBigUint64(this.sp, BigInt(value >>> 0), true);
  }

  popReturn(): number {
    this.rp -= WORD_BYTES;
    return this.memory.getInt32(this.rp + WORD_BYTES, true);
  }

  pushReturn(value: number): void {
    if (this.ending !== null) return; // there is no room
    this.rp += WORD_BYTES;
    this.memory.setInt32(this.rp, value, true);
  }

  local(): number {
    return this.memory.getInt32(this.rp - WORD_BYTES * this.immediate(), true);
  }

  setLocal(value: number): void {
    this.memory.setInt32(this.rp - WORD_BYTES * this.immediate(), value, true);
  }

  load(index: number): number {
    return this.memory.getInt32(WORD_BYTES * (index & (DATA_WORDS - 1)), true);
  }

  store(value: number, index: number): void {
    this.memory.setInt32(WORD_BYTES * (index & (DATA_WORDS - 1)), value, true);
  }

  compute(opcode: ComputingOpcode, [x, y]: readonly number[], takes: CellKind): number {
    return COMPUTE[opcode](x, y ?? 0, takes);
  }

  log(value: number): void {
    this.events.push(value);
  }

  box(payload: number, tag: number): number {
    return (payload << TAG_BITS) | tag;
  }

  tagOf(box: number): number {
    return box & TAG_MASK;
  }

  payloadOf(box: number): number {
    return box >> TAG_BITS;
  }

  checkTag(tag: number): void {
    if (this.tagOf(this.memory.getInt32(this.sp, true)) !== tag) this.ending = WRONG_TAG_EXIT;
  }

  truthOf(integer: number): number {
    return Number(integer !== 0);
  }

  checkRoom(): void {
    if (this.rp > RETURN_LIMIT || this.sp > OPERAND_LIMIT) this.ending = NO_ROOM_EXIT;
  }

  jump(): void {
    if (this.ending === null) this.ip = this.immediate();
  }

  jumpIf(condition: number, isZero: boolean): void {
    if ((condition === 0) === isZero) this.ip = this.immediate();
  }

  jumpTo(address: number): void {
    this.ip = address;
  }

  halt(): void {
    this.ending = HALT_EXIT;
  }
}
