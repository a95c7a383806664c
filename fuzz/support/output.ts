// Provides the output of subcommands: statuses, user errors, files that users name, JSON.
//
// Text of programs and files is escaped before it reaches a terminal: control characters and
// bidirectional marks.

import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { checkSize, decodeText, ParseError } from "../../src/ir/text/lexer.js";
import { escapeText } from "../../src/ir/text/literals.js";
import { reasonOf } from "../../src/support/machine-error.js";

export const STATUS = {
  nothingFound: 0,
  /** Findings, or a failed expectation. */
  found: 1,
  /** Wrong usage, or malformed input. */
  usage: 2,
  /**
   * Something that the user named is missing on this machine, or the machine refuses to continue.
   */
  missing: 3,
  /**
   * A bug of Touchstone. The launcher has a copy of this number, because it must work without a
   * build.
   */
  internalError: 4,
} as const;

/** An error of the user or of the machine: one line without a stack trace, and a status. */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly status: number;

  /** @param message escaped here, so it is one line */
  constructor(status: number, message: string) {
    super(escapeText(message));
    this.status = status;
  }
}

export const usageError = (message: string): UserError => new UserError(STATUS.usage, message);

const unread = new AbortController();
process.stdout.on("error", () => unread.abort());

/** Calls `act` when the reader of standard output is gone; immediately if it is gone already. */
export function onReaderGone(act: () => void): void {
  if (unread.signal.aborted) act();
  else unread.signal.addEventListener("abort", act, { once: true });
}

/** Prints text whose line breaks are trusted and whose contents are not. */
export function printText(text: string): void {
  const lines = text.split("\n").map(escapeText);
  process.stdout.write(text.endsWith("\n") ? lines.join("\n") : `${lines.join("\n")}\n`);
}

export const printLine = (line: string): void => {
  process.stdout.write(`${escapeText(line)}\n`);
};

/** Prints to standard error, beside the requested output. */
export const printAside = (line: string): void => {
  process.stderr.write(`${escapeText(line)}\n`);
};

/**
 * Prints one object in one line. JSON escapes control characters itself; other characters are
 * escaped here.
 */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (char) => escapeUnits(char), // in JSON every such character is inside a string
  );
  process.stdout.write(`${text}\n`);
}

function escapeUnits(char: string): string {
  let text = "";
  for (let i = 0; i < char.length; i++) {
    text += `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }
  return text;
}

/** Prints rows in columns: the first aligned left, the others right. */
export function printTable(rows: readonly (readonly (string | number)[])[]): void {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, String(cell).length);
    });
  }
  for (const row of rows) {
    const cells = row.map((cell, i) =>
      i === 0 ? String(cell).padEnd(widths[i]) : String(cell).padStart(widths[i]),
    );
    printLine(cells.join("  ").trimEnd());
  }
}

/**
 * Reads the bytes of a file that the user names.
 * @throws UserError
 */
export function readUserFile(path: string): Uint8Array {
  // yargs reads a single hyphen as the empty text.
  if (path === "") throw usageError("expected the name of a file, found none");
  try {
    if (statSync(path).isFile()) return readFileSync(path);
    const bytes = readStream(path);
    if (bytes !== null) return bytes;
  } catch (error) {
    throw usageError(`${path}: cannot be read: ${reasonOf(error)}`);
  }
  throw usageError(`${path}: cannot be read: more than ${STREAM_MAX} bytes`);
}

const STREAM_MAX = 1 << 28;

/** Reads a pipe or a device; null if it is too large, because some devices never end. */
function readStream(path: string): Uint8Array | null {
  const file = openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; size <= STREAM_MAX; ) {
      const chunk = Buffer.alloc(1 << 16);
      const count = readSync(file, chunk);
      if (count === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, count));
      size += count;
    }
    return null;
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the text of a file that the user names.
 * @throws UserError, with the position, if it is not text or too large
 */
export const readUserText = (path: string): string =>
  located(path, () => {
    const bytes = readUserFile(path);
    checkSize(bytes.length);
    return decodeText(bytes);
  });

/** Calls `read` for the file `path`; a ParseError becomes one line with file, line and column. */
export function located<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw usageError(`${path}:${error.line}:${error.column}: ${error.message}`);
  }
}
