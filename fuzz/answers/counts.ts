// Declares the JSON shapes of the counts of a campaign.

import { z } from "zod";
import { AMOUNT, COUNT, COUNTS, SEED, TEXT, VERDICTS } from "./shared.js";

const HISTOGRAM = z
  .record(z.string().regex(/^\d+$/), COUNT)
  .describe("from an amount to the number of programs with that amount");

export const EFFECTIVE = z
  .record(TEXT, z.strictObject({ programs: COUNT, effective: COUNT }))
  .describe(
    "by engine: judged programs, and programs that the engine executed and whose results were compared",
  );

/** `Tally` of src/campaign/count/tally.ts, which documents each field. */
export const TALLY = z.strictObject({
  programs: COUNT,
  executions: COUNT.describe("executions by the oracle, one for each program and input"),
  verified: COUNT.describe("programs that were verified after every phase"),
  readings: COUNTS.optional().describe("programs, by the profile of their seed"),
  subjects: z.record(TEXT, VERDICTS),
  unjudged: COUNTS.describe("executions that the oracle cannot judge, by reason"),
  notShown: z
    .record(TEXT, COUNTS)
    .optional()
    .describe("by subject: aspects that the subject cannot expose, so they were not compared"),
  declined: z
    .record(TEXT, COUNTS)
    .optional()
    .describe("by subject: programs that the subject declined, by reason"),
  effective: EFFECTIVE.optional(),
  onProcessor: COUNTS.optional().describe("by subject: programs whose code ran on the processor"),
  values: HISTOGRAM.describe("programs, by values of the entry"),
  blocks: HISTOGRAM.describe("programs, by blocks of the entry"),
  exited: COUNT.describe("programs that took an exit"),
  resumed: COUNT.describe("programs that ran a continuation"),
  continued: COUNTS.describe("continuations, by the executor that ran them"),
  code: z.record(
    TEXT,
    z.strictObject({
      programs: COUNT,
      codeBytes: COUNT,
      instructions: COUNT,
      moves: COUNT,
      spilled: COUNT.describe("programs with spilled values"),
      farBranching: COUNT.describe("programs with a branch in the long form of two instructions"),
    }),
  ),
  applied: COUNTS.describe("programs, by applied phase or rule of the optimizer"),
  limits: COUNTS.optional().describe("programs in which a phase stopped at a limit"),
  events: COUNTS.describe("compiled programs, by compiler event"),
  halves: COUNTS.describe("Int64 values in halves, by operation on them"),
  traces: COUNTS.optional(),
});

const EXTREMES = z.array(z.strictObject({ seed: SEED, amount: AMOUNT }));

export const EXTREME_PROGRAMS = z.strictObject({
  longest: EXTREMES.describe("seconds from seed to verdicts"),
  largest: EXTREMES.describe("values of all procedures"),
});

export const EVOLUTION = z
  .strictObject({
    features: z.array(z.strictObject({ kind: TEXT, seen: COUNT, count: COUNT })),
    entries: COUNT.describe("programs in the corpus"),
    rounds: z.array(
      z.strictObject({ usual: COUNT, mutated: COUNT, byUsual: COUNT, byMutated: COUNT }),
    ),
  })
  .describe("for the profile evolved: covered features, and the yield of each round");

export const UNSEEN = z.array(
  z.strictObject({
    name: TEXT,
    unit: TEXT,
    units: COUNT,
    seen: COUNT,
    once: COUNT,
    rate: AMOUNT.describe("mean number of new units that one more unit reveals"),
    rateMax: AMOUNT.describe("upper bound of the rate, at 95 % confidence"),
    least: AMOUNT.describe("lower bound of the number of unseen units"),
  }),
);
