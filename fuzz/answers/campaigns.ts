// Shapes of what is said of campaigns.

import { z } from "zod";
import { EFFECTIVE, EVOLUTION, EXTREME_PROGRAMS, SAMPLE, TALLY, UNSEEN } from "./counts.js";
import {
  AMOUNT,
  COUNT,
  COUNTS,
  FIGURES,
  FINDINGS,
  LEFT_OUT,
  SEED,
  TEXT,
  TEXTS,
  VERDICTS,
} from "./shared.js";

export const RUN = z.strictObject({
  programs: COUNT,
  seconds: AMOUNT,
  ended: z.enum(["count", "time", "findings", "interrupted", "machine"]).describe("by what"),
  unreduced: COUNT.describe("findings whose reduction has not come to its end: --resume goes on"),
  subjects: z.record(TEXT, VERDICTS),
  effective: EFFECTIVE,
  missing: LEFT_OUT,
  unjudged: COUNTS.describe("executions by the oracle, by reason"),
  symptoms: COUNTS.describe("seeds, by what was seen first"),
  findings: FINDINGS,
  figures: FIGURES,
  sample: SAMPLE.nullable(),
  evolution: EVOLUTION.nullable(),
  broken: TEXTS.describe("limits of the plan, in words"),
  worlds: z
    .array(z.strictObject({ name: TEXT, says: TEXT, count: COUNT, named: COUNT, done: COUNT }))
    .describe("of the profile worlds: how much of each kind is done"),
});

/** The other compiler first, then this one. */
const PAIR = <T extends z.ZodType>(each: T) => z.record(TEXT, z.tuple([each, each]));

export const AGAINST = z.strictObject({
  commit: TEXT.describe("the other compiler"),
  programs: COUNT,
  changed: z
    .array(
      z.strictObject({
        seed: SEED,
        verdicts: PAIR(TEXT).describe("by subject: the other compiler's, then this one's"),
        codeBytes: PAIR(COUNT).describe("by subject, likewise"),
        seconds: z.tuple([AMOUNT, AMOUNT]).nullable().describe("likewise; null if they are alike"),
      }),
    )
    .describe("programs that the two compilers treat differently"),
});

export const WORKER = z.strictObject({
  store: TEXT,
  campaigns: z
    .array(z.strictObject({ name: TEXT, intervals: COUNT, programs: COUNT, seconds: AMOUNT }))
    .describe("to which it delivered"),
});

export const CANARIES = z.strictObject({
  canaries: z.array(
    z.strictObject({
      name: TEXT,
      stage: TEXT,
      about: TEXTS.describe("comparisons that may find it"),
      found: z.boolean(),
      aspect: TEXT.nullable().describe(
        "null: by the allocation checker, or by the plain interpreter",
      ),
      subject: TEXT.nullable(),
      seed: SEED.nullable(),
      programs: COUNT,
      seconds: AMOUNT,
      findings: FINDINGS,
    }),
  ),
});

const SEED_RANGE = z.tuple([SEED, SEED]).describe("the first and the last");

export const SUMMARY = z.strictObject({
  campaigns: TEXTS,
  generators: TEXTS.describe("versions of the generator"),
  seconds: AMOUNT,
  intervals: z.array(SEED_RANGE).describe("seeds that were judged"),
  tally: TALLY,
  extremes: EXTREME_PROGRAMS.optional(),
  symptoms: COUNTS.describe("seeds with a finding, by what was seen first"),
  findings: FINDINGS,
  sample: SAMPLE.nullable(),
  evolution: EVOLUTION.nullable().optional(),
  fleet: z
    .strictObject({ lent: COUNT, delivered: COUNT, missing: z.array(SEED_RANGE) })
    .optional()
    .describe("intervals that were for workers of a fleet"),
  figures: FIGURES.optional().describe("not in summary.json"),
  unseen: UNSEEN.optional().describe("not in summary.json"),
});

const TIME = z.iso.datetime();

export const STORE = z.strictObject({
  campaigns: z.array(
    z.strictObject({
      id: COUNT,
      name: TEXT,
      build: TEXT,
      commit: TEXT.nullable(),
      beganAt: TIME,
      ended: TEXT.nullable().describe("null while it runs, or where it was killed"),
      done: COUNT.describe("programs"),
      count: COUNT.nullable().describe("programs that were asked for; null: until something else"),
      findings: COUNT,
      figures: z
        .strictObject({
          seconds: AMOUNT,
          programs: COUNT,
          executions: COUNT,
          unjudged: COUNT,
          findings: COUNT,
          covered: COUNT,
          symptoms: COUNT,
        })
        .nullable(),
    }),
  ),
  buckets: z.array(
    z.strictObject({
      id: TEXT,
      says: TEXT,
      firstSeen: TIME,
      lastSeen: TIME,
      campaigns: COUNT,
      findings: COUNT,
      report: TEXT.nullable().describe("a folder on the machine that made it"),
      stored: z.strictObject({ campaign: COUNT, id: TEXT }).nullable(),
    }),
  ),
});

export const SCORE = z.strictObject({
  rows: z.array(
    z.strictObject({
      bug: TEXT,
      kind: TEXT.describe("component of a planted bug, operator of a mutant"),
      profile: TEXT,
      seed: SEED,
      count: COUNT.describe("programs, at most"),
      expected: TEXT.nullable().describe("the stage and rule that the bug says"),
      dropped: TEXT.nullable().describe("why it was not asked"),
      killed: z.boolean(),
      programs: COUNT.nullable(),
      processor: AMOUNT.nullable().describe("seconds"),
      subject: TEXT.nullable(),
      how: TEXT,
      cause: z
        .strictObject({ stage: TEXT, part: TEXT.nullable(), rule: TEXT.nullable() })
        .nullable(),
      reached: COUNT.nullable().describe("programs that executed the mutant's place"),
      differed: COUNT.nullable().describe("programs with another result there"),
    }),
  ),
});
