// Records the values that calls pass. Arguments and results must be equal on both sides of a call, and the executed
// return decides whether a guarded call exits. No operation makes these values, so the recorded one shows which side is
// wrong.

import { CALLS, EFFECTS, guardsResult, isReturn, Op } from "../ir/opcodes.js";
import { returnedValues, type Value } from "../ir/procedure.js";
import type { WordPair } from "../ir/words.js";

/**
 * A function that returns the oracle's bits of a value; null if it has none yet, or leaves them
 * open.
 */
type ExpectedWords = (value: Value) => WordPair | null;

interface ReturnedValues {
  readonly requestsExit: boolean;
  /** The returned words, by index of the result. */
  readonly words: readonly (WordPair | null)[];
}

/** The oracle's arguments and results of calls between procedures, while a program is executed. */
export class PassedValues {
  /** Arguments of the call that is about to be made. */
  private nextArguments: readonly (WordPair | null)[] = [];
  /** By frame: the arguments of its activation. */
  private readonly argumentsOf = new Map<number, readonly (WordPair | null)[]>();
  /** The callee's last return; null if it did not return, or is no procedure of the program. */
  private returned: ReturnedValues | null = null;

  call(call: Value, wordsOf: ExpectedWords): void {
    this.nextArguments = (call.rest ?? []).map(wordsOf);
    this.returned = null;
  }

  /** Gives the passed arguments to the activation that begins in this frame. */
  enter(frame: number): void {
    this.argumentsOf.set(frame, this.nextArguments);
    this.nextArguments = [];
  }

  /** Records the results that the value is about to return, if it is a return. */
  execute(value: Value, wordsOf: ExpectedWords): void {
    if (!isReturn(value.opcode)) return;
    const words = returnedValues(value).map(wordsOf);
    this.returned = { requestsExit: value.opcode === Op.ReturnDeopt, words };
  }

  exit(): void {
    this.returned = null;
  }

  /** Returns the value that was passed; null if it is unknown. */
  wordsOf(value: Value, frame: number): WordPair | null {
    const { opcode } = value;
    if (opcode === Op.Parameter) return this.argumentsOf.get(frame)?.[value.parameterIndex] ?? null;
    if (opcode === Op.Extract) return this.returned?.words[value.resultIndex] ?? null;
    return (EFFECTS[opcode] & CALLS) !== 0 ? (this.returned?.words[0] ?? null) : null;
  }

  /** Returns whether the callee requested an exit; null if that is unknown. */
  hasRequestedExit({ opcode }: Value): boolean | null {
    return guardsResult(opcode) ? (this.returned?.requestsExit ?? null) : null;
  }
}
