// Options that several subcommands take, and the types of option tables.

import type { InferredOptionTypes, Options, PositionalOptionsType } from "yargs";
import { type AnswerName, SCHEMA_FOLDER, schemaFileOf } from "./answers/answers.js";

/** Options or positional arguments of a subcommand, by name. */
export type OptionTable = Readonly<
  Record<string, Options & { readonly type?: PositionalOptionsType }>
>;
/** The parsed values of a table; a name with hyphens is in camel case. */
export type ValuesOf<O extends OptionTable> = {
  readonly [K in keyof O as CamelCase<K>]: InferredOptionTypes<O>[K];
};
type CamelCase<K> = K extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail> & string>}`
  : K;

// Each value stays text: a seed has 64 bits, and a wrong value deserves a better message than NaN.
export const text = (describe: string) =>
  ({ type: "string", requiresArg: true, describe }) as const;
export const flag = (describe: string) => ({ type: "boolean", default: false, describe }) as const;

export const SUBJECTS = text(
  "names between commas, `*` for any part (x64-*); if not given, those that this machine can run",
);
export const SUBJECTS_OF_FILE = text(
  "names between commas; if not given, all that do not run natively",
);
export const STORE = text(
  "where campaigns are kept together: a folder, or postgres://...; TOUCHSTONE_STORE, if not given",
);
/** A compiler of the user's beside the subjects. */
export const SUBJECT_COMMAND = {
  "subject-command": text("a command that is a subject: docs/subject-command.md"),
  "subject-seconds": text("how long that command may take for a question; 60 if not given"),
  "subject-memory": text("MB that it may take; 2048 if not given"),
  "subject-supports": text("the part of the language that it supports, as JSON; all if not given"),
} as const satisfies OptionTable;
export const FIRST_SEED = {
  ...text("the first seed: 64 bits, decimal or 0x..."),
  default: "1",
} as const;
export const PROFILE = text("how the seed is read: usual, or another profile, such as mutated");
export const PARENTS = text("with --profile evolved: what the seed mutates, such as 12,m55");
export const OUTSIDE = text(
  "programs of yours that are mutated: files .ir, .wasm, .wat, .wast, folders, between commas",
);
export const CANARY = text("with the planted bug of this name");
/** What a command that prints these answers takes besides. */
export const jsonOption = (answers: readonly AnswerName[]) =>
  flag(
    `print one JSON object last, and nothing else to standard output: ${SCHEMA_FOLDER}/${answers.map(schemaFileOf).join(", ")}`,
  );
export const EACH_EXIT = flag(
  "make each guard fail once, on its first visit, by rewriting the program",
);
const DISABLE = text("phases and rules to switch off, between commas");
const CHAOS = text("what chaotic subjects draw their choices from: the seed of the program");

/** How a program is compiled. */
export const COMPILATION = {
  "opt-limit": text("stop the optimizer after N applications of rules"),
  disable: DISABLE,
  phases: text("the phases to run, in order, between commas"),
  chaos: CHAOS,
  "branch-reach": text("bytes that branches may span in their short form"),
  pressure: text(
    "what makes allocation hard: registers=N,ghosts=N,places=N,reorders,seed=N, or some of it",
  ),
  thresholds: text(
    "when traced subjects record: usual, or NAME=N between commas, as in docs/traces.md",
  ),
  pieces: flag("carry values of 64 bits in two registers where that can be"),
} as const satisfies OptionTable;

/** A wrong program, if no file is named, and the subjects that show it. */
export const TASK = {
  seed: text("the program of this seed"),
  subjects: SUBJECTS_OF_FILE,
  canary: CANARY,
  chaos: CHAOS,
  profile: PROFILE,
  parents: PARENTS,
} as const satisfies OptionTable;
