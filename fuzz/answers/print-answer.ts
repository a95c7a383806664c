// Prints the `--json` answer of a command.

import { printJson } from "../support/output.js";
import { ANSWERS, type AnswerName } from "./answers.js";
import type { AnswerFields } from "./schemas.js";

/**
 * Prints one object in one line. A command prints it last, and prints nothing else to standard
 * output.
 */
export function printAnswer<N extends AnswerName>(schema: N, fields: AnswerFields<N>): void {
  printJson({ schema, version: ANSWERS[schema].version, ...fields });
}
