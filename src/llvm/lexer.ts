// Splits the text of LLVM IR into tokens (LangRef, "Identifiers").

import { LlvmError } from "./llvm-error.js";

export type TokenKind =
  | "local"
  | "global"
  | "meta"
  | "attributes"
  | "comdat"
  | "string"
  | "label"
  | "number"
  | "word"
  | "punctuation"
  | "end";

export interface Token {
  readonly kind: TokenKind;
  /** A name without its sign and quotes; a string's bytes as Latin-1 characters. */
  readonly text: string;
  /** The line in the text, from 1. */
  readonly line: number;
}

const QUOTED = String.raw`"(?:[^"\\\n]|\\[0-9a-fA-F]{2}|\\\\)*"`;
const NAME = `(?:[-a-zA-Z$._0-9]+|${QUOTED})`;
const PATTERN = new RegExp(
  [
    String.raw`(?<blank>[ \t\r]+|;[^\n]*|#dbg_[^\n]*)`,
    String.raw`(?<newline>\n)`,
    `%(?<local>${NAME})`,
    `@(?<global>${NAME})`,
    String.raw`(?<meta>!(?:[-a-zA-Z$._0-9\\]+)?)`,
    String.raw`#(?<attributes>\d+)`,
    `\\$(?<comdat>${NAME})`,
    `(?<label>(?:[-a-zA-Z$._0-9]+|${QUOTED}):)`,
    `c?(?<string>${QUOTED})`,
    String.raw`(?<number>-?(?:0x[HKLMR]?[0-9a-fA-F]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)(?![\w.$]))`,
    "(?<word>[a-zA-Z_.][-a-zA-Z0-9_.$]*)",
    String.raw`(?<punctuation>\.\.\.|[()[\]{}<>,=*:|+])`,
  ].join("|"),
  "y",
);
const KINDS = [
  ...["local", "global", "meta", "attributes", "comdat", "label"],
  ...["string", "number", "word", "punctuation"],
] as const;

/** @throws LlvmError with the line of a character that begins no token */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < text.length) {
    const at = PATTERN.lastIndex;
    const groups = PATTERN.exec(text)?.groups;
    if (groups === undefined)
      throw new LlvmError(line, `expected a token, got ${JSON.stringify(text[at])}`);
    if (groups["newline"] !== undefined) line++;
    if (groups["blank"] !== undefined || groups["newline"] !== undefined) continue;
    const kind = KINDS.find((each) => groups[each] !== undefined) as TokenKind;
    const found = groups[kind] ?? "";
    tokens.push({ kind, text: textOf(kind, found), line });
  }
  tokens.push({ kind: "end", text: "the end of the text", line });
  return tokens;
}

function textOf(kind: TokenKind, found: string): string {
  const text = kind === "label" ? found.slice(0, -1) : found;
  if (!text.startsWith('"')) return text;
  return text
    .slice(1, -1)
    .replace(/\\(\\|[0-9a-fA-F]{2})/g, (_, code: string) =>
      code === "\\" ? "\\" : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
