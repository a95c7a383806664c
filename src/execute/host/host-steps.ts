// What the native child does is a list of steps: a system call, a copy, a run of the guest, a jump to
// another step. It has no other program: its start is such a list, and so is each request of the harness, which
// writes it to memory that the child can only read. host-code.ts executes them.
//
// A step is ten words of 64 bits: what it does; of a system call its number and six arguments; where
// the child goes on afterwards, and the step that this jumps to. Both of the former are addresses of code.

import { assert } from "../../support/assert.js";

export const STEP_SIZE = 80;
/** Offsets in a step, in bytes. */
export const STEP = { action: 0, number: 8, args: 16, after: 64, target: 72 } as const;
const WORD = 8;

/** What a step does: addresses of code in the child. */
interface Actions {
  /** A system call. */
  readonly call: number;
  /** As many bytes as the third argument says, to the first from the second. */
  readonly copy: number;
  /** Runs the guest, and goes on with the next step if that returns or exits. If it calls a host function, with `serve`. */
  readonly enter: number;
  readonly jump: number;
}

/** Where a system call goes on: addresses of code in the child. */
interface Continuations {
  /** With the next step, if the kernel agrees; else the child ends. */
  readonly check: number;
  /** With the next step. */
  readonly ignore: number;
  /** In the process that has been made with the next step, in the other with the target. */
  readonly fork: number;
  /** With the target; where nothing was read the child ends. */
  readonly serve: number;
}

export type StepCode = Actions & Continuations;

/** Writes steps one behind the other, and what they need from the end of the memory. */
export class Steps {
  /** The address of the step that is written next. */
  next: number;
  private end: number;
  private readonly words: Int32Array;
  private readonly address: number;
  private readonly code: StepCode;

  /** @param address where the child sees `words` */
  constructor(words: Int32Array, address: number, code: StepCode) {
    this.words = words;
    this.address = address;
    this.code = code;
    this.next = address;
    this.end = address + 4 * words.length;
  }

  /** Begins again, with the step at that place. */
  restart(step: number): void {
    this.next = this.address + STEP_SIZE * step;
    this.end = this.address + 4 * this.words.length;
  }

  /** A system call, of which `after` says where the child goes on. */
  call(
    number: number,
    args: readonly number[],
    after: keyof Continuations = "check",
    target = 0,
  ): void {
    const { code } = this;
    this.write(code.call, number, args, code[after], target);
  }

  copy(to: number, from: number, size: number): void {
    this.write(this.code.copy, 0, [to, from, size], 0, 0);
  }

  /** Returns the address of the step, by which it is known when the guest calls a host function. */
  enter(): number {
    this.write(this.code.enter, 0, [], 0, 0);
    return this.next - STEP_SIZE;
  }

  jump(target: number): void {
    this.write(this.code.jump, 0, [], 0, target);
  }

  /** Words of 64 bits that the child can read, by their address. */
  data(values: readonly number[]): number {
    this.take(WORD * values.length);
    values.forEach((value, i) => this.set(this.end + WORD * i, value));
    return this.end;
  }

  /** Likewise, of an even number of 32 bits. */
  dataWords(words: Uint32Array): number {
    this.take(4 * words.length);
    this.words.set(words, (this.end - this.address) / 4);
    return this.end;
  }

  /** The number of the system call that a step makes, by the lower half of its address; null if none is there. */
  numberAt(lowHalf: number): number | null {
    const word = ((lowHalf - (this.address | 0)) >>> 0) / 4;
    return this.words[word + STEP.number / 4] ?? null;
  }

  private take(size: number): void {
    this.end -= size;
    assert(this.end >= this.next, () => "too much data for the steps of the native child");
  }

  private write(
    action: number,
    number: number,
    args: readonly number[],
    after: number,
    target: number,
  ): void {
    const at = this.next;
    this.next += STEP_SIZE;
    assert(this.next <= this.end, () => "too many steps for the native child");
    this.set(at + STEP.action, action);
    this.set(at + STEP.number, number);
    for (let i = 0; i < 6; i++) this.set(at + STEP.args + WORD * i, args[i] ?? 0);
    this.set(at + STEP.after, after);
    this.set(at + STEP.target, target);
  }

  private set(address: number, value: number): void {
    const word = (address - this.address) / 4;
    this.words[word] = value | 0;
    this.words[word + 1] = Math.floor(value / 2 ** 32);
  }
}
