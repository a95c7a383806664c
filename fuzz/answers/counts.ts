// Shapes of what is counted: by a campaign, and of what the generator makes.

import { z } from "zod";
import { AMOUNT, COUNT, COUNTS, FIGURES, SEED, TEXT, TEXTS, VERDICTS } from "./shared.js";

const HISTOGRAM = z.record(z.string().regex(/^\d+$/), COUNT).describe("how many have so much");

export const EFFECTIVE = z
  .record(TEXT, z.strictObject({ programs: COUNT, effective: COUNT }))
  .describe("by engine: programs, and those that it ran and that were compared");

/** `Tally` of src/campaign/count/tally.ts, which says more. */
export const TALLY = z.strictObject({
  programs: COUNT,
  executions: COUNT.describe("by the oracle: one for each program and input"),
  verified: COUNT.describe("programs that were verified after every phase"),
  readings: COUNTS.optional().describe("programs by the profile by which their seed was read"),
  subjects: z.record(TEXT, VERDICTS),
  unjudged: COUNTS.describe("executions that the oracle does not judge, by reason"),
  notShown: z
    .record(TEXT, COUNTS)
    .optional()
    .describe("by subject: what was not compared, because it cannot show it"),
  declined: z
    .record(TEXT, COUNTS)
    .optional()
    .describe("by subject: programs that it declined, by reason"),
  effective: EFFECTIVE.optional(),
  onProcessor: COUNTS.optional().describe("by subject: programs whose code ran on the processor"),
  values: HISTOGRAM.describe("programs by values of the entry"),
  blocks: HISTOGRAM.describe("programs by blocks of the entry"),
  exited: COUNT.describe("programs that took an exit"),
  resumed: COUNT.describe("programs of which a continuation ran"),
  continued: COUNTS.describe("continuations by what ran them"),
  code: z.record(
    TEXT,
    z.strictObject({
      programs: COUNT,
      codeBytes: COUNT,
      instructions: COUNT,
      moves: COUNT,
      spilled: COUNT.describe("programs that spilled"),
      farBranching: COUNT.describe(
        "programs in which some branch has a long form of two instructions",
      ),
    }),
  ),
  applied: COUNTS.describe("programs by phases and rules of the optimizer that were applied"),
  limits: COUNTS.optional().describe("programs in which a phase did less than it could"),
  happened: COUNTS.describe("compiled programs by events of the compiler"),
  pieces: COUNTS.describe("values of 64 bits in pieces, by what was done with them"),
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
  .describe("of the profile evolved: what was covered, and what each round brought");

export const UNSEEN = z.array(
  z.strictObject({
    name: TEXT,
    unit: TEXT,
    units: COUNT,
    seen: COUNT,
    once: COUNT,
    rate: AMOUNT.describe("new ones that the next unit brings, on average"),
    rateMax: AMOUNT.describe("no higher in 19 campaigns of 20"),
    least: AMOUNT.describe("at least so many were not seen"),
  }),
);

const CELLS = z.strictObject({ all: COUNT, empty: TEXTS });
const COLUMN = z.enum(["generated", "executed", "mattered", "steered"]);
const APPLIED = z.array(z.strictObject({ name: TEXT, applied: COUNT, mattered: COUNT }));
const INSTANCES = z.array(
  z.strictObject({
    name: TEXT.describe("an opcode at its types"),
    generated: COUNT,
    executed: COUNT,
    mattered: COUNT,
    steered: COUNT,
    applies: z.array(COLUMN).describe("columns in which a zero is a figure below its floor"),
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
  .describe("what the first programs are");

export const DISTRIBUTION = z.strictObject({
  generator: TEXT.describe("its version"),
  seed: SEED,
  count: COUNT,
  ...DISTRIBUTED,
  instances: INSTANCES,
  applied: APPLIED,
});
