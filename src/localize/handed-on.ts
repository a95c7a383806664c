// What calls hand on is the same on both sides of them, and whether a call leaves is said by the return that was
// executed. So an argument or a result that arrives as another tells of itself which side is wrong: no operation made it.

import { CALLS, EFFECTS, guardsResult, isReturn, Op } from "../ir/opcodes.js";
import { returnedBy, type Value } from "../ir/procedure.js";
import type { Words } from "../ir/words.js";

/** As the oracle has the value; null where it has none yet, or leaves it open. */
type WordsOf = (value: Value) => Words | null;

interface Returned {
  readonly asks: boolean;
  /** By result. */
  readonly words: readonly (Words | null)[];
}

/** Arguments and returns of the procedures that call each other, as the execution goes on. */
export class HandedOn {
  /** Of the call that is about to be made. */
  private passed: readonly (Words | null)[] = [];
  /** By frame: with what the activation in it was called. */
  private readonly given = new Map<number, readonly (Words | null)[]>();
  /** What the callee executed last; null where it left otherwise, or is none of the program's. */
  private returned: Returned | null = null;

  call(call: Value, wordsOf: WordsOf): void {
    this.passed = (call.rest ?? []).map(wordsOf);
    this.returned = null;
  }

  /** An activation begins. */
  enter(frame: number): void {
    this.given.set(frame, this.passed);
    this.passed = [];
  }

  /** The value's instruction is about to be executed. */
  execute(value: Value, wordsOf: WordsOf): void {
    if (!isReturn(value.opcode)) return;
    const words = returnedBy(value).map(wordsOf);
    this.returned = { asks: value.opcode === Op.ReturnAsking, words };
  }

  exit(): void {
    this.returned = null;
  }

  /** What was handed on to the value; null where it is not known. */
  wordsOf({ opcode, lo }: Value, frame: number): Words | null {
    if (opcode === Op.Parameter) return this.given.get(frame)?.[lo] ?? null;
    if (opcode === Op.Extract) return this.returned?.words[lo] ?? null;
    return (EFFECTS[opcode] & CALLS) !== 0 ? (this.returned?.words[0] ?? null) : null;
  }

  /** Whether the callee asked to leave; null where that is not known. */
  hasAsked({ opcode }: Value): boolean | null {
    return guardsResult(opcode) ? (this.returned?.asks ?? null) : null;
  }
}
