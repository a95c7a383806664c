// Parses the command line and starts a subcommand. commands.ts declares the subcommands and their
// options.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import yargs from "yargs";
import { escapeText } from "../src/ir/text/literals.js";
import { machineErrorOf } from "../src/support/machine-error.js";
import { didYouMean } from "../src/support/nearest.js";
import { projectRoot } from "../src/support/project-root.js";
import { optimizeLater } from "../src/support/v8-flags.js";
import {
  COMMAND_GROUPS,
  COMMANDS,
  type CommandLineReceiver,
  type CommandRunner,
} from "./commands.js";
import {
  CANARY,
  jsonOption,
  type OptionTable,
  OUTSIDE,
  PARENTS,
  PROFILE,
  REMOTE_OPTIONS,
  SUBJECTS,
  text,
} from "./options.js";
import { printLine, STATUS, UserError, usageError } from "./support/output.js";

/**
 * Runs one command line.
 * @param args without `node` and the script
 * @returns the exit status
 */
export async function main(args: readonly string[]): Promise<number> {
  return statusOf(async () => {
    const start = await parse(args);
    return start === null ? STATUS.nothingFound : start();
  });
}

/**
 * Returns the status of a command. A user error, or a refusal of the machine, becomes one line and
 * a status.
 */
export async function statusOf(start: CommandRunner): Promise<number> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof UserError) return complain(error.status, error.message);
    if (error instanceof Error && error.name === "MissingLibrary") {
      return complain(STATUS.missing, error.message);
    }
    const refusal = machineErrorOf(error);
    if (refusal !== null) return complain(STATUS.missing, escapeText(refusal.message));
    throw error;
  }
}

function complain(status: number, message: string): number {
  process.stderr.write(`fuzz: ${message}\n`);
  return status;
}

/**
 * Returns the command that the command line selects; null for help, version or completions. Throws
 * UserError if the line is wrong.
 */
export async function parse(args: readonly string[]): Promise<CommandRunner | null> {
  let chosen: CommandRunner | null = null;
  const choose = (start: CommandRunner): void => {
    chosen = start;
  };
  if (args[0] === COMPLETION_OPTION) {
    const values = completeCommand(args.slice(2)) ?? (await completeValue(args));
    if (values !== null) {
      for (const value of values) printLine(value);
      return null;
    }
  }
  const parser = makeParser(helpLast(args), choose);
  if (args.length === 2 && args[0] === COMPLETION && !args[1].startsWith("-"))
    throw usageError(`${COMPLETION}: expected no ${args[1]}: the script is for the shell in SHELL`);
  if (args.length === 1 && args[0] === COMPLETION) {
    parser.showCompletionScript();
    return null;
  }
  const parsed = await parser.parseAsync();
  if (chosen !== null) return chosen;
  if (PARSER_OPTIONS.some((name) => parsed[name] !== undefined)) return null;
  const { seed, ...others } = parsed;
  if (seed !== undefined) {
    optimizeLater();
    return async () => (await import("./seed.js")).run({ ...others, seed });
  }
  throw usageError("expected a command or --seed N; see fuzz --help");
}

/** Converts `fuzz help run` and `fuzz run -h` to `fuzz run --help`. */
function helpLast(args: readonly string[]): readonly string[] {
  if (args[0] === "help") return [...args.slice(1), "--help"];
  return args.at(-1) === "-h" ? [...args.slice(0, -1), "--help"] : args;
}

const COMPLETION = "completion";
/**
 * The option with which the shell's completion script calls the command. The words of the line
 * follow it.
 */
const COMPLETION_OPTION = "--get-yargs-completions";

/** Returns the commands that start with the last word; null where the shell completes something else. */
function completeCommand(words: readonly string[]): string[] | null {
  const [first = "", ...rest] = words;
  if (first.startsWith("-")) return null;
  const parts = COMMANDS.find(({ name }) => name === first)?.parts ?? [];
  if (rest.length > 1 || (rest.length === 1 && parts.length === 0)) return null;
  const names = (rest.length === 0 ? COMMANDS : parts).map(({ name }) => name);
  return [...names, ...(rest.length === 0 ? [COMPLETION] : [])].filter((name) =>
    name.startsWith(rest[0] ?? first),
  );
}

/**
 * Returns the values that may complete the last word: the names that its option accepts, after the
 * last comma; null if it accepts no names.
 */
async function completeValue(args: readonly string[]): Promise<string[] | null> {
  const [option = "", current = ""] = args.slice(-2);
  const { namesFor } = await import("./list.js");
  const names = namesFor(option);
  if (names === null) return null;
  const before = current.slice(0, current.lastIndexOf(",") + 1);
  return names.map((name) => before + name).filter((name) => name.startsWith(current));
}

/** Options that yargs handles. */
const PARSER_OPTIONS = ["help", "version", "get-yargs-completions"];

function own<const O extends object>(option: O) {
  return { ...option, global: false } as const;
}

/** The options of `fuzz` without a command. */
const OWN_OPTIONS = {
  seed: own(
    text("judge one program: print its text, the outcome of each subject, and the verdict"),
  ),
  subjects: own(SUBJECTS),
  "subject-command": own(REMOTE_OPTIONS["subject-command"]),
  "subject-seconds": own(REMOTE_OPTIONS["subject-seconds"]),
  "subject-memory": own(REMOTE_OPTIONS["subject-memory"]),
  "subject-supports": own(REMOTE_OPTIONS["subject-supports"]),
  form: own(REMOTE_OPTIONS.form),
  canary: own(CANARY),
  profile: own(PROFILE),
  parents: own(PARENTS),
  outside: own(OUTSIDE),
  json: own(jsonOption(["touchstone.seed"])),
} as const satisfies OptionTable;

function makeParser(args: readonly string[], choose: CommandLineReceiver["choose"]) {
  let taken: OptionTable = OWN_OPTIONS;
  let usage = "";
  const takes: CommandLineReceiver["takes"] = (command, options) => {
    taken = options;
    usage = command;
  };
  const parser = yargs([...args])
    .scriptName("fuzz")
    .locale("en")
    .usage(
      `$0 <command>, or $0 --seed N\n\nFinds miscompilations by differential testing.\n\n${listed()}`,
    )
    .options(OWN_OPTIONS)
    .group(Object.keys(OWN_OPTIONS), "With --seed N:")
    .help("help", "print this text; fuzz COMMAND --help lists the options of a command")
    .example("$0 --seed 7", "the program of seed 7, judged by every subject")
    .example("$0 --seed 7 --subjects x64-O0,x64-O1", "by two subjects")
    .example("$0 run --for 60s", "a campaign of a minute")
    .parserConfiguration({
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .version("version", "print the version of Touchstone", version())
    .wrap(Math.min(100, process.stdout.columns ?? 100))
    .strict()
    .check((parsed) => refuseRepeated(parsed) && refuseFlagValues(args, taken))
    .strictCommands()
    .recommendCommands()
    .completion(COMPLETION, "print a shell completion script: fuzz completion >> ~/.bashrc")
    .exitProcess(false)
    .fail((message, error) => {
      if (error instanceof UserError) throw error;
      const line = (message ?? error.message).trim().replace(/\s*\n\s*/g, "; ");
      const isGuess = line.startsWith("Did you mean");
      if (isGuess) throw usageError(`no such command. ${line}`);
      const what = messageFor(line, usage);
      throw usageError(`${what}${guessOption(line, taken)}; see ${helpFor(usage)}`);
    })
    .epilogue(
      "Status 0: nothing found; 1: findings, or an expectation failed; 2: wrong usage or " +
        "malformed input; 3: something that was named is missing; 4: an internal error.",
    );
  for (const { declare } of COMMANDS) declare(parser, { takes, choose });
  return parser;
}

/** Returns the commands by group, a line each. */
function listed(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  const blocks = COMMAND_GROUPS.map(({ title, commands }) => {
    const lines = commands.map(({ usage, summary: says }) => `$0 ${usage.padEnd(width)}  ${says}`);
    return [`${title}:`, ...lines].join("\n");
  });
  return blocks.join("\n\n");
}

/**
 * Rewrites an error message of yargs.
 * @param usage the usage of the command; empty if there is none
 */
function messageFor(line: string, usage: string): string {
  if (line.startsWith("Not enough non-option arguments")) return `expected fuzz ${usage}`;
  const lacking = /^Not enough arguments following: (.*)$/.exec(line)?.[1];
  if (lacking !== undefined) return `--${lacking}: expected a value`;
  const choices = /^Invalid values:; Argument: (\S+), Given: (.*), Choices: (.*)$/.exec(line);
  if (choices !== null) {
    const [, name, given, known] = choices.map((part) => part.replaceAll('"', ""));
    return `--${name} ${given}: expected one of ${known}${didYouMean(given, known.split(", "))}`;
  }
  const surplus = /^Unknown commands?: (.*)$/.exec(line)?.[1];
  if (surplus === undefined || usage === "") return line;
  return `expected fuzz ${usage}, without ${surplus}`;
}

/** @param usage the words of a command before its positional arguments */
const helpFor = (usage: string): string =>
  ["fuzz", ...usage.split(" ").filter((word) => /^\w/.test(word)), "--help"].join(" ");

/** Returns a suggestion if the message is about an unknown option that resembles a known one. */
function guessOption(complaint: string, taken: OptionTable): string {
  const unknown = /^Unknown arguments?: ([\w-]+)/.exec(complaint)?.[1];
  return unknown === undefined ? "" : didYouMean(unknown, [...Object.keys(taken), "help"], "--");
}

const LISTS = new Set(["_", "files", "folders"]);

// Refuses a repeated option: only the user can decide which value is meant.
function refuseRepeated(args: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(args)) {
    if (Array.isArray(value) && !LISTS.has(name)) throw usageError(`--${name} is given twice`);
  }
  return true;
}

/** Refuses a value for a flag; yargs would read any value other than `true` as false. */
function refuseFlagValues(args: readonly string[], taken: OptionTable): true {
  for (const arg of args) {
    if (arg === "--") break;
    const [, name, value] = /^--([\w-]+)=(.*)$/s.exec(arg) ?? [];
    const isFlag =
      name !== undefined && Object.hasOwn(taken, name) && taken[name].type === "boolean";
    if (isFlag && value !== "true" && value !== "false") {
      throw usageError(`--${name}=${value}: expected --${name} alone`);
    }
  }
  return true;
}

function version(): string {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), "package.json"), "utf8"));
  return String(version);
}
