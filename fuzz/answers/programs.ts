// Shapes of what is said of one program.

import { z } from "zod";
import { ALLOCATOR, COUNT, TARGET, TEXT, TEXTS } from "./shared.js";

const WRONG_INSTRUCTION = z.strictObject({
  target: TARGET,
  row: TEXT.describe("of the LIR instruction; or move, prologue, exit stub"),
  procedure: TEXT,
  instruction: z.int(),
  code: z.array(
    z.strictObject({
      offset: COUNT,
      bytes: TEXT.describe("hexadecimal"),
      meant: TEXT,
      read: TEXT.nullable().describe("by objdump; null where it was not run"),
    }),
  ),
  kind: z.enum(["value", "memory", "control"]),
  value: z.int().describe("-1 where none is"),
  text: TEXT,
  location: TEXT,
  expected: TEXT,
  got: TEXT,
});

const WRONG_VALUE = z.strictObject({
  kind: z.enum(["value", "operand", "control"]),
  procedure: TEXT,
  value: z.int(),
  text: TEXT,
  instruction: z.int(),
  row: TEXT,
  location: TEXT,
  expected: TEXT,
  got: TEXT,
  witness: z.enum(["oracle", "code"]).nullable(),
});

const WRONG_MOVES = z.strictObject({
  procedure: TEXT,
  place: TEXT,
  meant: TEXT,
  made: TEXT,
  location: TEXT,
  expected: TEXT,
  got: TEXT,
});

/** `Located` of src/localize/located.ts. */
const LOCATED = z.discriminatedUnion("stage", [
  z.strictObject({
    stage: z.literal("optimizer"),
    phase: TEXT,
    procedure: TEXT,
    detail: TEXT,
    application: z
      .strictObject({ by: TEXT, value: z.int(), procedure: TEXT })
      .nullable()
      .describe("null where a required phase is wrong"),
    range: TEXT.nullable().describe("the opcode whose range does not hold"),
    index: COUNT.describe("of the application: --opt-limit of one less is right"),
    applications: COUNT,
    before: TEXT,
    after: TEXT,
    runs: COUNT.describe("of the optimizer, that it took"),
  }),
  z.strictObject({
    stage: z.enum([
      ...(["lowering", "allocation", "clean-up", "moves", "exit records", "exit table"] as const),
      ...(["emission", "emulator", "oracle", "recorder", "links", "code generation"] as const),
    ]),
    detail: TEXT,
    allocator: ALLOCATOR.nullable(),
    faults: TEXTS,
    resumedBy: TEXT.nullable(),
    instruction: WRONG_INSTRUCTION.nullable(),
    rows: TEXTS,
    wrong: WRONG_VALUE.nullable(),
    moves: WRONG_MOVES.nullable(),
  }),
]);

export const LOCALIZE = z.strictObject({
  found: z.array(z.strictObject({ subject: TEXT, located: LOCATED })),
});
