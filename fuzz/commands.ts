// The table of subcommands: what each is called, what it takes, and where it is. A row loads the
// file of its subcommand only to run it, so `fuzz --help` loads no compiler.

import type { Argv } from "yargs";
import { LEVELS } from "../reference/levels.js";
import { ALLOCATOR_NAMES } from "../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../reference/target/target.js";
import { optimizeLater } from "../src/support/v8-flags.js";
import type { AnswerName } from "./answers/answers.js";
import {
  CANARY,
  COMPILATION,
  EACH_EXIT,
  FIRST_SEED,
  flag,
  jsonOption,
  type OptionTable,
  OUTSIDE,
  STORE,
  SUBJECT_COMMAND,
  SUBJECTS,
  SUBJECTS_OF_FILE,
  TASK,
  text,
  type ValuesOf,
} from "./options.js";

/** Runs what was asked for, and gives the exit status. */
export type Start = () => Promise<number>;
/** What the rows tell while a command line is parsed. */
export interface Line {
  /** The command of this usage takes these; told before its options are checked. */
  readonly takes: (usage: string, options: OptionTable) => void;
  readonly choose: (start: Start) => void;
}
type Declare = (parser: Argv, line: Line) => void;

interface Row<P extends OptionTable, O extends OptionTable> {
  /** The name; its positional arguments are in brackets. */
  readonly command: string;
  /** The command that it is a part of. */
  readonly within?: string;
  readonly says: string;
  readonly positional: P;
  readonly options: O;
  readonly examples?: readonly (readonly [command: string, says: string])[];
  /** What it prints with --json, which each command takes. */
  readonly answers: readonly [AnswerName, ...AnswerName[]];
  readonly run: (args: Values<P, O>) => Promise<number>;
}

type Json = { readonly json: ReturnType<typeof jsonOption> };
type Values<P extends OptionTable, O extends OptionTable> = ValuesOf<P> & ValuesOf<O & Json>;

interface Command {
  readonly name: string;
  /** The words of the command line: the name, and positional arguments in brackets. */
  readonly usage: string;
  readonly says: string;
  readonly examples: readonly (readonly [command: string, says: string])[];
  /** Commands that follow its name. */
  readonly parts: readonly Command[];
  readonly answers: readonly AnswerName[];
  readonly declare: Declare;
}

const usageOf = (words: string, within: string | undefined): string =>
  within === undefined ? words : `${within} ${words}`;

const row = <const P extends OptionTable, const O extends OptionTable>({
  command: words,
  within,
  says,
  positional,
  options: own,
  examples = [],
  answers,
  run,
}: Row<P, O>): Command => ({
  name: words.split(" ")[0],
  usage: usageOf(words, within),
  says,
  examples,
  parts: [],
  answers,
  declare: (parser, { takes, choose }) => {
    const options = { ...own, json: jsonOption(answers) };
    const usage = usageOf(words, within);
    parser.command(
      words,
      false, // listed by group, and not by the parser
      (command) => {
        command.usage(`$0 ${usage}\n\n${says}`);
        for (const [name, given] of Object.entries(positional)) command.positional(name, given);
        command.options(options);
        takes(usage, options);
        for (const [line, says] of examples) command.example(line, says);
      },
      // yargs has parsed just these options, in strict mode; it cannot infer types through a table.
      (args) => choose(() => run(args as Values<P, O>)),
    );
  },
});

const FILE = { file: { type: "string", demandOption: true, describe: "a program" } } as const;
const WHAT = { what: { type: "string", describe: "a file, or the folder of a finding" } } as const;
const listOf = (describe: string) => ({ type: "string", array: true, describe }) as const;

const run = row({
  command: "run [plan]",
  says: "a campaign: findings as they come, a summary at the end",
  positional: {
    plan: { type: "string", describe: "options by name: smoke, pr, nightly, or of the settings" },
  },
  options: {
    settings: text("the file of plans; touchstone.toml, if it is here"),
    seed: text("the first seed: 64 bits, decimal or 0x...; today: of the day; 1, if not given"),
    count: text(
      "programs to judge, of which program i has seed S + i; all: each world of a kind once, as of --profile worlds-two",
    ),
    for: text(
      "for how long, reductions included: 30s, 8m, 8h; until Ctrl-C, if neither this nor --count",
    ),
    subjects: SUBJECTS,
    ...SUBJECT_COMMAND,
    draw: text(
      "subjects a program, drawn by its seed; 4 of all (in profiles, 3 that trace, 1 of worlds), or all that are named, if not given",
    ),
    profile: text(
      "how seeds are read: usual, mutated, evolved, worlds, or with dials held: pressure, exits, ...",
    ),
    outside: OUTSIDE,
    since: text("aim at the rules, opcodes and folders that were changed since this commit"),
    against: text(
      "judge --count seeds with the compiler of this commit too; list changed verdicts, code sizes and times",
    ),
    workers: text("worker processes; one a core, if not given"),
    canary: {
      type: "string",
      describe: "plant this bug and look for it; one bug after the other, if no name is given",
    },
    "until-findings": text("stop after so many findings"),
    "reduce-seconds": text(
      "for the reduction of one finding; as long as it takes within --for, if not given",
    ),
    resume: flag(
      "go on where the same campaign was interrupted, or reduce what it had no time for",
    ),
    reports: text("the folder of campaigns; reports, if not given"),
    store: STORE,
    fleet: flag("let fuzz worker on other machines help, through a store on a server"),
    interval: text(
      "with --fleet: programs that a worker gets at a time; 40 s of work, if not given",
    ),
  },
  examples: [
    ["$0 run --seed 1 --count 50000", "seeds 1 to 50000, on all cores"],
    ["$0 run nightly --for 4h", "a plan, and what is to be otherwise"],
    ["$0 run --for 8h", "a night"],
    ["$0 run --since main --for 8m", "what a branch has changed is met more often"],
    ["$0 run --against HEAD~1 --count 500", "the same programs before and after a change"],
    ["$0 run --canary", "does each comparison find the bug that it is there for?"],
  ],
  answers: ["touchstone.run", "touchstone.canaries", "touchstone.against"],
  run: async (args) => (await import("./run/run.js")).run(args),
});

const worker = row({
  command: "worker",
  says: "helps the campaigns of a store on another machine",
  positional: {},
  options: {
    store: STORE,
    workers: text("worker processes; one a core, if not given"),
  },
  examples: [
    ["$0 run --fleet --store postgres://me@host/fuzz", "a campaign that lets others help"],
    ["$0 worker --store postgres://me@host/fuzz", "a helper; on as many machines as there are"],
  ],
  answers: ["touchstone.worker"],
  run: async (args) => (await import("./worker.js")).run(args),
});

const exec = row({
  command: "exec <file>",
  says: "one file: its '; run:' lines, or the given arguments",
  positional: FILE,
  options: {
    args: text("arguments between commas, as in a run line: 'heap+16, 7, -0.0'"),
    subjects: SUBJECTS_OF_FILE,
    ...SUBJECT_COMMAND,
    ...COMPILATION,
    fuel: text("values that one execution may take"),
    canary: CANARY,
    "each-exit": EACH_EXIT,
    bisect: flag("end with 0, 1, or 125 where nothing was judged: what git bisect run takes"),
  },
  examples: [
    ["$0 exec corpus/regress/x.ir", "status 1 if an expectation fails"],
    ["$0 exec x.ir --each-exit", "each guard fails once, on its first visit"],
    ["git bisect run npx fuzz exec --bisect x.ir", "the commit that broke it"],
  ],
  answers: ["touchstone.exec"],
  run: async (args) => {
    optimizeLater();
    return (await import("./exec.js")).run(args);
  },
});

const compile = row({
  command: "compile <file>",
  says: "the phases, LIR, machine code and exits of one program",
  positional: FILE,
  options: {
    target: { ...text("instruction set"), choices: TARGET_NAMES, default: "x64" },
    level: { ...text("how much to optimize"), choices: LEVELS, default: "O1" },
    dump: text(
      "the program as this phase has last left it, or LIR: lower, allocate; after each phase: all",
    ),
    emit: text("what to print, between commas: ir, lir, asm, bytes, exits, slots; or iongraph"),
    procedure: text("the procedure to compile, with what it calls; the entry, if not given"),
    ...COMPILATION,
    allocator: {
      ...text("that of the level, if not given"),
      choices: ALLOCATOR_NAMES,
    },
  },
  examples: [
    ["$0 compile x.ir --target arm64 --emit asm", "the code"],
    ["$0 compile x.ir --dump all", "the program after each phase; each is valid input"],
  ],
  answers: ["touchstone.compile"],
  run: async (args) => (await import("./compile/compile.js")).run(args),
});

const trace = row({
  command: "trace <file>",
  says: "the traces that one program records, and where they exit",
  positional: FILE,
  options: {
    args: text("arguments between commas, as in a run line: 'heap+16, 7, -0.0'"),
    hot: text(
      "arrivals at a loop, calls and exits until they are recorded; 3, 3 and 2, if not given",
    ),
    seed: text("a seed that draws all thresholds, as that of a campaign does"),
  },
  examples: [["$0 trace x.ir --hot 2", "each trace as a program, and its exits"]],
  answers: ["touchstone.trace"],
  run: async (args) => (await import("./trace.js")).run(args),
});

const exported = row({
  command: "export <file>",
  says: "the program as WebAssembly, C, LLVM IR or Lua",
  positional: FILE,
  options: {
    to: { ...text("the format: wasm, c, llvm, lua"), demandOption: true },
    facts: text(
      "c and llvm: state what holds in the executions of the run lines: all, or kinds between commas (docs/engines.md)",
    ),
    out: text("where to write it; standard output, if not given"),
  },
  examples: [
    ["$0 export x.ir --to wasm --out x.wasm", "a WebAssembly binary"],
    ["$0 export x.ir --to c --out x.c", "C11 with a main program that runs it"],
    [
      "$0 export x.ir --to llvm --facts nsw,range",
      "LLVM IR that says what overflows in no run line",
    ],
  ],
  answers: ["touchstone.export"],
  run: async (args) => (await import("./export.js")).run(args),
});

const imports = row({
  command: "import <file>",
  says: "WebAssembly as programs: .wasm, .wat, .wast",
  positional: { file: { type: "string", demandOption: true, describe: "a module or a script" } },
  options: {
    export: text("the exported function that is the program; needed if there are several"),
    out: text("where to write it; of a script a folder; standard output, if not given"),
    imports: {
      ...text(
        "what a call of a function is that nothing gives: an exit of its own kind, or an error",
      ),
      choices: ["exit", "refuse"],
      default: "exit",
    },
    pages: text("pages of the memory that the heap holds; an access after them is an exit"),
  },
  examples: [
    ["$0 import x.wasm --export main --out x.ir", "one function of a module, with what it calls"],
    ["$0 import x.wast --out programs", "a program for each export, a run line for each assertion"],
  ],
  answers: ["touchstone.import"],
  run: async (args) => (await import("./import.js")).run(args),
});

const phases = row({
  command: "phases <file>",
  says: "each phase of JavaScriptCore's B3, judged by the oracle",
  positional: {
    file: { type: "string", demandOption: true, describe: "a program, or a log of phases" },
  },
  options: {
    out: text("a folder for the log, and for programs in front of and behind what is wrong"),
  },
  examples: [
    ["$0 phases x.ir --out phases", "runs the program in JavaScriptCore, which logs its phases"],
    ["$0 phases jsc.log", "what `jsc --dumpB3GraphAtEachPhase=1` has logged of anything"],
  ],
  answers: ["touchstone.phases"],
  run: async (args) => (await import("./phases.js")).run(args),
});

const engines = row({
  command: "engines",
  says: "programs through other compilers; without --subjects, lists them",
  positional: {},
  options: {
    subjects: text("engines, between commas"),
    seed: FIRST_SEED,
    count: { ...text("programs to judge; program i has seed S + i"), default: "1000" },
    batch: { ...text("programs that are asked for at a time"), default: "20" },
    out: text("a folder for programs that differ"),
    explain: flag("each program that differs again, written so that it does not meet a known bug"),
    regress: text("the known bugs in two versions of their engines: system,zig-0.16.0"),
  },
  examples: [
    ["$0 engines --subjects v8-turbofan,v8-liftoff --count 2000", "both of V8's"],
    ["$0 engines --regress system,zig-0.16.0", "which known bugs are fixed in the newer version"],
  ],
  answers: ["touchstone.engines", "touchstone.engines-run", "touchstone.engines-regress"],
  run: async (args) => (await import("./engines.js")).run(args),
});

const reduce = row({
  command: "reduce [what]",
  says: "the smallest program with the same verdict",
  positional: WHAT,
  options: {
    ...TASK,
    ...SUBJECT_COMMAND,
    out: text("where to write it, better and better; standard output, if not given"),
    test: text("a command that is given a file: status 0 if the program is interesting"),
    "test-seconds": text("how long that command may take for a candidate; 30, if not given"),
    for: text("end after this time, like 10m, with the smallest program so far"),
    resume: flag("go on from the file of --out, if it is there"),
    workers: text("processes that judge; one a core, if not given"),
  },
  examples: [
    ["$0 reduce reports/C/F", "the finding F of the campaign C"],
    ["$0 reduce --seed 7 --out small.ir", "the program of seed 7"],
    ["$0 reduce x.ir --test ./crashes.sh", "what a script finds interesting"],
  ],
  answers: ["touchstone.reduce"],
  run: async (args) => (await import("./reduce/reduce.js")).run(args),
});

const report = row({
  command: "report [what]",
  says: "the folder of a finding: located, confirmed, reduced, written up",
  positional: WHAT,
  options: {
    ...TASK,
    ...SUBJECT_COMMAND,
    out: { ...text("the folder in which each report gets one of its own"), default: "reports" },
  },
  examples: [
    ["$0 report x.ir", "one report for each cause"],
    ["$0 report --seed 668 --canary float-rule", "a planted bug"],
  ],
  answers: ["touchstone.report"],
  run: async (args) => (await import("./report.js")).run(args),
});

const localize = row({
  command: "localize [what]",
  says: "the stage, phase and rule application that make a program wrong",
  positional: WHAT,
  options: TASK,
  examples: [
    ["$0 localize reports/C/F", "the finding F of the campaign C"],
    ["$0 localize --seed 668 --canary float-rule", "a planted bug"],
  ],
  answers: ["touchstone.localize"],
  run: async (args) => (await import("./localize.js")).run(args),
});

const score = row({
  command: "score [folders..]",
  says: "planted bugs and mutants: after how many programs each is found",
  positional: { folders: listOf("of corpus/planted; all, if not given") },
  options: {
    mutate: text("score so many mutants of the compiler's sources instead"),
    "mutant-seed": text("the seed by which mutants are drawn; 1, if not given"),
    profile: text("profiles between commas: how each finds them; usual, if not given"),
    seeds: text("first seeds between commas; 1, if not given"),
    count: text("programs that a campaign judges at most: 20000"),
    workers: text("processes that judge mutants; one a core, if not given"),
    state: {
      ...text("what is known already, and goes on from there"),
      default: "reports/score.jsonl",
    },
  },
  examples: [
    ["$0 score --profile usual,worlds --seeds 1,20001,40001", "time to kill by bug and profile"],
    ["$0 score --mutate 600", "the share of mutants that a campaign kills"],
  ],
  answers: ["touchstone.score"],
  run: async (args) => (await import("./score/score.js")).run(args),
});

const conform = row({
  command: "conform [files..]",
  says: "expected values from elsewhere, or the boundary tables",
  positional: { files: listOf("suites") },
  options: {
    boundary: flag("every opcode at every type over boundary values, against the oracle"),
    share: text("one of so many cases of the boundary tables; all, if not given"),
    subjects: SUBJECTS_OF_FILE,
  },
  examples: [
    ["$0 conform corpus/suites/boundary.jsonl", "one case a line"],
    ["$0 conform --boundary --share 20", "a twentieth of the tables, natively too"],
  ],
  answers: ["touchstone.conform"],
  run: async (args) => (await import("./conform.js")).run(args),
});

const prove = row({
  command: "prove",
  says: "the rules of the optimizer, for all operands, by an SMT solver",
  positional: {},
  options: {
    rules: text("rules by name, between commas; all, if not given"),
    cold: flag("ask everything again, also what was proved before"),
    update: flag("write what was proved to corpus/proofs"),
  },
  examples: [
    ["$0 prove", "what is not proved yet"],
    ["$0 prove --cold --rules sub-self", "one rule, from the beginning"],
  ],
  answers: ["touchstone.proofs-run"],
  run: async (args) => (await import("./prove.js")).run(args),
});

const bench = row({
  command: "bench",
  says: "throughput by stage, compile time per value, quality of code",
  positional: {},
  options: {
    seed: FIRST_SEED,
    count: text("programs to measure"),
    kernels: flag("code of nine kernels instead: executed instructions, bytes, time"),
    allocators: flag("allocators instead: how their time grows, and a very large procedure"),
    growth: flag("growth instead: how each phase and stage grows, on programs of ten shapes"),
    disable: text("with --kernels: phases and rules to do without, between commas"),
  },
  answers: ["touchstone.bench", "touchstone.kernels", "touchstone.allocators", "touchstone.growth"],
  run: async (args) => {
    if (args.kernels) return (await import("./bench/bench-kernels.js")).run(args);
    if (args.allocators) return (await import("./bench/bench-allocators.js")).run(args);
    if (args.growth) return (await import("./bench/bench-growth.js")).run(args);
    return (await import("./bench/bench.js")).run(args);
  },
});

const stats = row({
  command: "stats [folders..]",
  says: "the numbers of campaigns; the programs that the generator makes",
  positional: { folders: listOf("folders of campaigns") },
  options: {
    distribution: flag("measure what the generator makes, against the floors"),
    seed: FIRST_SEED,
    count: { ...text("programs to measure"), default: "2000" },
    format: text("write the campaigns as markdown, html, junit or sarif"),
    out: text(
      "with --format: the file, or standard output; with --bucket: the folder, or this one",
    ),
    store: text("the campaigns and buckets of this store instead: a folder, or postgres://..."),
    all: flag("every figure, beside what was found and the subjects"),
    bucket: text("with --store: write the latest report of this bucket, by its id"),
  },
  examples: [
    ["$0 stats reports/C --format html --out night.html", "a page"],
    ["$0 stats", "every campaign below reports/, together"],
    ["$0 stats --store .touchstone/store --bucket 0123456789", "a report from the store"],
    ["$0 stats --distribution --count 2000", "status 1 if a floor is missed"],
  ],
  answers: [
    "touchstone.summary",
    "touchstone.store",
    "touchstone.stored-report",
    "touchstone.distribution",
  ],
  run: async (args) => (await import("./run/stats.js")).run(args),
});

const serve = row({
  command: "serve",
  says: "campaigns in a browser on this machine",
  positional: {},
  options: {
    reports: { ...text("the folder of campaigns"), default: "reports" },
    store: STORE,
    port: { ...text("0: one that is free"), default: "8137" },
  },
  answers: ["touchstone.serve"],
  run: async (args) => (await import("./serve.js")).run(args),
});

const list = row({
  command: "list [what]",
  says: "the names that options take: subjects, engines, profiles, ...",
  positional: { what: { type: "string", describe: "one of them; if not given, which there are" } },
  options: {},
  examples: [["$0 list canaries", "the bugs that can be planted"]],
  answers: ["touchstone.list"],
  run: async (args) => (await import("./list.js")).run(args),
});

const doctor = row({
  command: "doctor",
  says: "what this machine has and lacks, and the line that fixes it",
  positional: {},
  options: {},
  answers: ["touchstone.doctor"],
  run: async (args) => (await import("./doctor.js")).run(args),
});

const CORPUS: readonly Command[] = [
  row({
    command: "list",
    within: "corpus",
    says: "the regressions and the known buckets",
    positional: {},
    options: {},
    answers: ["touchstone.corpus"],
    run: async (args) => (await import("./corpus.js")).list(args),
  }),
  row({
    command: "add <finding>",
    within: "corpus",
    says: "a regression from the folder of a finding",
    positional: { finding: { type: "string", demandOption: true } },
    options: {
      name: text("of the file, in words: lost-upper-half; after the cause, if not given"),
      says: text("what was wrong, in one line; the cause and what differs, if not given"),
      fixed: { ...text("the commit that fixed it, in its own words"), default: "not yet" },
    },
    answers: ["touchstone.corpus-add"],
    run: async (args) => (await import("./corpus.js")).add(args),
  }),
  row({
    command: "run [files..]",
    within: "corpus",
    says: "every regression, or those that are named, by every subject",
    positional: { files: listOf("regressions") },
    options: { subjects: SUBJECTS, "each-exit": EACH_EXIT },
    answers: ["touchstone.corpus-run"],
    run: async (args) => (await import("./corpus.js")).run(args),
  }),
];

const corpus: Command = {
  name: "corpus",
  usage: "corpus <list|add|run>",
  says: "the regressions and the known buckets",
  examples: [["$0 corpus run", "every regression, by every subject"]],
  parts: CORPUS,
  answers: CORPUS.flatMap(({ answers }) => answers),
  declare: (parser, { takes, choose }) => {
    parser.command("corpus", false, (command) => {
      const list = CORPUS.map(({ usage, says }) => `$0 ${usage}: ${says}`);
      command.usage(`$0 corpus <list|add|run>\n\n${list.join("\n")}`);
      for (const { declare } of CORPUS) declare(command, { takes, choose });
      return command.demandCommand(1, "expected list, add or run");
    });
  },
};

interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** In the order in which `fuzz --help` lists them. */
// biome-ignore format: a table
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: "Find bugs",                          commands: [run, conform, prove] },
  { title: "Work on a finding",                  commands: [exec, reduce, localize, report, corpus] },
  { title: "Your compiler and engines",          commands: [engines, phases, exported, imports] },
  { title: "Look inside the reference compiler", commands: [compile, trace, bench, score] },
  { title: "Campaigns over time",                commands: [stats, serve, worker] },
  { title: "This machine",                       commands: [list, doctor] },
];

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
