// Parses scripts of WebAssembly to lists of atoms with their locations. The text of modules is cut
// out of the source and passed to wabt.

import { ImportError } from "./import-error.js";

export interface ExpressionNode {
  /** The text of an atom, or the bytes of a string as one character each; null for a list. */
  readonly text: string | null;
  readonly isString: boolean;
  readonly items: readonly ExpressionNode[];
  readonly start: number;
  readonly end: number;
  /** The line in the text, from 1. */
  readonly line: number;
}

/** The deepest nesting of a file. Scripts of the specification nest a few dozen levels deep. */
const DEPTH_MAX = 1000;
const BLANK_OR_COMMENT = /(?:\s+|;;[^\n\r]*)+/y;
const STRING = /"(?:[^"\\]|\\[\s\S])*"/y;
const ATOM = /[^\s()";]+/y;

/**
 * Returns the top-level lists of a script.
 * @throws ImportError with the line
 */
export function readNodes(source: string): ExpressionNode[] {
  return new ExpressionReader(source).read();
}

class ExpressionReader {
  private readonly source: string;
  private at = 0;
  private line = 1;

  constructor(source: string) {
    this.source = source;
  }

  read(): ExpressionNode[] {
    const nodes: ExpressionNode[] = [];
    for (this.blanks(); this.at < this.source.length; this.blanks()) nodes.push(this.node(0));
    return nodes;
  }

  private node(depth: number): ExpressionNode {
    const { at: start, line, source } = this;
    if (depth > DEPTH_MAX) throw this.error(`lists nest deeper than ${DEPTH_MAX}`);
    if (source[start] === "(") {
      this.advance(start + 1);
      const items: ExpressionNode[] = [];
      for (this.blanks(); source[this.at] !== ")"; this.blanks()) {
        if (this.at >= source.length) throw this.error(`the list of line ${line} has no end`);
        items.push(this.node(depth + 1));
      }
      this.advance(this.at + 1);
      return { text: null, isString: false, items, start, end: this.at, line };
    }
    const isString = source[start] === '"';
    const pattern = isString ? STRING : ATOM;
    const match = this.match(pattern);
    if (match === null) throw this.error(`unexpected ${source[start]}`);
    const text = isString ? unescaped(match) : match;
    return { text, isString, items: [], start, end: this.at, line };
  }

  private blanks(): void {
    while (this.match(BLANK_OR_COMMENT) !== null || this.blockComment());
  }

  private blockComment(): boolean {
    const { source } = this;
    if (!source.startsWith("(;", this.at)) return false;
    let depth = 0;
    for (let at = this.at; at < source.length; at++) {
      if (source.startsWith("(;", at)) {
        depth++;
        at++; // the semicolon does not begin an end
      } else if (source.startsWith(";)", at)) {
        at++;
        if (--depth > 0) continue;
        this.advance(at + 1);
        return true;
      }
    }
    throw this.error("the comment has no end");
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found === null) return null;
    this.advance(pattern.lastIndex);
    return found[0];
  }

  private advance(to: number): void {
    for (; this.at < to; this.at++) if (this.source[this.at] === "\n") this.line++;
  }

  private error(message: string): ImportError {
    return new ImportError(`line ${this.line}: ${message}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
const ESCAPE = /\\(?:u\{([0-9a-fA-F_]+)\}|([0-9a-fA-F]{2})|([\s\S]))/g;

/** Returns the characters of a string as bytes of UTF-8, one character each. */
function unescaped(quoted: string): string {
  const parts: string[] = [];
  let from = 1;
  for (const match of quoted.matchAll(ESCAPE)) {
    const [whole, scalar, byte, char] = match;
    parts.push(bytesOf(quoted.slice(from, match.index)));
    if (scalar !== undefined) {
      const code = Number.parseInt(scalar.replaceAll("_", ""), 16);
      parts.push(code > 0x10_ffff ? "?" : bytesOf(String.fromCodePoint(code)));
    } else if (byte !== undefined) parts.push(String.fromCharCode(Number.parseInt(byte, 16)));
    else parts.push(Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : char);
    from = match.index + whole.length;
  }
  parts.push(bytesOf(quoted.slice(from, -1)));
  return parts.join("");
}

const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

export const bytesOfStrings = (nodes: readonly ExpressionNode[]): Uint8Array =>
  Buffer.from(nodes.map(({ text }) => text ?? "").join(""), "latin1");

/** Decodes a string as UTF-8. */
export const textOfString = ({ text }: ExpressionNode): string =>
  Buffer.from(text ?? "", "latin1").toString("utf8");
