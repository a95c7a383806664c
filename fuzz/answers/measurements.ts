// Shapes of what `fuzz bench` measures.

import { z } from "zod";
import { ALLOCATOR, AMOUNT, COUNT, INTERRUPTED, LEVEL, TARGET, TEXT, TEXTS } from "./shared.js";

export const BENCH = z.strictObject({
  figures: z.array(
    z.strictObject({
      name: TEXT,
      value: z.number().nullable().describe("null where it could not be measured"),
      unit: TEXT,
      budget: z.number().nullable().describe("what the first version is asked for"),
      goal: z.number().nullable().describe("what is aimed at"),
      better: z.enum(["more", "less"]),
    }),
  ),
  interrupted: INTERRUPTED,
});

const byTarget = <T extends z.ZodType>(each: T) => z.strictObject({ x64: each, arm64: each });
const SECONDS = AMOUNT.nullable().describe("of this processor; null where it does not run them");
const MEANS = z
  .strictObject({ instructions: AMOUNT, seconds: SECONDS })
  .describe("geometric means over the kernels");

const KERNEL_FIGURES = z.strictObject({
  geomean: byTarget(z.strictObject({ O0: MEANS, O1: MEANS, O2: MEANS }))
    .nullable()
    .describe("null, as all means, where it was interrupted"),
  ratios: byTarget(z.record(TEXT, AMOUNT))
    .nullable()
    .describe("O2/O0, ...: of executed instructions"),
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
      c: AMOUNT.nullable().describe("seconds by gcc -O1; null where it is missing"),
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
      unlimited: COUNT.describe("moves with registers without end"),
      extra: z.number().describe("a share of the instructions"),
    }),
  ),
  extraMeans: byTarget(
    z.strictObject({ "linear-scan": z.number(), colouring: z.number(), "one-pass": z.number() }),
  ).nullable(),
});

export const KERNELS = z.strictObject({
  kernels: KERNEL_FIGURES,
  imported: KERNEL_FIGURES.describe("of kernels in C, imported from WebAssembly"),
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
      .describe("of clang-19 -O2, geometric means"),
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
      growth: AMOUNT.describe("of the largest, as a share of what n log n makes of 1000"),
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
    .describe("what the largest program of a shape has reached"),
  interrupted: INTERRUPTED,
});
