// Declares the JSON shapes of suites, proofs, name lists, machine checks and regressions.

import { z } from "zod";
import { AMOUNT, COUNT, INTERRUPTED, TEXT, TEXTS } from "./shared.js";

const SCRIPT_CASES = z.array(z.strictObject({ file: TEXT, line: COUNT, why: TEXT }));

export const CONFORM = z.strictObject({
  passed: COUNT.describe("cases; with --boundary: executions"),
  failed: COUNT,
  interrupted: INTERRUPTED,
  missing: TEXTS.describe("operations that the language lacks, and reasons why cases were not run"),
  unjudged: SCRIPT_CASES.describe(
    "script cases that the language leaves open, or that exceed its limits",
  ),
  leftOut: SCRIPT_CASES.describe("cases and modules of scripts that cannot be imported"),
});

const CLAIMS = {
  instances: COUNT,
  proved: COUNT,
  refuted: COUNT,
  unknown: COUNT,
  excluded: COUNT,
};
const MEDIAN_SECONDS = AMOUNT.nullable().describe(
  "processor time of a query; null if no query was needed",
);
const EXCLUSIONS = z.array(z.strictObject({ because: TEXT, names: TEXTS }));

export const PROVE = z.strictObject({
  rules: z.strictObject(CLAIMS),
  medianSeconds: MEDIAN_SECONDS,
  interrupted: INTERRUPTED,
  idle: TEXTS.describe("rules whose conditions never hold; computed with --cold"),
  excluded: EXCLUSIONS,
  refuted: z.array(z.strictObject({ name: TEXT, program: TEXT.nullable() })),
  unknown: TEXTS,
  rows: z
    .strictObject({
      ...CLAIMS,
      medianSeconds: MEDIAN_SECONDS,
      exclusions: EXCLUSIONS,
      outOfScope: z.array(z.strictObject({ rows: TEXT, because: TEXT })),
      wrong: z.array(
        z.strictObject({ name: TEXT, result: z.enum(["refuted", "unknown"]), program: TEXT }),
      ),
    })
    .optional()
    .describe("claims about lowering; absent if --rules names rules"),
  tried: z
    .strictObject({
      magic: z.strictObject({ tried: COUNT, wrong: TEXTS }),
      ranges: z.strictObject({
        tried: COUNT,
        best: COUNT,
        imprecise: z
          .record(TEXT, TEXT)
          .describe("by opcode: why its range is not the best possible one"),
        wrong: TEXTS,
      }),
    })
    .optional()
    .describe("results of exhaustive tests on operands; absent if --rules names rules"),
});

export const LIST = z.strictObject({
  lists: z.record(TEXT, z.array(z.strictObject({ name: TEXT, says: TEXT }))),
});

export const DOCTOR = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      name: TEXT,
      found: TEXT.nullable(),
      required: z.boolean().describe("whether a default subject needs it"),
      fix: TEXT.nullable().describe("the command line that installs or repairs it"),
    }),
  ),
});

export const CORPUS = z.strictObject({
  regressions: z.array(z.strictObject({ file: TEXT, says: TEXT })),
  known: z.array(
    z.strictObject({
      id: TEXT,
      bucket: TEXT,
      owner: TEXT,
      says: TEXT,
      fixed: TEXT.nullable().describe("the commit that fixed the bug; null while it is open"),
    }),
  ),
});

export const CORPUS_RUN = z.strictObject({
  files: COUNT,
  subjects: COUNT,
  failed: COUNT,
  interrupted: INTERRUPTED,
  exits: z
    .strictObject({ guards: COUNT, taken: COUNT })
    .describe("counts of --each-exit; 0 without it"),
  failures: z.array(z.strictObject({ file: TEXT, detail: TEXT })),
});
