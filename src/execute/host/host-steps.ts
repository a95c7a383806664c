// Defines the list of steps that the native child executes: a system call, a copy, a run of the
// guest, a jump to another step. The child has no other program. Its start is such a list, and so
// is each request of the harness, which writes it to memory that the child can only read.
// host-code.ts executes them.
// A step is ten words of 64 bits: its action; the number and six arguments of a system call; the
// continuation; and the target of the continuation, a step. The action and the continuation are
// addresses of code.

import { assert } from "../../support/assert.js";

export const STEP_SIZE = 80;
/** Offsets in a step, in bytes. */
export const STEP = { action: 0, number: 8, args: 16, after: 64, target: 72 } as const;
const WORD = 8;

/** The actions of a step: addresses of code in the child. */
interface StepActions {
  readonly call: number;
  /** Copies to the first argument from the second; the third is the number of bytes. */
  readonly copy: number;
  /**
   * Runs the guest. Continues with the next step if the guest returns or exits, and with `serve` if
   * it calls a host function.
   */
  readonly enter: number;
  readonly jump: number;
}

/** The continuations of a system call: addresses of code in the child. */
interface SystemCallTargets {
  /** Continues with the next step if the kernel accepts the call; else ends the child. */
  readonly check: number;
  /** Continues with the next step. */
  readonly ignore: number;
  /** Continues with the next step in the new process, and with the target in the other. */
  readonly fork: number;
  /** Continues with the target; ends the child if nothing was read. */
  readonly serve: number;
}

export type StepCode = StepActions & SystemCallTargets;

/** Writes steps in order from the start of the memory, and their data from its end. */
export class StepWriter {
  /** The address of the next step to write. */
  next: number;
  private end: number;
  private readonly words: Int32Array;
  private readonly address: number;
  private readonly code: StepCode;

  /** @param address address of `words` in the child */
  constructor(words: Int32Array, address: number, code: StepCode) {
    this.words = words;
    this.address = address;
    this.code = code;
    this.next = address;
    this.end = address + 4 * words.length;
  }

  /** Begins again, with the step at that index. */
  restart(step: number): void {
    this.next = this.address + STEP_SIZE * step;
    this.end = this.address + 4 * this.words.length;
  }

  /** Writes a system call; `after` selects the continuation. */
  call(
    number: number,
    args: readonly number[],
    after: keyof SystemCallTargets = "check",
    target = 0,
  ): void {
    const { code } = this;
    this.write(code.call, number, args, code[after], target);
  }

  copy(to: number, from: number, size: number): void {
    this.write(this.code.copy, 0, [to, from, size], 0, 0);
  }

  /** Returns the address of the step, which identifies it when the guest calls a host function. */
  enter(): number {
    this.write(this.code.enter, 0, [], 0, 0);
    return this.next - STEP_SIZE;
  }

  jump(target: number): void {
    this.write(this.code.jump, 0, [], 0, target);
  }

  /** Writes words of 64 bits that the child can read, and returns their address. */
  data(values: readonly number[]): number {
    this.take(WORD * values.length);
    values.forEach((value, i) => this.set(this.end + WORD * i, value));
    return this.end;
  }

  /** Does the same for an even number of 32-bit words. */
  dataWords(words: Uint32Array): number {
    this.take(4 * words.length);
    this.words.set(words, (this.end - this.address) / 4);
    return this.end;
  }

  /**
   * Returns the number of the system call of a step, by the lower half of its address; null if
   * there is none.
   */
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
