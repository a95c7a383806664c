// Decodes bytes to characters, and splits characters into tokens on demand, without a list of tokens. Positions are
// offsets; lines and columns are computed only for errors.

import { escapeText, quote } from "./literals.js";

/** An error in the input, with its position. */
export class ParseError extends Error {
  override readonly name = "ParseError";
  /** The line in the text, from 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;

  /** @param message the expected and the found token; control characters are escaped here, so that it is one line */
  constructor(line: number, column: number, message: string) {
    super(escapeText(message));
    this.line = line;
    this.column = column;
  }
}

/** The greatest size of a file, in bytes. */
const FILE_MAX = 64 << 20;
/** The greatest length of a line, in UTF-16 units. */
export const LINE_MAX = 1 << 20;
/** The greatest number of an exit, a point or a slot. */
export const NUMBER_MAX = 0x7fff_ffff;

const NEWLINE = 10;
const SEMICOLON = 59;
const QUOTE = 34;
const BACKSLASH = 92;

const charsOf = (chars: string): Uint8Array => {
  const table = new Uint8Array(128);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
};
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const STARTS_WORD = charsOf(`${LETTERS}_$`);
const IN_WORD = charsOf(`${LETTERS}0123456789_$.`);
const IN_DECIMAL = charsOf("0123456789e.+-");
const IN_LITERAL = charsOf(`${LETTERS}0123456789_$.+-:`);
const IN_INTEGER = charsOf(`${LETTERS}0123456789_+-`);

export class Lexer {
  readonly text: string;
  at: number;
  line: number;
  lineStart: number;

  /** Starts at offset `at`, in line `line`, whose first character is at `lineStart`. */
  constructor(text: string, at = 0, line = 1, lineStart = 0) {
    this.text = text;
    this.at = at;
    this.line = line;
    this.lineStart = lineStart;
  }

  /** Skips blanks and a comment in the line. Returns the next character, NaN at the end. */
  skipBlanks(): number {
    const { text } = this;
    let char = text.charCodeAt(this.at);
    while (char === 32 || char === 9 || char === 13) char = text.charCodeAt(++this.at);
    if (char === SEMICOLON) {
      const end = text.indexOf("\n", this.at);
      this.at = end < 0 ? text.length : end;
      if (this.at - this.lineStart > LINE_MAX) this.failAtLength();
      char = text.charCodeAt(this.at);
    }
    return char;
  }

  /** Skips blanks, comments and ends of lines. */
  skipLines(): number {
    let char = this.skipBlanks();
    while (char === NEWLINE) {
      this.endLine();
      char = this.skipBlanks();
    }
    return char;
  }

  /** Requires the end of the line, and continues at the next line. */
  endLine(): void {
    const char = this.skipBlanks();
    if (char !== NEWLINE && this.at < this.text.length) this.expected("the end of the line");
    if (this.at - this.lineStart > LINE_MAX) this.failAtLength();
    if (char !== NEWLINE) return;
    this.at++;
    this.line++;
    this.lineStart = this.at;
  }

  private failAtLength(): never {
    this.fail(`the line is longer than ${LINE_MAX} characters`, this.lineStart + LINE_MAX);
  }

  /** Skips blanks, and returns the position of the next token. */
  tokenStart(): number {
    this.skipBlanks();
    return this.at;
  }

  /** Consumes the punctuation token if it is next. Returns whether it was. */
  accept(token: string): boolean {
    if (this.skipBlanks() !== token.charCodeAt(0)) return false;
    if (token.length > 1 && !this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  /** Consumes the word if it is next. Returns whether it was. */
  acceptWord(word: string): boolean {
    const start = this.at;
    if (this.word() === word) return true;
    this.at = start;
    return false;
  }

  expect(token: string): void {
    if (!this.accept(token)) this.expected(`'${token}'`);
  }

  /** Reads an identifier; empty if none is next. */
  word(): string {
    if (STARTS_WORD[this.skipBlanks()] !== 1) return "";
    return this.text.slice(this.at, this.endOf(IN_WORD));
  }

  private endOf(table: Uint8Array): number {
    const { text } = this;
    let end = this.at;
    while (table[text.charCodeAt(end)] === 1) end++;
    this.at = end;
    return end;
  }

  keyword(word: string): void {
    if (!this.acceptWord(word)) this.expected(`'${word}'`);
  }

  /** Reads all characters that a literal may contain; empty if there are none. */
  literal(): string {
    return this.text.slice(this.tokenStart(), this.endOf(IN_LITERAL));
  }

  /** Reads all characters that an integer may contain, as far as a `:`; empty if there are none. */
  integer(): string {
    return this.text.slice(this.tokenStart(), this.endOf(IN_INTEGER));
  }

  /** Reads all characters that a decimal may contain; empty if there are none. */
  decimal(): string {
    return this.text.slice(this.tokenStart(), this.endOf(IN_DECIMAL));
  }

  /** Reads `prefix` and a number without a blank between them, such as `@12`. */
  id(prefix: string, max: number): number {
    this.skipBlanks();
    const { text, at } = this;
    if (!text.startsWith(prefix, at)) this.expected(`'${prefix}' and a number`);
    this.at += prefix.length;
    const digit = text.charCodeAt(this.at);
    if (!(digit >= 48 && digit <= 57)) this.expected(`a number after '${prefix}'`);
    return this.digits(max, at);
  }

  /** Reads a number from 0 to max. */
  count(max: number, what: string): number {
    const digit = this.skipBlanks();
    if (!(digit >= 48 && digit <= 57)) this.expected(what);
    return this.digits(max, this.at);
  }

  private digits(max: number, start: number): number {
    const { text } = this;
    let value = 0;
    for (;;) {
      const digit = text.charCodeAt(this.at) - 48;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
      if (value > max) {
        const why =
          max < 0
            ? "the ids of all procedures together are too many"
            : `the number is larger than ${max}`;
        this.fail(why, start);
      }
      this.at++;
    }
    return value;
  }

  /** Reads an identifier, or any text in double quotes. */
  name(what: string): string {
    if (this.skipBlanks() !== QUOTE) {
      const word = this.word();
      if (word === "") this.expected(what);
      return word;
    }
    const start = this.at++;
    const { text } = this;
    let name = "";
    for (let from = this.at; ; from = this.at) {
      if (this.at - this.lineStart > LINE_MAX) this.failAtLength();
      while (!(text.charCodeAt(this.at) < 32) && !endsRun(text.charCodeAt(this.at))) this.at++;
      name += text.slice(from, this.at);
      const char = text.charCodeAt(this.at);
      if (char === QUOTE) break;
      if (char !== BACKSLASH) this.fail("the name has no '\"' at its end", start);
      name += this.escape();
    }
    this.at++;
    return name;
  }

  private escape(): string {
    const next = this.text[this.at + 1];
    if (next === '"' || next === "\\") {
      this.at += 2;
      return next;
    }
    const match = /^\\u\{([\da-f]{1,6})\}/.exec(this.text.slice(this.at, this.at + 10));
    const code = match === null ? -1 : Number.parseInt(match[1], 16);
    if (match === null || code > 0x10ffff) this.fail('expected \\\\, \\" or \\u{...}', this.at);
    this.at += match[0].length;
    return String.fromCodePoint(code);
  }

  /**
   * Throws an error: `what` was expected at `at`, and another token was found.
   * @param hint the end of the message; empty for none
   */
  expected(what: string, at = this.at, hint = ""): never {
    this.at = at;
    const char = this.skipBlanks();
    const start = this.at;
    if (start >= this.text.length) this.fail(`expected ${what}, found the end of the file${hint}`);
    if (char === NEWLINE) this.fail(`expected ${what}, found the end of the line${hint}`);
    const end = Math.max(start + 1, this.endOf(IN_LITERAL));
    this.fail(`expected ${what}, found ${quote(this.text.slice(start, end))}${hint}`, start);
  }

  /** Throws a ParseError at an offset. */
  fail(message: string, at = this.at): never {
    if (at >= this.lineStart) throw new ParseError(this.line, at - this.lineStart + 1, message);
    const { line, column } = positionAt(this.text, at);
    throw new ParseError(line, column, message);
  }
}

const endsRun = (char: number): boolean =>
  char === QUOTE || char === BACKSLASH || Number.isNaN(char);

interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Returns the line and column of an offset. */
function positionAt(text: string, offset: number): TextPosition {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/**
 * Decodes the text of a file.
 * @throws ParseError if it is too large, or not UTF-8
 */
export function decodeText(bytes: Uint8Array): string {
  checkSize(bytes.length);
  const invalid = firstInvalidByte(bytes);
  const decoder = new TextDecoder();
  if (invalid < 0) return decoder.decode(bytes);
  const before = decoder.decode(bytes.subarray(0, invalid));
  const { line, column } = positionAt(before, before.length);
  const byte = `0x${bytes[invalid].toString(16).padStart(2, "0")}`;
  throw new ParseError(line, column, `expected UTF-8 text, found the byte ${byte}`);
}

/** @throws ParseError if a file of that many bytes is too large */
export function checkSize(size: number): void {
  if (size <= FILE_MAX) return;
  throw new ParseError(1, 1, `the file has ${size} bytes; at most ${FILE_MAX} are read`);
}

// The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
function firstInvalidByte(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at];
    let end = at + 1;
    if (lead >= 0x80) {
      const second = bytes[at + 1];
      const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      if (lead < 0xc2 || lead > 0xf4 || !(second >= low && second <= high)) return at;
      const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      for (end = at + 2; end < at + length; end++) if ((bytes[end] & 0xc0) !== 0x80) return at;
    }
    at = end;
  }
  return -1;
}
