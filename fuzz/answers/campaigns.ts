// Declares the JSON shapes of campaigns and stores.

import { z } from "zod";
import { EFFECTIVE, VERDICTS } from "../../src/campaign/count/tally.js";
import { EVOLUTION } from "../../src/campaign/evolved/evolution.js";
import { SUMMARY as SUMMARY_FILE } from "../../src/campaign/run/summary.js";
import { AMOUNT, COUNT, COUNTS, FIGURES, FINDINGS, LEFT_OUT, SEED, TEXT, TEXTS } from "./shared.js";

export const RUN = z.strictObject({
  programs: COUNT,
  seconds: AMOUNT,
  ended: z
    .enum(["count", "time", "findings", "interrupted", "machine"])
    .describe("why the campaign ended"),
  unreduced: COUNT.describe("findings that are not completely reduced; --resume continues"),
  subjects: z.record(TEXT, VERDICTS),
  effective: EFFECTIVE,
  missing: LEFT_OUT,
  unjudged: COUNTS.describe("executions that the oracle cannot judge, by reason"),
  symptoms: COUNTS.describe("seeds with a finding, by the first symptom"),
  findings: FINDINGS,
  figures: FIGURES,
  evolution: EVOLUTION.nullable(),
  broken: TEXTS.describe("exceeded limits of the plan, as text"),
  worlds: z
    .array(z.strictObject({ name: TEXT, says: TEXT, count: COUNT, named: COUNT, done: COUNT }))
    .describe("for the profile worlds: progress by kind of world"),
});

/** A value of the other compiler, then a value of this compiler. */
const PAIR = <T extends z.ZodType>(each: T) => z.record(TEXT, z.tuple([each, each]));

export const AGAINST = z.strictObject({
  commit: TEXT.describe("the other compiler"),
  programs: COUNT,
  changed: z
    .array(
      z.strictObject({
        seed: SEED,
        verdicts: PAIR(TEXT).describe(
          "by subject: the verdict of the other compiler, then of this one",
        ),
        codeBytes: PAIR(COUNT).describe("by subject, in the same order"),
        seconds: z
          .tuple([AMOUNT, AMOUNT])
          .nullable()
          .describe("in the same order; null if they do not differ"),
      }),
    )
    .describe("programs that the two compilers treat differently"),
});

export const WORKER = z.strictObject({
  store: TEXT,
  campaigns: z
    .array(z.strictObject({ name: TEXT, intervals: COUNT, programs: COUNT, seconds: AMOUNT }))
    .describe("the campaigns to which the worker delivered results"),
});

export const CANARIES = z.strictObject({
  canaries: z.array(
    z.strictObject({
      name: TEXT,
      stage: TEXT,
      about: TEXTS.describe("comparisons that can find the bug"),
      found: z.boolean(),
      aspect: TEXT.nullable().describe(
        "null if the allocation checker or the plain interpreter finds the bug",
      ),
      subject: TEXT.nullable(),
      seed: SEED.nullable(),
      programs: COUNT,
      seconds: AMOUNT,
      findings: FINDINGS,
    }),
  ),
});

const UNSEEN = z.array(
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

export const SUMMARY = SUMMARY_FILE.extend({
  figures: FIGURES.optional().describe("absent in summary.json"),
  unseen: UNSEEN.optional().describe("absent in summary.json"),
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
      ended: TEXT.nullable().describe("null while the campaign runs, or if it was killed"),
      done: COUNT.describe("programs"),
      count: COUNT.nullable().describe(
        "requested programs; null if the campaign has another limit",
      ),
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
      report: TEXT.nullable().describe("a folder on the machine that wrote the report"),
      stored: z.strictObject({ campaign: COUNT, id: TEXT }).nullable(),
    }),
  ),
});
