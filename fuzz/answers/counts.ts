// Declares the JSON shapes of the counts of a campaign and of a distribution.

import { z } from "zod";
import { AMOUNT, COUNT, COUNTS, FIGURES, SEED, TEXT, TEXTS, VERDICTS } from "./shared.js";

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
  happened: COUNTS.describe("compiled programs, by compiler event"),
  pieces: COUNTS.describe("Int64 values in halves, by operation on them"),
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

const CELLS = z.strictObject({ all: COUNT, empty: TEXTS });
const COLUMN = z.enum(["generated", "executed", "mattered", "steered"]);
const APPLIED = z.array(z.strictObject({ name: TEXT, applied: COUNT, mattered: COUNT }));
const INSTANCES = z.array(
  z.strictObject({
    name: TEXT.describe("an opcode with its types"),
    generated: COUNT,
    executed: COUNT,
    mattered: COUNT,
    steered: COUNT,
    applies: z.array(COLUMN).describe("columns in which zero is below the floor"),
  }),
);

/** `Distribution` of src/campaign/distribution/distribution.ts. */
const DISTRIBUTED = {
  figures: FIGURES,
  makers: z.array(z.strictObject({ name: TEXT, made: COUNT, mattered: COUNT })),
  exits: z.array(z.strictObject({ name: TEXT, taken: COUNT })),
  specials: z.array(z.strictObject({ name: TEXT, met: COUNTS })),
  boundaries: z.array(z.strictObject({ name: TEXT, pairs: CELLS, jumps: CELLS })),
  histograms: z.array(z.strictObject({ name: TEXT, counts: z.array(COUNT) })),
};

export const SAMPLE = z
  .strictObject({
    count: COUNT,
    ...DISTRIBUTED,
    instances: INSTANCES.optional(),
    applied: APPLIED.optional(),
  })
  .describe("the distribution of the campaign's first programs");

export const DISTRIBUTION = z.strictObject({
  generator: TEXT.describe("the version of the generator"),
  seed: SEED,
  count: COUNT,
  ...DISTRIBUTED,
  instances: INSTANCES,
  applied: APPLIED,
});
