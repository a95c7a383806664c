// Checks the nesting of a text before wabt's recursive parser reads it.

import { ImportError } from "./import-error.js";

/**
 * The deepest nesting of lists and blocks. The worker's stacks suffice for ten times as many
 * levels.
 */
const DEPTH_MAX = 5000;
/** The most characters of a number or a name: the parser copies them to its stack. */
const TOKEN_MAX = 100_000;

const TOKEN = /;;[^\n]*|\(;|"|[()]|[^\s()";]+|;/g;
const OPENS = new Set(["block", "loop", "if", "try"]);

/**
 * Checks the limits of a text.
 * @param file the name for messages
 * @param firstLine the line of the file at which the text begins
 * @throws ImportError with line and column
 */
export function checkDepth(text: string, file: string, firstLine: number): void {
  let depth = 0;
  let before = "";
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    const { index } = match;
    if (token === '"') TOKEN.lastIndex = endOfString(text, index);
    else if (token === "(;") TOKEN.lastIndex = endOfComment(text, index);
    else if (token === "(" || (OPENS.has(token) && before !== "(")) depth++;
    else if (token === ")" || token === "end") depth--;
    else if (token.length > TOKEN_MAX && !token.startsWith(";;")) {
      throw errorIn(text, index, file, firstLine, `a token of ${token.length} characters`);
    }
    if (token === "$" && text[index + 1] !== '"') {
      throw errorIn(text, index, file, firstLine, "an identifier without a name");
    }
    if (depth > DEPTH_MAX) {
      throw errorIn(text, index, file, firstLine, `nests deeper than ${DEPTH_MAX}`);
    }
    before = token;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfComment(text: string, start: number): number {
  let depth = 1;
  let at = start + 2;
  for (; at < text.length && depth > 0; at++) {
    if (text.startsWith("(;", at)) depth++;
    else if (text.startsWith(";)", at)) depth--;
    else continue;
    at++;
  }
  return at;
}

function errorIn(
  text: string,
  at: number,
  file: string,
  firstLine: number,
  message: string,
): ImportError {
  const lines = text.slice(0, at).split("\n");
  const line = firstLine + lines.length - 1;
  const column = lines[lines.length - 1].length + 1;
  return new ImportError(`${file}:${line}:${column}: ${message}`);
}
