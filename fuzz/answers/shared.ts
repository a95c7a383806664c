// Declares JSON shapes that several answers share.

import { z } from "zod";

export const TEXT = z.string();
export const TEXTS = z.array(TEXT);
export const COUNT = z.int().nonnegative();
/** Counts by name. */
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
  .describe("executions, by verdict");

export const INTERRUPTED = z
  .boolean()
  .describe("whether Ctrl-C ended the command; the other fields then hold the results so far");

/** The cause, as in finding.json. */
const CAUSE = z.strictObject({
  stage: TEXT,
  part: TEXT.nullable().describe("the phase; after the optimizer, the target"),
  rule: TEXT.nullable(),
});

export const FINDINGS = z.array(
  z.strictObject({
    id: TEXT.describe("identifier, and name of the report's folder"),
    bucket: TEXT.describe("equal for all findings of one cause"),
    bucketId: TEXT,
    news: z
      .enum(["new", "seen", "known", "returned"])
      .describe(
        "relative to corpus/known; `seen`: an earlier campaign of the folder has the finding",
      ),
    kind: TEXT,
    seed: SEED.nullable().describe("null for a program from a file"),
    detail: TEXT.describe("the difference, in one line"),
    path: TEXT.describe("the folder of the report"),
    command: TEXTS.describe(
      "arguments of the command that reproduces the finding, from the project's root",
    ),
    instances: COUNT.describe("examined findings of the bucket, including this one"),
    values: COUNT.nullable().describe("size of the reduced program"),
    aspects: TEXTS.optional().describe("aspects that differ in the findings of the bucket"),
    cause: CAUSE.nullable().optional(),
    outline: TEXT.nullable().optional().describe("the opcodes of a small program"),
    doubt: TEXT.nullable()
      .optional()
      .describe("why the difference is not confirmed; null if it is"),
  }),
);

/** A figure below its floor counts as something found. */
export const FIGURES = z.array(
  z.strictObject({
    name: TEXT,
    value: z.union([z.number(), TEXT]).describe("a number, or text that names what is missing"),
    floor: z.number().nullable().describe("null if the figure has no floor"),
  }),
);
