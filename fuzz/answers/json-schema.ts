// The answers as JSON Schema, and the table of commands in docs/schemas: written by a test.

import { z } from "zod";
import { ANSWERS, type AnswerName, schemaFileOf } from "./answers.js";
import { schemaOf } from "./schemas.js";

// The keys of the table.
export const ANSWER_NAMES = Object.keys(ANSWERS) as readonly AnswerName[];

/** Draft 7, as it stands in docs/schemas. */
export function jsonSchemaOf(name: AnswerName): object {
  const { version, says } = ANSWERS[name];
  const head = { schema: z.literal(name), version: z.literal(version) };
  const whole = z.strictObject({ ...head, ...schemaOf(name).shape });
  const { $schema, ...schema } = z.toJSONSchema(whole, {
    target: "draft-7",
    override: ({ jsonSchema }) => {
      // That a number is one of JavaScript's says nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { $schema, $id: `${name}.${version}`, title: says, ...schema };
}

/** Lines of Markdown. */
export function commandTable(): string[] {
  const rows = ANSWER_NAMES.map((name) => {
    const { of, says, well, found } = ANSWERS[name];
    const file = schemaFileOf(name);
    return `| \`fuzz ${of}\` | [\`${name}\`](${file}): ${says} | ${well} | ${found ?? ""} |`;
  });
  return ["| command | prints | status 0 | status 1 |", "| --- | --- | --- | --- |", ...rows];
}
