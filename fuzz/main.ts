// The command line: which subcommands there are, and what each takes. What a subcommand does is in
// the file of its name, loaded when it is asked for: `fuzz --help` loads no compiler.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import yargs from "yargs";
import { projectRoot } from "../src/support/project-root.js";
import { STATUS, UserError, usageError } from "./support/output.js";

type Start = () => Promise<number>;

// Every value comes as text: a seed has 64 bits, and each mistake is worth a better line than NaN.
const text = (describe: string) => ({ type: "string", requiresArg: true, describe }) as const;
const flag = (describe: string) => ({ type: "boolean", default: false, describe }) as const;

const SUBJECTS = text(
  "names between commas, `*` for any part (x64-*); if not given, those that this machine can run",
);
const SUBJECTS_OF_FILE = text("names between commas; if not given, all that do not run natively");
const SEED = text("the first seed: 64 bits, decimal or 0x...");
const JSON_LAST = flag("print one JSON object last, and nothing else to standard output");
const BRANCH_REACH = text("bytes that branches of ARM64 may span in their short form");
const PRESSURE = text(
  "what makes allocation hard: registers=N,ghosts=N,places=N,reorders,seed=N, or some of it",
);
const PIECES = flag("carry values of 64 bits in two registers where that can be");
const EACH_EXIT = flag("make each guard fail once, on its first visit, by rewriting the program");
const OPT_LIMIT = text("stop the optimizer after N applications of rules");
const PHASES = text("the phases to run, in order, between commas");
const DISABLE = text("phases and rules to switch off, between commas");
const PROFILE = text("how the seed is read: usual, or another profile, such as mutated");
const PARENTS = text("with --profile evolved: what the seed mutates, such as 12,m55");
const CHAOS = text("what chaotic subjects draw their choices from: the seed of the program");
/** A program that is wrong, if no file is named, and who says so. */
const TASK = {
  seed: text("the program of this seed"),
  subjects: SUBJECTS_OF_FILE,
  canary: text("with the planted bug of this name"),
  chaos: CHAOS,
  profile: PROFILE,
  parents: PARENTS,
};

/**
 * Runs one command line.
 * @param args without `node` and the script
 * @returns the exit status
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const start = await parse(args);
    return start === null ? STATUS.nothingFound : await start();
  } catch (error) {
    if (error instanceof UserError) return complain(error.status, error.message);
    if (error instanceof Error && error.name === "MissingLibrary") {
      return complain(STATUS.missing, error.message);
    }
    throw error;
  }
}

function complain(status: number, message: string): number {
  process.stderr.write(`fuzz: ${message}\n`);
  return status;
}

/** What the command line asks for; null if it asked for help, a version or completions. */
async function parse(args: readonly string[]): Promise<Start | null> {
  let chosen: Start | null = null;
  const choose = (start: Start): void => {
    chosen = start;
  };
  const parser = makeParser(args, choose);
  if (args.length === 1 && args[0] === COMPLETION) {
    parser.showCompletionScript();
    return null;
  }
  const parsed = await parser.parseAsync();
  if (chosen !== null) return chosen;
  if (ANSWERED.some((name) => parsed[name] !== undefined)) return null;
  const { seed, subjects, canary, profile, parents } = parsed;
  if (seed !== undefined) {
    return async () =>
      (await import("./seed.js")).run({ seed, subjects, canary, profile, parents });
  }
  throw usageError("expected a command or --seed N; see fuzz --help");
}

const COMPLETION = "completion";
/** Options that the parser itself answers. */
const ANSWERED = ["help", "version", "get-yargs-completions"];

function makeParser(args: readonly string[], choose: (start: Start) => void) {
  const parser = yargs([...args])
    .scriptName("fuzz")
    .locale("en")
    .usage("$0 <command>, or $0 --seed N\n\nFinds miscompilations by differential testing.")
    .options({
      seed: { ...text("one program: its text, what each subject did, the verdict"), global: false },
      subjects: { ...SUBJECTS, global: false },
      canary: { ...text("with the planted bug of this name"), global: false },
      profile: { ...PROFILE, global: false },
      parents: { ...PARENTS, global: false },
    })
    .example("$0 --seed 7", "the program of seed 7, judged by every subject")
    .example("$0 --seed 7 --subjects x64-O0,x64-O1", "by two of them")
    .example("$0 run --for 60s", "a campaign of a minute")
    .parserConfiguration({
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .version(version())
    .wrap(Math.min(100, process.stdout.columns ?? 100))
    .strict()
    .check(refuseRepeated)
    .strictCommands()
    .recommendCommands()
    .completion(COMPLETION, "a script for the shell: fuzz completion >> ~/.bashrc")
    .exitProcess(false)
    .fail((message, error) => {
      if (error instanceof UserError) throw error;
      const line = (message ?? error.message).trim().replace(/\s*\n\s*/g, "; ");
      const isGuess = line.startsWith("Did you mean");
      throw usageError(isGuess ? `no such command. ${line}` : `${line}; see fuzz --help`);
    })
    .epilogue(
      "Status 0: nothing found; 1: findings, or an expectation failed; 2: wrong usage or " +
        "malformed input; 3: something that was named is missing; 4: an internal error.",
    );
  declareRun(parser, choose);
  declareFiles(parser, choose);
  declareMeasures(parser, choose);
  declareCorpus(parser, choose);
  return parser;
}

const LISTS = new Set(["_", "files", "folders"]);

// Which of two values is meant, only the user knows.
function refuseRepeated(args: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(args)) {
    if (Array.isArray(value) && !LISTS.has(name)) throw usageError(`--${name} is given twice`);
  }
  return true;
}

type Parser = ReturnType<typeof yargs>;
type Choose = (start: Start) => void;

function declareRun(parser: Parser, choose: Choose): void {
  parser.command(
    "run",
    "a campaign: findings as they come, a summary at the end",
    (command) =>
      command
        .options({
          seed: { ...SEED, default: "1" },
          count: text("programs to judge; program i has seed S + i"),
          for: text("for how long: 30s, 8m, 8h; until Ctrl-C, if neither this nor --count"),
          subjects: SUBJECTS,
          draw: text("subjects a program, drawn by its seed: 6 of all, or all that are named"),
          profile: text(
            "how seeds are read: usual, mutated, evolved, or with dials held: pressure, exits, ...",
          ),
          workers: text("worker processes; one a core, if not given"),
          canary: {
            type: "string",
            describe: "plant this bug and look for it; every bug in turn, if no name is given",
          },
          "until-findings": text("stop after so many findings"),
          resume: flag("go on where the same campaign was interrupted, if it was"),
          reports: { ...text("the folder of campaigns"), default: "reports" },
          json: JSON_LAST,
        })
        .example("$0 run --seed 1 --count 50000", "seeds 1 to 50000, on all cores")
        .example("$0 run --for 8h", "a night")
        .example("$0 run --canary", "does each comparison find the bug that it is there for?"),
    (args) => choose(async () => (await import("./run/run.js")).run(args)),
  );
}

function declareFiles(parser: Parser, choose: Choose): void {
  parser
    .command(
      "exec <file>",
      "one file: its '; run:' lines, or the given arguments",
      (command) =>
        command
          .positional("file", { type: "string", demandOption: true, describe: "a program" })
          .options({
            args: text("arguments between commas, as in a run line: 'heap+16, 7, -0.0'"),
            subjects: SUBJECTS_OF_FILE,
            "opt-limit": OPT_LIMIT,
            disable: DISABLE,
            phases: PHASES,
            chaos: CHAOS,
            "branch-reach": BRANCH_REACH,
            pressure: PRESSURE,
            pieces: PIECES,
            fuel: text("values that one execution may take"),
            canary: text("with the planted bug of this name"),
            "each-exit": EACH_EXIT,
          })
          .example("$0 exec corpus/regress/x.ir", "status 1 if an expectation fails")
          .example("$0 exec x.ir --each-exit", "each guard fails once, on its first visit")
          .example("git bisect run npx fuzz exec x.ir", "the commit that broke it"),
      (args) => choose(async () => (await import("./exec.js")).run(args)),
    )
    .command(
      "compile <file>",
      "look inside the compiler",
      (command) =>
        command
          .positional("file", { type: "string", demandOption: true, describe: "a program" })
          .options({
            target: { ...text("instruction set"), choices: ["x64", "arm64"], default: "x64" },
            level: { ...text("how much to optimize"), choices: ["O0", "O1", "O2"], default: "O1" },
            dump: text(
              "the program as this phase has last left it, or LIR: lower, allocate; after each phase: all",
            ),
            emit: text("what to print, between commas: ir, lir, asm, bytes, exits; or iongraph"),
            "opt-limit": OPT_LIMIT,
            disable: DISABLE,
            phases: PHASES,
            chaos: CHAOS,
            procedure: text(
              "the procedure to compile, with what it calls; the entry, if not given",
            ),
            "branch-reach": BRANCH_REACH,
            pressure: PRESSURE,
            pieces: PIECES,
            allocator: {
              ...text("that of the level, if not given"),
              choices: ["linear-scan", "colouring", "one-pass"],
            },
          } as const)
          .example("$0 compile x.ir --target arm64 --emit asm", "the code")
          .example(
            "$0 compile x.ir --dump all",
            "the program after each phase; each is valid input",
          ),
      (args) => choose(async () => (await import("./compile/compile.js")).run(args)),
    )
    .command(
      "reduce [what]",
      "the smallest program with the same verdict",
      (command) =>
        command
          .positional("what", { type: "string", describe: "a file, or the folder of a finding" })
          .options({
            ...TASK,
            out: text("where to write it, better and better; standard output, if not given"),
            test: text("a command that is given a file: status 0 if the program is interesting"),
            resume: flag("go on from the file of --out, if it is there"),
            workers: text("processes that judge; one a core, if not given"),
          })
          .example("$0 reduce reports/C/F", "the finding F of the campaign C")
          .example("$0 reduce --seed 7 --out small.ir", "the program of seed 7")
          .example("$0 reduce x.ir --test ./crashes.sh", "what a script finds interesting"),
      (args) => choose(async () => (await import("./reduce/reduce.js")).run(args)),
    )
    .command(
      "report [what]",
      "the folder of a finding: located, confirmed, reduced, written up",
      (command) =>
        command
          .positional("what", { type: "string", describe: "a file, or the folder of a finding" })
          .options({
            ...TASK,
            out: {
              ...text("the folder in which each report gets one of its own"),
              default: "reports",
            },
            json: JSON_LAST,
          })
          .example("$0 report x.ir", "one report for each cause")
          .example("$0 report --seed 7 --canary float-rule", "a planted bug"),
      (args) => choose(async () => (await import("./report.js")).run(args)),
    )
    .command(
      "localize [what]",
      "the stage, the phase and the application of a rule that make a program wrong",
      (command) =>
        command
          .positional("what", { type: "string", describe: "a file, or the folder of a finding" })
          .options({
            ...TASK,
            json: JSON_LAST,
          })
          .example("$0 localize reports/C/F", "the finding F of the campaign C")
          .example("$0 localize --seed 7 --canary float-rule", "a planted bug"),
      (args) => choose(async () => (await import("./localize.js")).run(args)),
    );
}

function declareMeasures(parser: Parser, choose: Choose): void {
  parser
    .command(
      "conform [files..]",
      "expected values by somebody else, or the boundary tables, through oracle and subjects",
      (command) =>
        command
          .positional("files", { type: "string", array: true, describe: "suites" })
          .options({
            boundary: flag("every opcode at every type over boundary values, against the oracle"),
            share: text("one of so many cases of the boundary tables; all, if not given"),
            subjects: SUBJECTS_OF_FILE,
            json: JSON_LAST,
          })
          .example("$0 conform corpus/suites/boundary.jsonl", "one case a line")
          .example("$0 conform --boundary --share 20", "a twentieth of the tables, natively too"),
      (args) => choose(async () => (await import("./conform.js")).run(args)),
    )
    .command(
      "bench",
      "throughput by stage, compile time per value, quality of code",
      (command) =>
        command.options({
          seed: { ...SEED, default: "1" },
          count: text("programs to measure"),
          kernels: flag("code of six kernels instead: executed instructions, bytes, time"),
          allocators: flag("allocators instead: how their time grows, and a very large procedure"),
          disable: text("with --kernels: phases and rules to do without, between commas"),
          json: JSON_LAST,
        }),
      (args) =>
        choose(async () => {
          if (args.kernels) return (await import("./bench/bench-kernels.js")).run(args);
          if (args.allocators) return (await import("./bench/bench-allocators.js")).run(args);
          return (await import("./bench/bench.js")).run(args);
        }),
    )
    .command(
      "stats [folders..]",
      "a campaign's numbers; what the generator makes",
      (command) =>
        command
          .positional("folders", { type: "string", array: true, describe: "folders of campaigns" })
          .options({
            distribution: flag("measure what the generator makes, against the floors"),
            seed: { ...SEED, default: "1" },
            count: { ...text("programs to measure"), default: "2000" },
            json: JSON_LAST,
          })
          .example("$0 stats", "every campaign below reports/, together")
          .example("$0 stats --distribution --count 2000", "status 1 if a floor is missed"),
      (args) => choose(async () => (await import("./run/stats.js")).run(args)),
    )
    .command(
      "doctor",
      "what this machine has and lacks, and the line that mends it",
      (command) => command.options({ json: JSON_LAST }),
      (args) => choose(async () => (await import("./doctor.js")).run(args)),
    );
}

function declareCorpus(parser: Parser, choose: Choose): void {
  parser.command(
    "corpus",
    "the regressions: list, add, run",
    (command) =>
      command
        .command(
          "list",
          "the regressions and the buckets that somebody owns",
          (list) => list.options({ json: JSON_LAST }),
          (args) => choose(async () => (await import("./corpus.js")).list(args)),
        )
        .command(
          "add <finding>",
          "a regression from the folder of a finding",
          (add) =>
            add.positional("finding", { type: "string", demandOption: true }).options({
              name: { ...text("of the file, in words: lost-upper-half"), demandOption: true },
              says: { ...text("what was wrong, in one line"), demandOption: true },
              mended: {
                ...text("the commit that mended it, in its own words"),
                default: "not yet",
              },
            }),
          (args) => choose(async () => (await import("./corpus.js")).add(args)),
        )
        .command(
          "run [files..]",
          "every regression, or those that are named, by every subject",
          (run) =>
            run
              .positional("files", { type: "string", array: true, describe: "regressions" })
              .options({ subjects: SUBJECTS, "each-exit": EACH_EXIT, json: JSON_LAST }),
          (args) => choose(async () => (await import("./corpus.js")).run(args)),
        )
        .demandCommand(1, "expected list, add or run"),
    () => {},
  );
}

function version(): string {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), "package.json"), "utf8"));
  return String(version);
}
