// What cannot be imported: it is malformed, or outside of what the import knows.

import { escapeText } from "../ir/text/literals.js";

export class ImportError extends Error {
  override readonly name = "ImportError";

  /** @param message what is wrong, and where; escaped here */
  constructor(message: string) {
    super(escapeText(message));
  }
}

/** A script that is malformed, unlike one with parts that are outside of the import. */
export class ScriptError extends ImportError {
  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`);
  }
}

/** An error at a byte of a binary. */
export const errorAt = (byte: number, message: string): ImportError =>
  new ImportError(`byte 0x${byte.toString(16)}: ${message}`);

/** An error at a byte where more stands than the import takes. */
export const tooMany = (byte: number, limit: number, counted: string): ImportError =>
  errorAt(byte, `more than ${limit} ${counted} are outside of the import`);
