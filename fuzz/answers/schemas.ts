// Declares the fields of each answer. The type checker compares commands with these shapes; a test
// generates the files in docs/schemas from them.

import { z } from "zod";
import type { AnswerName } from "./answers.js";
import { AGAINST, CANARIES, RUN, STORE, SUMMARY, WORKER } from "./campaigns.js";
import { CONFORM, CORPUS, CORPUS_RUN, DOCTOR, LIST, PROVE } from "./checks.js";
import {
  COMPILE,
  ENGINES,
  ENGINES_REGRESS,
  ENGINES_RUN,
  EXEC,
  EXPORT,
  IMPORT,
  LOCALIZE,
  PHASES,
  PLAYGROUND,
  REDUCE,
  SEED_PROGRAM,
  TRACE,
} from "./programs.js";
import { FINDINGS, TEXT, TEXTS } from "./shared.js";

// biome-ignore format: a table
const SCHEMAS = {
  "touchstone.seed":         SEED_PROGRAM,
  "touchstone.run":          RUN,
  "touchstone.canaries":     CANARIES,
  "touchstone.against":      AGAINST,
  "touchstone.worker":       WORKER,
  "touchstone.exec":         EXEC,
  "touchstone.compile":      COMPILE,
  "touchstone.trace":        TRACE,
  "touchstone.export":       EXPORT,
  "touchstone.playground":   PLAYGROUND,
  "touchstone.import":       IMPORT,
  "touchstone.phases":       PHASES,
  "touchstone.engines":      ENGINES,
  "touchstone.engines-run":  ENGINES_RUN,
  "touchstone.engines-regress": ENGINES_REGRESS,
  "touchstone.reduce":       REDUCE,
  "touchstone.report":       z.strictObject({ findings: FINDINGS }),
  "touchstone.localize":     LOCALIZE,
  "touchstone.conform":      CONFORM,
  "touchstone.proofs-run":   PROVE,
  "touchstone.summary":      SUMMARY,
  "touchstone.store":        STORE,
  "touchstone.stored-report": z.strictObject({ path: TEXT }),
  "touchstone.serve":        z.strictObject({ address: TEXT, places: TEXTS }),
  "touchstone.list":         LIST,
  "touchstone.doctor":       DOCTOR,
  "touchstone.corpus":       CORPUS,
  "touchstone.corpus-add":   z.strictObject({ file: TEXT, says: TEXT, found: TEXT, fixed: TEXT }),
  "touchstone.corpus-run":   CORPUS_RUN,
} as const satisfies { readonly [N in AnswerName]: z.ZodObject };

/**
 * The readonly form of `T`. Keys are strings, because JSON has no other keys (a histogram has
 * numbers as keys).
 */
type DeepReadonly<T> = T extends object
  ? string extends keyof T
    ?
        | { readonly [key: string]: DeepReadonly<T[keyof T]> }
        | { readonly [key: number]: DeepReadonly<T[keyof T]> }
    : { readonly [K in keyof T]: DeepReadonly<T[K]> }
  : T;

/** The fields of an answer other than `schema` and `version`. */
export type AnswerFields<N extends AnswerName> = DeepReadonly<z.infer<(typeof SCHEMAS)[N]>>;

/** Returns the zod schema from which docs/schemas is generated. */
export const schemaOf = (name: AnswerName): z.ZodObject => SCHEMAS[name];
