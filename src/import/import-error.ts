// Defines the errors of the import: malformed input, or a feature outside of the import.

import { escapeText } from "../ir/text/literals.js";

export class ImportError extends Error {
  override readonly name = "ImportError";

  /** @param message the error and its location; the constructor escapes the text */
  constructor(message: string) {
    super(escapeText(message));
  }
}

/** An error in the syntax of a script, as opposed to a part that is outside of the import. */
export class ScriptError extends ImportError {
  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`);
  }
}

/** Returns an error at a byte of a binary. */
export const errorAt = (byte: number, message: string): ImportError =>
  new ImportError(`byte 0x${byte.toString(16)}: ${message}`);

/** Returns an error at a byte where the binary exceeds a limit of the import. */
export const tooMany = (byte: number, limit: number, counted: string): ImportError =>
  errorAt(byte, `more than ${limit} ${counted} are outside of the import`);
