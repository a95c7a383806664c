// A cursor over the tokens of a text, with the parts of the grammar that all others use.

import { type Token, type TokenKind, tokensOf } from "./lexer.js";
import { LlvmError, outside } from "./llvm-error.js";

const DEPTH_MAX = 100;

export class TokenReader {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;

  /** @throws LlvmError */
  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  get token(): Token {
    return this.tokens[this.at];
  }

  get line(): number {
    return this.token.line;
  }

  /** The line of the last token that was read. */
  get lastLine(): number {
    return this.tokens[Math.max(0, this.at - 1)].line;
  }

  get isAtEnd(): boolean {
    return this.token.kind === "end";
  }

  peek(): Token {
    return this.tokens[Math.min(this.at + 1, this.tokens.length - 1)];
  }

  next(): Token {
    const { token } = this;
    if (!this.isAtEnd) this.at++;
    return token;
  }

  is(text: string): boolean {
    const { kind } = this.token;
    return (kind === "word" || kind === "punctuation") && this.token.text === text;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`'${text}'`);
  }

  take(kind: TokenKind, what: string): string {
    if (this.token.kind !== kind) throw this.unexpected(what);
    return this.next().text;
  }

  integer(): number {
    const value = Number(this.take("number", "a number"));
    if (!Number.isSafeInteger(value)) throw this.unexpected("a whole number");
    return value;
  }

  acceptNumber(): void {
    if (this.token.kind === "number") this.next();
  }

  /** Reads a part of an operand, which may have parts itself. */
  nested<Part>(read: () => Part): Part {
    if (this.depth >= DEPTH_MAX)
      throw outside(this.line, `operands that nest deeper than ${DEPTH_MAX}`);
    this.depth++;
    try {
      return read();
    } finally {
      this.depth--;
    }
  }

  /** Skips the rest of the line. */
  skipLine(): void {
    const { line } = this;
    while (!this.isAtEnd && this.line === line) this.at++;
  }

  /** Skips a group in parentheses, brackets or braces, if one begins here. */
  skipGroup(): void {
    let depth = 0;
    do {
      if (["(", "[", "{", "<"].some((each) => this.is(each))) depth++;
      else if ([")", "]", "}", ">"].some((each) => this.is(each))) depth--;
      else if (depth === 0) return;
      if (this.isAtEnd) throw this.unexpected("the end of the group");
      this.at++;
    } while (depth > 0);
  }

  unexpected(expected: string): LlvmError {
    return new LlvmError(this.line, `expected ${expected}, found '${this.token.text}'`);
  }
}
