// Declares the JSON shapes of the measurements of `fuzz bench`.

import { z } from "zod";
import { ALLOCATOR, AMOUNT, COUNT, INTERRUPTED, LEVEL, TARGET, TEXT, TEXTS } from "./shared.js";

export const BENCH = z.strictObject({
  figures: z.array(
    z.strictObject({
      name: TEXT,
      value: z.number().nullable().describe("null if it could not be measured"),
      unit: TEXT,
      budget: z.number().nullable().describe("the required value"),
      goal: z.number().nullable().describe("the desired value"),
      better: z.enum(["more", "less"]),
    }),
  ),
  interrupted: INTERRUPTED,
});

const byTarget = <T extends z.ZodType>(each: T) => z.strictObject({ x64: each, arm64: each });
const SECONDS = AMOUNT.nullable().describe(
  "measured on this processor; null if it cannot run the code",
);
const MEANS = z
  .strictObject({ instructions: AMOUNT, seconds: SECONDS })
  .describe("geometric means over the kernels");

const KERNEL_FIGURES = z.strictObject({
  geomean: byTarget(z.strictObject({ O0: MEANS, O1: MEANS, O2: MEANS }))
    .nullable()
    .describe("null, as all means, if the measurement was interrupted"),
  ratios: byTarget(z.record(TEXT, AMOUNT))
    .nullable()
    .describe("executed instructions of one level divided by another: O2/O0, ..."),
  each: z.array(
    z.strictObject({
      kernel: TEXT,
      target: TARGET,
      level: LEVEL,
      codeBytes: COUNT,
      instructions: COUNT.describe("executed"),
      seconds: SECONDS,
    }),
  ),
  elsewhere: z.array(
    z.strictObject({
      kernel: TEXT,
      c: AMOUNT.nullable().describe("seconds with gcc -O1; null if gcc is missing"),
    }),
  ),
  extra: z.array(
    z.strictObject({
      kernel: TEXT,
      target: TARGET,
      level: LEVEL,
      allocator: ALLOCATOR,
      instructions: COUNT,
      moved: COUNT,
      unlimited: COUNT.describe("moves with an unlimited number of registers"),
      extra: z.number().describe("as a share of the executed instructions"),
    }),
  ),
  extraMeans: byTarget(
    z.strictObject({ "linear-scan": z.number(), colouring: z.number(), "one-pass": z.number() }),
  ).nullable(),
});

export const KERNELS = z.strictObject({
  kernels: KERNEL_FIGURES,
  imported: KERNEL_FIGURES.describe("kernels in C, imported from WebAssembly"),
  c: z.strictObject({
    each: z.array(
      z.strictObject({
        kernel: TEXT,
        target: TARGET,
        code: z.array(
          z.strictObject({ by: TEXT, codeBytes: COUNT, instructions: COUNT, seconds: SECONDS }),
        ),
      }),
    ),
    shares: z
      .array(
        z.strictObject({
          target: TARGET,
          by: TEXT,
          instructions: AMOUNT.nullable(),
          seconds: AMOUNT.nullable(),
          codeBytes: AMOUNT.nullable(),
        }),
      )
      .describe("relative to clang-19 -O2, geometric means"),
  }),
  interrupted: INTERRUPTED,
});

export const ALLOCATORS = z.strictObject({
  growth: z.array(
    z.strictObject({
      target: TARGET,
      live: COUNT,
      allocator: ALLOCATOR,
      sizes: z.array(COUNT).describe("instructions"),
      microseconds: z.array(AMOUNT),
      growth: AMOUNT.describe(
        "time of the largest size, divided by the n log n extrapolation from 1000 instructions",
      ),
    }),
  ),
  large: z.array(
    z.strictObject({
      allocator: ALLOCATOR,
      values: COUNT,
      live: COUNT,
      seconds: AMOUNT,
      megabytes: AMOUNT,
    }),
  ),
  interrupted: INTERRUPTED,
});

export const GROWTH = z.strictObject({
  parts: z.array(
    z.strictObject({
      shape: TEXT,
      part: TEXT.describe("a phase or a stage"),
      values: z.array(COUNT),
      cost: z.array(AMOUNT).describe("microseconds"),
      exponent: z.number(),
    }),
  ),
  limits: z
    .array(z.strictObject({ shape: TEXT, limits: TEXTS }))
    .describe("limits that the largest program of a shape reached"),
  interrupted: INTERRUPTED,
});
