/** A text of LIR that is malformed, or that contains something that is not supported. */
export class LirError extends Error {
  override readonly name = "LirError";
  /** The line in the text, from 1. */
  readonly line: number;
  /** For something that is not supported: the reason, without names of the text; else empty. */
  readonly refused: string;

  constructor(line: number, message: string, refused = "") {
    super(message);
    this.line = line;
    this.refused = refused;
  }
}

/** Returns the error for something that is not supported. */
export const refusal = (line: number, what: string, why: string): LirError =>
  new LirError(line, `${what}: ${why}: outside of the import`, `${what}: ${why}`);

/** Shortens a part of the text for a message. */
export const quoted = (part: string): string =>
  `'${part.length > QUOTED_MAX ? `${part.slice(0, QUOTED_MAX)}…` : part}'`;
const QUOTED_MAX = 40;
