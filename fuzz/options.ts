// Declares options that several subcommands share, and the types of option tables.

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

// Values are parsed as text: a seed has 64 bits, and a number type would report malformed values as
// NaN.
export const text = (describe: string) =>
  ({ type: "string", requiresArg: true, describe }) as const;
export const flag = (describe: string) => ({ type: "boolean", default: false, describe }) as const;

/** Defaults that the commands supply: for these options, absence and the default differ. */
export const DEFAULTS = {
  engines: { seed: "1", count: "1000", batch: "20" },
  subjectSeconds: "60",
  subjectMemory: "2048",
} as const;

export const SUBJECTS = text(
  "comma-separated names, `*` for any part (x64-*); an engine with `:N` judges one program in N; default: all that this machine can run",
);
export const SUBJECTS_OF_FILE = text(
  "comma-separated names; default: all that do not run natively",
);
export const STORE = text(
  "a store shared by campaigns: a folder, or postgres://...; default: TOUCHSTONE_STORE",
);
const FORM = text(
  "the form of exported programs: comma-separated names, or plain (docs/engines.md)",
);
/** The form of programs for engines, and a command of the user that serves as an additional subject. */
export const REMOTE_OPTIONS = {
  "subject-command": text("a command that is judged as a subject: docs/subject-command.md"),
  "subject-seconds": text(
    `time limit of that command for one question; default: ${DEFAULTS.subjectSeconds}`,
  ),
  "subject-memory": text(`memory limit of that command in MB; default: ${DEFAULTS.subjectMemory}`),
  "subject-supports": text(
    "the part of the language that the command supports, as JSON; default: all",
  ),
  form: FORM,
} as const satisfies OptionTable;
export const PROFILE = text("how the seed is read: usual, or another profile, such as mutated");
export const PARENTS = text(
  "with --profile evolved: the parents that the seed mutates, such as 12,m55",
);
export const OUTSIDE = text(
  "comma-separated files (.ir, .wasm, .wat, .wast) and folders, whose programs are mutated",
);
export const CANARY = text("plant the bug of this name");
/** Returns the option `--json` of a command that prints these answers. */
export const jsonOption = (answers: readonly AnswerName[]) =>
  flag(
    `print one JSON object last, and nothing else to standard output: ${SCHEMA_FOLDER}/${answers.map(schemaFileOf).join(", ")}`,
  );
export const EACH_EXIT = flag(
  "make each guard fail once, on its first visit, by rewriting the program",
);
const DISABLE = text("comma-separated phases and rules to disable");
const CHAOS = text("the seed of chaotic subjects: the seed of the program");

export const COMPILATION = {
  "opt-limit": text("stop the optimizer after N applications of rules"),
  disable: DISABLE,
  phases: text("comma-separated phases to run, in order"),
  chaos: CHAOS,
  "branch-reach": text("maximum distance in bytes of short branches"),
  pressure: text("make allocation difficult: any of registers=N,ghosts=N,places=N,reorders,seed=N"),
  thresholds: text(
    "thresholds of traced subjects: usual, or comma-separated NAME=N, as in docs/traces.md",
  ),
  halves: flag("carry 64-bit values in two registers where possible"),
} as const satisfies OptionTable;

/** A wrong program if no file is named, and the subjects that show it. */
export const TASK = {
  seed: text("the program of this seed"),
  subjects: SUBJECTS_OF_FILE,
  canary: CANARY,
  chaos: CHAOS,
  profile: PROFILE,
  parents: PARENTS,
} as const satisfies OptionTable;
