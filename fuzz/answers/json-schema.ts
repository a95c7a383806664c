// Converts the answers to JSON Schema and to the command table of docs/schemas. A test writes both.

import { z } from "zod";
import { ANSWERS, type AnswerName, schemaFileOf } from "./answers.js";
import { schemaOf } from "./schemas.js";

// The cast: `ANSWERS` has no other keys.
export const ANSWER_NAMES = Object.keys(ANSWERS) as readonly AnswerName[];

/** Returns the schema in draft 7, as docs/schemas contains it. */
export function jsonSchemaOf(name: AnswerName): object {
  const { version, title } = ANSWERS[name];
  const head = { schema: z.literal(name), version: z.literal(version) };
  const whole = z.strictObject({ ...head, ...schemaOf(name).shape });
  const { $schema, ...schema } = z.toJSONSchema(whole, {
    target: "draft-7",
    override: ({ jsonSchema }) => {
      // Every number is within these bounds, so they carry no information.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { $schema, $id: `${name}.${version}`, title, ...schema };
}

/** Returns the lines of the Markdown table. */
export function commandTable(): string[] {
  const rows = ANSWER_NAMES.map((name) => {
    const { command, title, success, failure } = ANSWERS[name];
    const file = schemaFileOf(name);
    return `| \`fuzz ${command}\` | [\`${name}\`](${file}): ${title} | ${success} | ${failure ?? ""} |`;
  });
  return ["| command | prints | status 0 | status 1 |", "| --- | --- | --- | --- |", ...rows];
}
