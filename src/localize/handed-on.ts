// Records the values that calls pass: arguments and results must be equal on both sides of a call, and the executed
// return decides whether a guarded call exits. If such a value changes on the way, this identifies the wrong side: no
// operation made it.

import { CALLS, EFFECTS, guardsResult, isReturn, Op } from "../ir/opcodes.js";
import { returnedValues, type Value } from "../ir/procedure.js";
import type { Words } from "../ir/words.js";

/** Returns the oracle's value; null if it has none yet, or leaves it open. */
type WordsOf = (value: Value) => Words | null;

interface ReturnedValues {
  readonly asks: boolean;
  /** By result. */
  readonly words: readonly (Words | null)[];
}

/** Arguments and returns of the procedures that call each other, during the execution. */
export class PassedValues {
  /** Arguments of the call that is about to be made. */
  private passed: readonly (Words | null)[] = [];
  /** By frame: the arguments of its activation. */
  private readonly given = new Map<number, readonly (Words | null)[]>();
  /** The callee's last return; null if it did not return, or is no procedure of the program. */
  private returned: ReturnedValues | null = null;

  call(call: Value, wordsOf: WordsOf): void {
    this.passed = (call.rest ?? []).map(wordsOf);
    this.returned = null;
  }

  /** Records that an activation begins. */
  enter(frame: number): void {
    this.given.set(frame, this.passed);
    this.passed = [];
  }

  /** Records that the value's instruction is about to be executed. */
  execute(value: Value, wordsOf: WordsOf): void {
    if (!isReturn(value.opcode)) return;
    const words = returnedValues(value).map(wordsOf);
    this.returned = { asks: value.opcode === Op.ReturnDeopt, words };
  }

  exit(): void {
    this.returned = null;
  }

  /** Returns the value that was passed; null if it is unknown. */
  wordsOf(value: Value, frame: number): Words | null {
    const { opcode } = value;
    if (opcode === Op.Parameter) return this.given.get(frame)?.[value.parameterIndex] ?? null;
    if (opcode === Op.Extract) return this.returned?.words[value.resultIndex] ?? null;
    return (EFFECTS[opcode] & CALLS) !== 0 ? (this.returned?.words[0] ?? null) : null;
  }

  /** Returns whether the callee requested an exit; null if that is unknown. */
  hasRequestedExit({ opcode }: Value): boolean | null {
    return guardsResult(opcode) ? (this.returned?.asks ?? null) : null;
  }
}
