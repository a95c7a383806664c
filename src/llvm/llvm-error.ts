/** A text that is malformed, or outside of the subset that is read. */
export class LlvmError extends Error {
  override readonly name = "LlvmError";
  /** The line in the text, from 1. */
  readonly line: number;
  /** The text is well-formed as far as it was read, and uses something that is not supported. */
  readonly isOutside: boolean;

  constructor(line: number, message: string, isOutside = false) {
    super(message);
    this.line = line;
    this.isOutside = isOutside;
  }
}

export const outside = (line: number, what: string): LlvmError =>
  new LlvmError(line, `${what}: outside of the supported part of LLVM IR`, true);
