// Declares the subcommands: the name, the options and the implementing file of each. A row imports
// its file only to run it, so `fuzz --help` does not load a compiler.

import type { Argv } from "yargs";
import { LEVELS } from "../reference/levels.js";
import { ALLOCATOR_NAMES } from "../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../reference/target/target.js";
import { optimizeLater } from "../src/support/v8-flags.js";
import type { AnswerName } from "./answers/answers.js";
import {
  CANARY,
  COMPILATION,
  DEFAULTS,
  EACH_EXIT,
  flag,
  jsonOption,
  type OptionTable,
  OUTSIDE,
  REMOTE_OPTIONS,
  STORE,
  SUBJECTS,
  SUBJECTS_OF_FILE,
  TASK,
  text,
  type ValuesOf,
} from "./options.js";

/** Runs the parsed command and returns the exit status. */
export type CommandRunner = () => Promise<number>;
/** Receives the results of the rows while yargs parses a command line. */
export interface CommandLineReceiver {
  /** Called with the options of the parsed command, before they are checked. */
  readonly takes: (usage: string, options: OptionTable) => void;
  readonly choose: (start: CommandRunner) => void;
}
type OptionDeclarer = (parser: Argv, line: CommandLineReceiver) => void;

interface CommandRow<P extends OptionTable, O extends OptionTable> {
  /** The name; positional arguments are in brackets. */
  readonly command: string;
  /** The parent command. */
  readonly within?: string;
  readonly summary: string;
  readonly positional: P;
  readonly options: O;
  readonly examples?: readonly (readonly [command: string, says: string])[];
  /** The objects that it prints with --json. Every command accepts --json. */
  readonly answers: readonly [AnswerName, ...AnswerName[]];
  readonly run: (args: ParsedValues<P, O>) => Promise<number>;
}

type JsonOption = { readonly json: ReturnType<typeof jsonOption> };
type ParsedValues<P extends OptionTable, O extends OptionTable> = ValuesOf<P> &
  ValuesOf<O & JsonOption>;

interface CommandDescription {
  readonly name: string;
  /** The words of the command line: the name, and positional arguments in brackets. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly (readonly [command: string, says: string])[];
  readonly parts: readonly CommandDescription[];
  readonly answers: readonly AnswerName[];
  readonly declare: OptionDeclarer;
}

const usageOf = (words: string, within: string | undefined): string =>
  within === undefined ? words : `${within} ${words}`;

const row = <const P extends OptionTable, const O extends OptionTable>({
  command: words,
  within,
  summary: says,
  positional,
  options: own,
  examples = [],
  answers,
  run,
}: CommandRow<P, O>): CommandDescription => ({
  name: words.split(" ")[0],
  usage: usageOf(words, within),
  summary: says,
  examples,
  parts: [],
  answers,
  declare: (parser, { takes, choose }) => {
    const options = { ...own, json: jsonOption(answers) };
    const usage = usageOf(words, within);
    parser.command(
      words,
      false, // `fuzz --help` lists commands by group; the parser's own list is hidden
      (command) => {
        command.usage(`$0 ${usage}\n\n${says}`);
        for (const [name, given] of Object.entries(positional)) command.positional(name, given);
        command.options(options);
        takes(usage, options);
        for (const [line, says] of examples) command.example(line, says);
      },
      // The cast: yargs has parsed exactly these options in strict mode, but it cannot infer types
      // through a table.
      (args) => choose(() => run(args as ParsedValues<P, O>)),
    );
  },
});

const FILE = { file: { type: "string", demandOption: true, describe: "a program" } } as const;
const WHAT = {
  what: { type: "string", describe: "a program file, or the folder of a finding" },
} as const;
const listOf = (describe: string) => ({ type: "string", array: true, describe }) as const;

const run = row({
  command: "run [plan]",
  summary: "run a campaign: print findings when they occur, and a summary at the end",
  positional: {
    plan: {
      type: "string",
      describe:
        "a named set of options: smoke, pr, nightly, world (the newest engines that are installed), or one of --settings",
    },
  },
  options: {
    settings: text("the file of plans; default: touchstone.toml, if it exists"),
    seed: text(
      "the first seed S: 64 bits, decimal or 0x...; `today`: a seed of the date; default: 1",
    ),
    count: text(
      "number of programs; program i has seed S + i; `all`: each small world of one kind once, as of --profile worlds-two",
    ),
    for: text("duration, including reductions: 30s, 8m, 8h; default without --count: until Ctrl-C"),
    subjects: SUBJECTS,
    ...REMOTE_OPTIONS,
    draw: text(
      "number of subjects for each program, drawn by its seed; default: all named subjects, or 4 of all (3 if the profile traces, 1 for worlds)",
    ),
    profile: text(
      "how seeds are read: usual, mutated, evolved, worlds, or a profile with fixed dials: pressure, exits, ...",
    ),
    outside: OUTSIDE,
    since: text("aim programs at the rules, opcodes and folders that changed since this commit"),
    against: text(
      "also judge --count seeds with the compiler of this commit; list changed verdicts, code sizes and times",
    ),
    workers: text("number of worker processes; default: one for each core"),
    canary: {
      type: "string",
      describe: "plant this bug and search for it; without a name: each planted bug in turn",
    },
    "until-findings": text("stop after this many findings"),
    "reduce-seconds": text("time limit for reducing one finding; default: no limit within --for"),
    resume: flag(
      "continue the interrupted campaign with the same arguments, or finish its reductions",
    ),
    reports: text("the folder of campaigns; default: reports"),
    store: STORE,
    fleet: flag(
      "share the campaign with `fuzz worker` on other machines, through a store on a server",
    ),
    interval: text(
      "with --fleet: number of programs that a worker receives at a time; default: 40 s of work",
    ),
  },
  examples: [
    ["$0 run --seed 1 --count 50000", "seeds 1 to 50000, on all cores"],
    ["$0 run nightly --for 4h", "a plan with a changed option"],
    ["$0 run --for 8h", "a night"],
    ["$0 run --since main --for 8m", "aim at the changes of a branch"],
    ["$0 run --against HEAD~1 --count 500", "compare the same programs before and after a change"],
    ["$0 run --canary", "check that each comparison finds its planted bug"],
  ],
  answers: ["touchstone.run", "touchstone.canaries", "touchstone.against"],
  run: async (args) => (await import("./run/run.js")).run(args),
});

const worker = row({
  command: "worker",
  summary: "help the campaigns of a store from another machine",
  positional: {},
  options: {
    store: STORE,
    workers: text("number of worker processes; default: one for each core"),
  },
  examples: [
    ["$0 run --fleet --store postgres://me@host/fuzz", "a campaign that accepts helpers"],
    ["$0 worker --store postgres://me@host/fuzz", "a helper; run it on any number of machines"],
  ],
  answers: ["touchstone.worker"],
  run: async (args) => (await import("./worker.js")).run(args),
});

const exec = row({
  command: "exec <file>",
  summary: "run one program: its '; run:' lines, or the given arguments",
  positional: FILE,
  options: {
    args: text("comma-separated arguments, as in a run line: 'heap+16, 7, -0.0'"),
    subjects: SUBJECTS_OF_FILE,
    ...REMOTE_OPTIONS,
    ...COMPILATION,
    fuel: text("maximum number of values that one execution computes"),
    canary: CANARY,
    "each-exit": EACH_EXIT,
    bisect: flag("end with status 0, 1, or 125 if nothing was judged, for git bisect run"),
  },
  examples: [
    ["$0 exec corpus/regress/x.ir", "status 1 if an expectation fails"],
    ["$0 exec x.ir --each-exit", "each guard fails once, on its first visit"],
    [
      "git bisect run npx --no-install fuzz exec --bisect x.ir",
      "finds the commit that broke the program",
    ],
  ],
  answers: ["touchstone.exec"],
  run: async (args) => {
    optimizeLater();
    return (await import("./exec.js")).run(args);
  },
});

const compile = row({
  command: "compile <file>",
  summary: "print the phases, LIR, machine code and exits of one program",
  positional: FILE,
  options: {
    target: { ...text("instruction set"), choices: TARGET_NAMES, default: "x64" },
    level: { ...text("optimization level"), choices: LEVELS, default: "O1" },
    dump: text(
      "print the program after the last run of this phase; `all`: after each phase; lower, allocate: the LIR",
    ),
    emit: text(
      "forms to print, comma-separated: ir, lir, asm, bytes, exits, slots, allocation-trace; or iongraph",
    ),
    procedure: text("compile this procedure and its callees; default: the entry"),
    ...COMPILATION,
    allocator: {
      ...text("the register allocator; default: the one of the level"),
      choices: ALLOCATOR_NAMES,
    },
  },
  examples: [
    ["$0 compile x.ir --target arm64 --emit asm", "the machine code"],
    ["$0 compile x.ir --dump all", "the program after each phase; each is valid input"],
  ],
  answers: ["touchstone.compile"],
  run: async (args) => (await import("./compile/compile.js")).run(args),
});

const trace = row({
  command: "trace <file>",
  summary: "print the traces that one program records, and their exits",
  positional: FILE,
  options: {
    args: text("comma-separated arguments, as in a run line: 'heap+16, 7, -0.0'"),
    hot: text(
      "how often a loop, a call and an exit are reached before they are recorded; default: 3, 3 and 2",
    ),
    seed: text("draw all thresholds from this seed, as a campaign does"),
  },
  examples: [["$0 trace x.ir --hot 2", "each trace as a program, and its exits"]],
  answers: ["touchstone.trace"],
  run: async (args) => (await import("./trace.js")).run(args),
});

const playground = row({
  command: "playground",
  summary: "write a page that judges, compiles and reduces programs in a browser",
  positional: {},
  options: { out: { ...text("the output file"), demandOption: true } },
  examples: [["$0 playground --out playground.html", "one file, which needs no server"]],
  answers: ["touchstone.playground"],
  run: async (args) => (await import("./playground.js")).run(args),
});

const exported = row({
  command: "export <file>",
  summary: "export the program as WebAssembly, C, LLVM IR, Lua, JavaScript, a jar or Nanojit's LIR",
  positional: FILE,
  options: {
    to: { ...text("the output format: wasm, c, llvm, lua, js, jar, lir"), demandOption: true },
    facts: text(
      "c and llvm: state facts that hold in the executions of the run lines: all, or comma-separated kinds (docs/engines.md)",
    ),
    form: text("c, llvm and wasm: the form: comma-separated names, or plain (docs/engines.md)"),
    out: text("the output file; default: standard output"),
  },
  examples: [
    ["$0 export x.ir --to wasm --out x.wasm", "a WebAssembly binary"],
    ["$0 export x.ir --to c --out x.c", "C11 with a main function that runs it"],
    [
      "$0 export x.ir --to llvm --facts nsw,range",
      "LLVM IR that states which operations overflow in no run line",
    ],
    ["$0 export x.ir --to c --form signed,nested", "C with signed variables and long expressions"],
  ],
  answers: ["touchstone.export"],
  run: async (args) => (await import("./export.js")).run(args),
});

const imports = row({
  command: "import <file>",
  summary:
    "import programs: WebAssembly .wasm .wat .wast, LLVM IR .ll, Nanojit's LIR .lir, traces of LuaJIT .lua",
  positional: { file: { type: "string", demandOption: true, describe: "a module or a script" } },
  options: {
    from: {
      ...text("the format; default: by the name of the file, and for LIR by the names in it"),
      choices: ["lir", "lir-2010", "lir-2011", "lir-2013", "luajit"],
    },
    export: text("the function, or the number of the trace; required if there are several"),
    out: text("the output file; for a script or traces: a folder; default: standard output"),
    imports: {
      ...text(
        "how to translate a call of an imported function: an exit of its own kind, or an error",
      ),
      choices: ["exit", "refuse"],
      default: "exit",
    },
    pages: text("number of memory pages in the heap; an access beyond them is an exit"),
  },
  examples: [
    ["$0 import x.wasm --export main --out x.ir", "one function of a module, with its callees"],
    ["$0 import x.wast --out programs", "a program for each export, a run line for each assertion"],
    ["$0 import x.ll --export f --out f.ir", "a function of LLVM IR, with poison as flags"],
    ["$0 import --from lir x.in --out x.ir", "the fragment main of Nanojit's assembler"],
    ["$0 import x.lua --from luajit --out traces", "a program for each trace that LuaJIT records"],
  ],
  answers: ["touchstone.import"],
  run: async (args) => (await import("./import.js")).run(args),
});

const phases = row({
  command: "phases <file>",
  summary: "judge phases of JavaScriptCore's B3, passes of LLVM, or traces of LuaJIT by the oracle",
  positional: {
    file: {
      type: "string",
      demandOption: true,
      describe: "C or LLVM IR, for LLVM; Lua, for LuaJIT; a program, or a log of phases, for B3",
    },
  },
  options: {
    compiler: text(
      "the command of the compiler and its first words: clang-19, 'zig cc', luajit, jsc, bun",
    ),
    flags: text(
      "flags for the compiler; default: -O2 for LLVM, -Ohotloop=1 -Ohotexit=1 for LuaJIT",
    ),
    out: text("a folder for the log, and for the programs before and after a wrong phase"),
  },
  examples: [
    ["$0 phases x.c --flags=-O3", "compiles with clang, which prints the IR after each pass"],
    ["$0 phases x.ll --compiler 'zig cc' --out passes", "uses the LLVM of zig; writes both texts"],
    ["$0 phases x.ir --out phases", "runs the program in JavaScriptCore, which logs its phases"],
    ["$0 phases x.lua", "runs it in LuaJIT, and judges the IR and the machine code of each trace"],
    ["$0 phases x.ir --compiler luajit", "exports the program to Lua, and judges its traces"],
    ["$0 phases jsc.log", "a log that `jsc --dumpB3GraphAtEachPhase=1` wrote for any script"],
  ],
  answers: ["touchstone.phases"],
  run: async (args) => (await import("./phases.js")).run(args),
});

const engines = row({
  command: "engines",
  summary: "judge programs in other compilers; without --subjects: list these engines",
  positional: {},
  options: {
    subjects: text("comma-separated engines"),
    form: REMOTE_OPTIONS.form,
    profile: text("how seeds are read: usual, worlds-two, ...; see fuzz list profiles"),
    seed: text(`the first seed: 64 bits, decimal or 0x...; default: ${DEFAULTS.engines.seed}`),
    count: text(`number of programs; program i has seed S + i; default: ${DEFAULTS.engines.count}`),
    batch: text(`number of programs in one request; default: ${DEFAULTS.engines.batch}`),
    out: text("a folder for programs that differ"),
    explain: flag(
      "attribute each difference to a known bug: run the program again in forms that avoid the bug",
    ),
    regress: text("compare the known bugs in two engine versions: system,zig-0.16.0"),
  },
  examples: [
    ["$0 engines --subjects v8-turbofan,v8-liftoff --count 2000", "both compilers of V8"],
    ["$0 engines --regress system,zig-0.16.0", "which known bugs the newer version fixes"],
  ],
  answers: ["touchstone.engines", "touchstone.engines-run", "touchstone.engines-regress"],
  run: async (args) => (await import("./engines.js")).run(args),
});

const reduce = row({
  command: "reduce [what]",
  summary: "find a smaller program with the same verdict",
  positional: WHAT,
  options: {
    ...TASK,
    ...REMOTE_OPTIONS,
    out: text("the output file, rewritten after each improvement; default: standard output"),
    test: text(
      "the interest test: a command that receives a file name and ends with status 0 if the program is interesting",
    ),
    "test-seconds": text("time limit of that command for one candidate; default: 30"),
    for: text("stop after this time, such as 10m, with the smallest program so far"),
    resume: flag("continue from the file of --out, if it exists"),
    workers: text("number of judging processes; default: one for each core"),
  },
  examples: [
    ["$0 reduce reports/C/F", "the finding F of the campaign C"],
    ["$0 reduce --seed 7 --out small.ir", "the program of seed 7"],
    ["$0 reduce x.ir --test ./crashes.sh", "reduce with a script as the interest test"],
  ],
  answers: ["touchstone.reduce"],
  run: async (args) => (await import("./reduce/reduce.js")).run(args),
});

const report = row({
  command: "report [what]",
  summary: "locate, confirm and reduce a finding, and write its report",
  positional: WHAT,
  options: {
    ...TASK,
    ...REMOTE_OPTIONS,
    out: { ...text("the folder that receives a folder for each report"), default: "reports" },
  },
  examples: [
    ["$0 report x.ir", "one report for each cause"],
    ["$0 report --seed 1190 --canary float-rule", "a planted bug"],
  ],
  answers: ["touchstone.report"],
  run: async (args) => (await import("./report.js")).run(args),
});

const localize = row({
  command: "localize [what]",
  summary: "find the stage, phase and rule application that make a program wrong",
  positional: WHAT,
  options: TASK,
  examples: [
    ["$0 localize reports/C/F", "the finding F of the campaign C"],
    ["$0 localize --seed 1190 --canary float-rule", "a planted bug"],
  ],
  answers: ["touchstone.localize"],
  run: async (args) => (await import("./localize.js")).run(args),
});

const conform = row({
  command: "conform [files..]",
  summary: "check against expected values of other sources, or against the boundary tables",
  positional: { files: listOf("suites") },
  options: {
    boundary: flag("judge every opcode at every type over boundary values against the oracle"),
    share: text("run one of this many cases of the boundary tables; default: all"),
    subjects: SUBJECTS_OF_FILE,
  },
  examples: [
    ["$0 conform corpus/suites/boundary.jsonl", "a suite with one case in each line"],
    ["$0 conform --boundary --share 20", "a twentieth of the tables, also in native subjects"],
  ],
  answers: ["touchstone.conform"],
  run: async (args) => (await import("./conform.js")).run(args),
});

const prove = row({
  command: "prove",
  summary: "prove the rules of the optimizer for all operands, with an SMT solver",
  positional: {},
  options: {
    rules: text("comma-separated rules; default: all"),
    cold: flag("prove everything again, including stored proofs"),
    update: flag("write new proofs to corpus/proofs"),
  },
  examples: [
    ["$0 prove", "everything without a stored proof"],
    ["$0 prove --cold --rules sub-self", "one rule, without stored proofs"],
  ],
  answers: ["touchstone.proofs-run"],
  run: async (args) => (await import("./prove.js")).run(args),
});

const stats = row({
  command: "stats [folders..]",
  summary: "print the figures of campaigns",
  positional: { folders: listOf("folders of campaigns") },
  options: {
    format: text("write the campaigns as markdown, html, junit or sarif"),
    out: text(
      "with --format: the output file; default: standard output; with --bucket: the parent folder; default: the current folder",
    ),
    store: text(
      "show the campaigns and buckets of this store instead: a folder, or postgres://...",
    ),
    all: flag("print every figure, in addition to findings and subjects"),
    bucket: text("with --store: write the latest report of this bucket"),
  },
  examples: [
    ["$0 stats reports/C --format html --out night.html", "a page"],
    ["$0 stats", "the sum of all campaigns below reports/"],
    ["$0 stats --store .touchstone/store --bucket 0123456789", "a report from the store"],
  ],
  answers: ["touchstone.summary", "touchstone.store", "touchstone.stored-report"],
  run: async (args) => (await import("./run/stats.js")).run(args),
});

const serve = row({
  command: "serve",
  summary: "show campaigns in a browser on this machine",
  positional: {},
  options: {
    reports: { ...text("the folder of campaigns"), default: "reports" },
    store: STORE,
    port: { ...text("the port; 0: a free one"), default: "8137" },
  },
  answers: ["touchstone.serve"],
  run: async (args) => (await import("./serve.js")).run(args),
});

const list = row({
  command: "list [what]",
  summary: "list the names that options accept: subjects, engines, profiles, ...",
  positional: {
    what: { type: "string", describe: "the list to print; default: an overview of all lists" },
  },
  options: {},
  examples: [["$0 list canaries", "the bugs that can be planted"]],
  answers: ["touchstone.list"],
  run: async (args) => (await import("./list.js")).run(args),
});

const doctor = row({
  command: "doctor",
  summary: "check this machine for required and optional software, and print how to install it",
  positional: {},
  options: {},
  answers: ["touchstone.doctor"],
  run: async (args) => (await import("./doctor.js")).run(args),
});

const CORPUS: readonly CommandDescription[] = [
  row({
    command: "list",
    within: "corpus",
    summary: "list the regressions and the known buckets",
    positional: {},
    options: {},
    answers: ["touchstone.corpus"],
    run: async (args) => (await import("./corpus.js")).list(args),
  }),
  row({
    command: "add <finding>",
    within: "corpus",
    summary: "add a regression from the folder of a finding",
    positional: { finding: { type: "string", demandOption: true } },
    options: {
      name: text("the file name, in words: lost-upper-half; default: a name of the cause"),
      says: text("the fault in one line; default: the cause and the difference"),
      fixed: { ...text("the subject of the commit that fixed the bug"), default: "not yet" },
    },
    answers: ["touchstone.corpus-add"],
    run: async (args) => (await import("./corpus.js")).add(args),
  }),
  row({
    command: "run [files..]",
    within: "corpus",
    summary: "run the named regressions, or all, by every subject",
    positional: { files: listOf("regressions") },
    options: { subjects: SUBJECTS, "each-exit": EACH_EXIT },
    answers: ["touchstone.corpus-run"],
    run: async (args) => (await import("./corpus.js")).run(args),
  }),
];

const corpus: CommandDescription = {
  name: "corpus",
  usage: "corpus <list|add|run>",
  summary: "manage the regressions and the known buckets",
  examples: [["$0 corpus run", "every regression, by every subject"]],
  parts: CORPUS,
  answers: CORPUS.flatMap(({ answers }) => answers),
  declare: (parser, { takes, choose }) => {
    parser.command("corpus", false, (command) => {
      const list = CORPUS.map(({ usage, summary: says }) => `$0 ${usage}: ${says}`);
      command.usage(`$0 corpus <list|add|run>\n\n${list.join("\n")}`);
      for (const { declare } of CORPUS) declare(command, { takes, choose });
      return command.demandCommand(1, "expected list, add or run");
    });
  },
};

interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandDescription[];
}

/** In the order of `fuzz --help`. */
// biome-ignore format: a table
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: "Find bugs",                          commands: [run, conform, prove] },
  { title: "Work on a finding",                  commands: [exec, reduce, localize, report, corpus] },
  { title: "Your compiler and engines",          commands: [engines, phases, exported, imports] },
  { title: "Look inside the reference compiler", commands: [compile, trace, playground] },
  { title: "Campaigns over time",                commands: [stats, serve, worker] },
  { title: "This machine",                       commands: [list, doctor] },
];

export const COMMANDS: readonly CommandDescription[] = COMMAND_GROUPS.flatMap(
  ({ commands }) => commands,
);
