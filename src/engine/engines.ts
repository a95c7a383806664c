// The table of engines: other people's compilers as subjects. A row says how the engine is found, how it is
// driven, how it is shown that the wanted compiler ran, and how to get it where it is missing.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { EngineSubject } from "./engine-subject.js";
import { exportSubject } from "./export-subject.js";
import { llvmPasses } from "./llvm-passes.js";
import { pathOf } from "./path-of.js";
import {
  executableReproducer,
  exportReproducer,
  optimizerReproducer,
  wasmReproducer,
} from "./reproducer.js";
import type { RunAnswer } from "./run-answer.js";
import { C_SOURCES, FALSE_LLVM_SOURCES, LLVM_SOURCES, type Sources } from "./sources.js";
import { observe, type Tier, wasmSubject } from "./wasm-subject.js";

interface EngineRow {
  readonly name: string;
  /** The program, found as a shell finds it; null: the Node that runs us. */
  readonly program: string | null;
  /** In front of the path of the driver. */
  readonly flags: readonly string[];
  /** How it is shown that the wanted compiler ran. */
  readonly tier: Tier;
  /** See WasmEngine. */
  readonly rounds?: number;
  /** Of the Node that runs us: what the version of V8 must begin with. */
  readonly only?: string;
  /** What installs it. */
  readonly install: string;
}

const answers = (is: string): Tier => ({ by: "answer", is });
const logs = (has: readonly string[], hasNot: readonly string[]): Tier => ({
  by: "log",
  has,
  hasNot,
});

const V8 = ["--no-wasm-lazy-compilation", "--allow-natives-syntax"]; // by which the driver asks
const NODE = "it is the Node that runs Touchstone";

// JavaScriptCore logs each function that it compiles; the first one is the program's entry.
const JSC = ["--logJIT=1", "--useConcurrentJIT=0"];
const AT_ONCE = [
  "--thresholdForBBQOptimizeAfterWarmUp=0",
  "--thresholdForBBQOptimizeSoon=0",
  "--thresholdForOMGOptimizeAfterWarmUp=0",
  "--thresholdForOMGOptimizeSoon=0",
];
const OMG = "WebAssembly OMG function[";
const BBQ = "WebAssembly BBQ function[";
const GET_JSC = "apt-get install libjavascriptcoregtk-4.0-bin";
const GET_SM = "apt-get install libmozjs-102-dev";

// biome-ignore format: a table
const ROWS: readonly EngineRow[] = [
  { name: "v8-turbofan", program: null,    flags: [...V8, "--no-liftoff"],                                      tier: answers("turbofan"),      install: NODE },
  { name: "v8-liftoff",  program: null,    flags: [...V8, "--liftoff-only"],                                    tier: answers("liftoff"),       install: NODE },
  { name: "v8-turboshaft", program: null,  flags: [...V8, "--no-liftoff", "--turboshaft-wasm"],                 tier: answers("turbofan"),      install: "Node 20: its V8 has an unfinished compiler", only: "11.3." }, // a control: known to be wrong
  { name: "jsc-omg",     program: "jsc",   flags: [...JSC, ...AT_ONCE, "-m"],                                   tier: logs([`${OMG}0]`], []),   install: GET_JSC, rounds: 3 },
  { name: "jsc-bbq",     program: "jsc",   flags: [...JSC, ...AT_ONCE, "--useOMGJIT=0", "-m"],                  tier: logs([`${BBQ}0]`], [OMG]), install: GET_JSC, rounds: 2 },
  { name: "jsc-llint",   program: "jsc",   flags: [...JSC, "--useBBQJIT=0", "--useOMGJIT=0", "-m"],             tier: logs([], [BBQ, OMG]),     install: GET_JSC },
  { name: "ion",         program: "js102", flags: ["--wasm-compiler=ion", "-m"],                                tier: answers("ion"),           install: GET_SM },
  { name: "sm-baseline", program: "js102", flags: ["--wasm-compiler=baseline", "-m"],                           tier: answers("baseline"),      install: GET_SM },
];

const DRIVER = fileURLToPath(new URL("./wasm-driver.js", import.meta.url));

const thisNode = (only: string): string | null =>
  process.versions.v8.startsWith(only) ? process.execPath : null;

const subjectOf = ({
  name,
  program,
  flags,
  tier,
  rounds = 1,
  only = "",
  install,
}: EngineRow): EngineSubject => {
  const path = program === null ? thisNode(only) : pathOf(program);
  const lack = `${name}: there is no ${program ?? "such V8"}: ${install}`;
  const subject = wasmSubject({
    name,
    tier,
    rounds,
    command: { path: path ?? program ?? "", args: [...flags, DRIVER] },
    missing: () => (path === null ? lack : null),
  });
  const command = [program ?? "node", ...flags].join(" ");
  return {
    ...subject,
    batch: 1,
    version: () => engineVersion(name),
    reproducer: (shown) => wasmReproducer(shown, command, rounds),
  };
};

interface OptimizerRow {
  readonly name: string;
  readonly program: string;
  readonly flags: readonly string[];
  readonly install: string;
}

// The features that exported modules have.
const FEATURES = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "sign-ext"];
const BINARYEN = FEATURES.map((name) => `--enable-${name}`);
const GET_BINARYEN = "apt-get install binaryen";

// What they make runs in V8's baseline compiler: v8-liftoff says what that does with the original.
// biome-ignore format: a table
const OPTIMIZERS: readonly OptimizerRow[] = [
  { name: "binaryen-O1", program: "wasm-opt", flags: [...BINARYEN, "-O1"], install: GET_BINARYEN },
  { name: "binaryen-O3", program: "wasm-opt", flags: [...BINARYEN, "-O3"], install: GET_BINARYEN },
];
const BASELINE = [...V8, "--liftoff-only"];

const optimizerOf = ({ name, program, flags, install }: OptimizerRow): EngineSubject => {
  const path = pathOf(program);
  const subject = wasmSubject({
    name,
    tier: answers("liftoff"),
    command: { path: process.execPath, args: [...BASELINE, DRIVER] },
    optimizer: { path: path ?? program, flags },
    missing: () => (path === null ? `${name}: there is no ${program}: ${install}` : null),
  });
  const command = ["node", ...BASELINE].join(" ");
  return {
    ...subject,
    batch: 1,
    version: () => engineVersion(name),
    reproducer: (shown) => optimizerReproducer(shown, [program, ...flags].join(" "), command),
  };
};

interface CompilerRow {
  readonly name: string;
  readonly program: string;
  readonly sources: Sources;
  readonly flags: readonly string[];
  /** What it says of a program that is beyond its limits, which is no difference. */
  readonly limit?: string;
  readonly install: string;
}

// No flag that defines more than C does: programs have no undefined behaviour, and such a flag would hide
// bugs of export and compiler that introduce it.
const C = ["-w", "-std=c11", "-ffp-contract=off", "-fno-math-errno"];
const LLVM = ["-w"];
const CLANG = "clang-19";
const GET_CLANG = `apt-get install ${CLANG}`;

// biome-ignore format: a table
const COMPILERS: readonly CompilerRow[] = [
  { name: "gcc-O0",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O0"], install: "apt-get install gcc" },
  { name: "gcc-O1",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O1"], install: "apt-get install gcc" },
  { name: "gcc-O2",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O2"], install: "apt-get install gcc" },
  { name: "gcc-O3",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O3"], install: "apt-get install gcc" },
  { name: "gcc-sanitized", program: "gcc", sources: C_SOURCES, flags: [...C, "-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"], install: "apt-get install gcc" },
  { name: "gcc-fast-math", program: "gcc", sources: C_SOURCES, flags: [...C, "-O2", "-ffast-math"], install: "apt-get install gcc" }, // a control: known to be wrong
  { name: "clang-O0", program: CLANG, sources: C_SOURCES, flags: [...C, "-O0"], install: GET_CLANG },
  { name: "clang-O2", program: CLANG, sources: C_SOURCES, flags: [...C, "-O2"], install: GET_CLANG },
  { name: "clang-O3", program: CLANG, sources: C_SOURCES, flags: [...C, "-O3"], install: GET_CLANG },
  { name: "tcc",      program: "tcc",      sources: C_SOURCES, flags: ["-w"], limit: "memory full (vstack)", install: "apt-get install tcc" },
  { name: "llvm-O0",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O0"], install: GET_CLANG },
  { name: "llvm-O1",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O1"], install: GET_CLANG },
  { name: "llvm-O2",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2"], install: GET_CLANG },
  { name: "llvm-O3",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O3"], install: GET_CLANG },
  { name: "llvm-false-nsw", program: CLANG, sources: FALSE_LLVM_SOURCES, flags: [...LLVM, "-O2"], install: GET_CLANG }, // a control: its programs are wrong
];

const compilerOf = ({
  name,
  program,
  sources,
  flags,
  limit,
  install,
}: CompilerRow): EngineSubject => {
  const path = pathOf(program);
  const argsOf = (files: readonly string[], executable: string): string[] => [
    ...flags,
    "-o",
    executable,
    ...files,
    "-lm",
  ];
  const flagged = (more: readonly string[]): BatchCompiler => ({
    name,
    sources,
    compile: (files, executable) => ({
      path: path ?? program,
      args: [...more, ...argsOf(files, executable)],
    }),
    limit: limit ?? null,
    missing: () => (path === null ? `${name}: there is no ${program}: ${install}` : null),
  });
  return {
    ...batchSubject(flagged([])),
    batch: 8,
    version: () => engineVersion(name),
    reproducer: (shown) =>
      executableReproducer(shown, sources, (files, executable) =>
        [program, ...argsOf(files, executable)].join(" "),
      ),
    ...(program === CLANG ? { parts: llvmPasses(flagged) } : {}),
  };
};

interface InterpreterRow {
  readonly name: string;
  readonly program: string;
  /** Behind the module: by which it calls every export and prints what it returns. */
  readonly flags: readonly string[];
  readonly install: string;
}

const INTERPRETERS: readonly InterpreterRow[] = [
  {
    name: "wasm-interp",
    program: "wasm-interp",
    flags: ["--run-all-exports"],
    install: "apt-get install wabt",
  },
];

const interpreterOf = ({ name, program, flags, install }: InterpreterRow): EngineSubject => {
  const path = pathOf(program);
  const subject = exportSubject({
    name,
    path: path ?? program,
    flags,
    missing: () => (path === null ? `${name}: there is no ${program}: ${install}` : null),
  });
  return {
    ...subject,
    batch: 8,
    version: () => engineVersion(name),
    reproducer: (shown) => exportReproducer(shown, [program, "program.wasm", ...flags].join(" ")),
  };
};

/** Every engine that has a name, whether this machine has it or not. */
export const ENGINES: readonly EngineSubject[] = [
  ...ROWS.map(subjectOf),
  ...OPTIMIZERS.map(optimizerOf),
  ...COMPILERS.map(compilerOf),
  ...INTERPRETERS.map(interpreterOf),
];

/** The first line that the engine, or the system of its package, says of its version. */
export function engineVersion(name: string): string {
  const rows = [...ROWS, ...OPTIMIZERS, ...COMPILERS, ...INTERPRETERS];
  const program = rows.find((row) => row.name === name)?.program;
  if (program === undefined) return "unknown";
  if (program === null) return `V8 ${process.versions.v8}`;
  const command = VERSION_COMMANDS[program] ?? null;
  if (command === null || pathOf(program) === null) return "unknown";
  const [path, ...args] = command;
  const { stdout } = spawnSync(path, args, { encoding: "utf8", timeout: 10_000 });
  return stdout?.split("\n")[0].trim() ?? "unknown";
}

/** By program; `jsc` itself tells nothing. */
const VERSION_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  jsc: ["dpkg-query", "--show", "libjavascriptcoregtk-4.0-bin"],
  js102: ["js102", "--version"],
  gcc: ["gcc", "--version"],
  "clang-19": ["clang-19", "--version"],
  tcc: ["tcc", "-v"],
  "wasm-interp": ["wasm-interp", "--version"],
  "wasm-opt": ["wasm-opt", "--version"],
};

/** What one execution leaves in each of these: the caller knows which of them is right. */
export async function* observations(module: Module, input: Input): AsyncGenerator<RunAnswer> {
  for (const flag of ["--liftoff-only", "--no-liftoff"]) {
    const answer = await observe({ path: process.execPath, args: [flag, DRIVER] }, module, input);
    if (answer !== null) yield answer;
  }
}

export const engineNamed = (name: string): EngineSubject | null =>
  ENGINES.find((engine) => engine.name === name) ?? null;
