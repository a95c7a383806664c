// Shapes that several answers have in common.

import { z } from "zod";

export const TEXT = z.string();
export const TEXTS = z.array(TEXT);
export const COUNT = z.int().nonnegative();
/** By name. */
export const COUNTS = z.record(TEXT, COUNT);
export const AMOUNT = z.number().nonnegative();
export const SEED = z
  .string()
  .regex(/^\d{1,20}$/)
  .describe("64 bits, decimal");

export const TARGET = z.enum(["x64", "arm64"]);
export const LEVEL = z.enum(["O0", "O1", "O2"]);
export const ALLOCATOR = z.enum(["linear-scan", "colouring", "one-pass"]);

/** Subjects that this machine cannot run. */
export const LEFT_OUT = z.array(z.strictObject({ subject: TEXT, reason: TEXT }));

export const VERDICTS = z
  .strictObject({ equal: COUNT, different: COUNT, unjudged: COUNT })
  .describe("executions by verdict");

export const INTERRUPTED = z
  .boolean()
  .describe("Ctrl-C came: all the others are of what was done by then");

/** As in finding.json. */
const CAUSE = z.strictObject({
  stage: TEXT,
  part: TEXT.nullable().describe("the phase, or the target behind the optimizer"),
  rule: TEXT.nullable(),
});

export const FINDINGS = z.array(
  z.strictObject({
    id: TEXT.describe("also the name of the report's folder"),
    bucket: TEXT.describe("the same for findings of one cause"),
    bucketId: TEXT,
    news: z
      .enum(["new", "seen", "known", "returned"])
      .describe("compared with corpus/known; seen: an earlier campaign of the folder has it"),
    kind: TEXT,
    seed: SEED.nullable().describe("null for a program from a file"),
    detail: TEXT.describe("what differs, in one line"),
    path: TEXT.describe("the folder of the report"),
    command: TEXTS.describe("the argument vector that shows it again, from the project's root"),
    instances: COUNT.describe("findings of the bucket that were looked at, this one included"),
    values: COUNT.nullable().describe("of the reduced program"),
    aspects: TEXTS.optional().describe("what differs in the findings of the bucket"),
    cause: CAUSE.nullable().optional(),
    outline: TEXT.nullable().optional().describe("the opcodes of a small program"),
    doubt: TEXT.nullable()
      .optional()
      .describe("why the difference is not confirmed; null if it is"),
  }),
);

/** Below its floor a figure is news. */
export const FIGURES = z.array(
  z.strictObject({
    name: TEXT,
    value: z.union([z.number(), TEXT]).describe("a number, or text that names what is missing"),
    floor: z.number().nullable().describe("null where it is only told"),
  }),
);
