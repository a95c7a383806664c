// How a command prints its answer.

import { printJson } from "../support/output.js";
import { ANSWERS, type AnswerName } from "./answers.js";
import type { Fields } from "./schemas.js";

/** One object in one line; a command prints it last, and nothing else to standard output. */
export function printAnswer<N extends AnswerName>(schema: N, fields: Fields<N>): void {
  printJson({ schema, version: ANSWERS[schema].version, ...fields });
}
