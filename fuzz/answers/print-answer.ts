// Prints the `--json` answer of a command.

import { printJson } from "../support/output.js";
import { ANSWERS, type AnswerName } from "./answers.js";
import type { Fields } from "./schemas.js";

/**
 * Prints one object in one line. A command prints it last, and prints nothing else to standard
 * output.
 */
export function printAnswer<N extends AnswerName>(schema: N, fields: Fields<N>): void {
  printJson({ schema, version: ANSWERS[schema].version, ...fields });
}
