// Validates, for tests, the output of `--json` by the JSON Schema in docs/schemas.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import {
  ANSWERS,
  type AnswerName,
  SCHEMA_FOLDER,
  schemaFileOf,
} from "../../fuzz/answers/answers.js";
import type { AnswerFields } from "../../fuzz/answers/schemas.js";
import { projectRoot } from "../../src/support/project-root.js";

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
// The one format that the schemas name.
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const known = new Map<AnswerName, ValidateFunction>();

/** @param out all of standard output @returns the first fault; null if there is none */
export function answerFault(name: AnswerName, out: string): string | null {
  if (!out.endsWith("\n") || out.indexOf("\n") !== out.length - 1) return `not one line: ${out}`;
  const validate = known.get(name) ?? compiled(name);
  known.set(name, validate);
  return validate(JSON.parse(out)) ? null : ajv.errorsText(validate.errors);
}

/** Validates fields that were not printed. */
export const fieldsFault = <N extends AnswerName>(
  schema: N,
  fields: AnswerFields<N>,
): string | null =>
  answerFault(
    schema,
    `${JSON.stringify({ schema, version: ANSWERS[schema].version, ...fields })}\n`,
  );

function compiled(name: AnswerName): ValidateFunction {
  const schema = readFileSync(join(projectRoot(), SCHEMA_FOLDER, schemaFileOf(name)), "utf8");
  return ajv.compile(JSON.parse(schema));
}
