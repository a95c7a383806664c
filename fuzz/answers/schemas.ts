// The fields of each answer. A command is checked against them when it is compiled; the files in
// docs/schemas are made from them.

import { z } from "zod";
import type { AnswerName } from "./answers.js";
import { CANARIES, RUN, SCORE, STORE, SUMMARY } from "./campaigns.js";
import { CONFORM, CORPUS, CORPUS_RUN, DOCTOR, LIST, PROVE } from "./checks.js";
import { DISTRIBUTION } from "./counts.js";
import { ALLOCATORS, BENCH, GROWTH, KERNELS } from "./measurements.js";
import { LOCALIZE } from "./programs.js";
import { FINDINGS } from "./shared.js";

// biome-ignore format: a table
const SCHEMAS = {
  "touchstone.run":          RUN,
  "touchstone.canaries":     CANARIES,
  "touchstone.report":       z.strictObject({ findings: FINDINGS }),
  "touchstone.localize":     LOCALIZE,
  "touchstone.score":        SCORE,
  "touchstone.conform":      CONFORM,
  "touchstone.proofs-run":   PROVE,
  "touchstone.bench":        BENCH,
  "touchstone.kernels":      KERNELS,
  "touchstone.allocators":   ALLOCATORS,
  "touchstone.growth":       GROWTH,
  "touchstone.summary":      SUMMARY,
  "touchstone.store":        STORE,
  "touchstone.distribution": DISTRIBUTION,
  "touchstone.list":         LIST,
  "touchstone.doctor":       DOCTOR,
  "touchstone.corpus":       CORPUS,
  "touchstone.corpus-run":   CORPUS_RUN,
} as const satisfies { readonly [N in AnswerName]: z.ZodObject };

/** What nobody writes to; and in JSON every key is text, that of a histogram too. */
type Read<T> = T extends object
  ? string extends keyof T
    ? { readonly [key: string]: Read<T[keyof T]> } | { readonly [key: number]: Read<T[keyof T]> }
    : { readonly [K in keyof T]: Read<T[K]> }
  : T;

/** The fields beside `schema` and `version`. */
export type Fields<N extends AnswerName> = Read<z.infer<(typeof SCHEMAS)[N]>>;

/** For the files in docs/schemas. */
export const schemaOf = (name: AnswerName): z.ZodObject => SCHEMAS[name];
