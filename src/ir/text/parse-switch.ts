// Parses the cases of a Switch: `5: #2, -3: #3, default: #4`. The bits of a key depend on the type of the operand,
// which may be defined later, so keys are converted at the end of a procedure.

import { type BasicBlock, SwitchCases, type Value } from "../procedure.js";
import { Int32, Int64 } from "../types.js";
import { SWITCH_CASES_MAX } from "../verify/verify-rows.js";
import type { Lexer } from "./lexer.js";
import { readLiteral } from "./literals.js";

/** The greatest number of cases of all Switches of a text. */
export const CASES_MAX = 1_000_000;

/** A key as written, and its offset. */
interface UnparsedKey {
  readonly token: string;
  readonly at: number;
}

export class SwitchParser {
  private readonly lexer: Lexer;
  private readonly parseTarget: () => BasicBlock;
  private readonly pending: { value: Value; keys: readonly UnparsedKey[] }[] = [];
  private caseCount = 0;

  constructor(lexer: Lexer, parseTarget: () => BasicBlock) {
    this.lexer = lexer;
    this.parseTarget = parseTarget;
  }

  /** Reads the cases of `value`, and adds their targets to the successors of its block. */
  parse(value: Value, { successors }: BasicBlock): void {
    const { lexer } = this;
    const keys: UnparsedKey[] = [];
    while (!lexer.acceptWord("default")) {
      const at = lexer.tokenStart();
      const token = lexer.integer();
      if (token === "") lexer.expected("a key or 'default'", at);
      if (keys.length === SWITCH_CASES_MAX) lexer.fail(`more than ${SWITCH_CASES_MAX} cases`, at);
      if (++this.caseCount > CASES_MAX) {
        lexer.fail(`more than ${CASES_MAX} cases in all switches together`, at);
      }
      keys.push({ token, at });
      lexer.expect(":");
      successors.push(this.parseTarget());
      lexer.expect(",");
    }
    lexer.expect(":");
    successors.push(this.parseTarget());
    this.pending.push({ value, keys });
  }

  /** Converts the keys; every value of the procedure is defined now. */
  finishProcedure(): void {
    const { pending } = this;
    const lexer: Lexer = this.lexer; // typed, so that `fail` narrows
    for (const { value, keys } of pending) {
      const type = value.a?.type === Int32 ? Int32 : Int64; // the verifier rejects other types
      const lo: number[] = [];
      const hi: number[] = [];
      for (const { token, at } of keys) {
        const words = readLiteral(type, token);
        if (typeof words === "string") lexer.fail(words, at);
        lo.push(words[0]);
        hi.push(words[1]);
      }
      value.extra = new SwitchCases(lo, hi);
    }
    pending.length = 0;
  }
}
