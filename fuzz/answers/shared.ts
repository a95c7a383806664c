// Declares JSON shapes that several answers share.

import { z } from "zod";
import { FINDING } from "../../src/campaign/file/filing.js";
import { AMOUNT, COUNT, COUNTS, SEED, TEXT, TEXTS } from "../../src/campaign/file/shapes.js";

export { AMOUNT, COUNT, COUNTS, SEED, TEXT, TEXTS };

export const TARGET = z.enum(["x64", "arm64"]);
export const LEVEL = z.enum(["O0", "O1", "O2"]);
export const ALLOCATOR = z.enum(["linear-scan", "colouring", "one-pass"]);

/** Subjects that this machine cannot run. */
export const LEFT_OUT = z.array(z.strictObject({ subject: TEXT, reason: TEXT }));

export const INTERRUPTED = z
  .boolean()
  .describe("whether Ctrl-C ended the command; the other fields then hold the results so far");

export const FINDINGS = z.array(FINDING);

/** A figure below its floor counts as something found. */
export const FIGURES = z.array(
  z.strictObject({
    name: TEXT,
    value: z.union([z.number(), TEXT]).describe("a number, or text that names what is missing"),
    floor: z.number().nullable().describe("null if the figure has no floor"),
  }),
);
