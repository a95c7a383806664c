// Lists compilers of C, LLVM IR and Lua; each makes an executable of several programs.

import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../support/shell-word.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { ProcessCommand } from "./bound-process.js";
import { gccCures, llvmCures } from "./compiler-cures.js";
import type { EngineAlteration, EngineSubject } from "./engine-subject.js";
import { type PassCompiler, passesSubject } from "./llvm/llvm-subject.js";
import { luajitCures } from "./luajit/luajit-cures.js";
import { luajitPasses } from "./luajit/luajit-passes.js";
import { gccOptions } from "./parts/gcc-options.js";
import { llvmPasses } from "./parts/llvm-passes.js";
import { hasLibrary, lackOf, pathOf } from "./path-of.js";
import { executableReproducer } from "./reproducer.js";
import {
  C_FACT_SOURCES,
  C_SOURCES,
  DRIVER_FILE,
  FALSE_LLVM_SOURCES,
  LLVM_FACT_SOURCES,
  LLVM_SOURCES,
  LUA_SOURCES,
  type ProgramSources,
} from "./sources.js";
import { versionBy } from "./version-of.js";

interface CompilerRow {
  readonly name: string;
  readonly program: string;
  /** The words that start the compiler, the path first; if absent, the path of `program`. */
  readonly command?: () => readonly string[];
  readonly sources: ProgramSources;
  readonly flags: readonly string[];
  /** The program, with its arguments, that runs the executables if this machine cannot. */
  readonly runner?: readonly string[];
  /**
   * Parts of messages about programs that exceed the limits of the compiler, which is no difference.
   */
  readonly limits?: readonly string[];
  readonly install: string;
  /** Whether the oracle judges the text after each pass. */
  readonly judgesPasses?: boolean;
  /** A library that its executables need and that is installed separately. */
  readonly library?: { readonly file: string; readonly install: string };
}

// No flag defines more behavior than C does, because programs have no undefined behaviour. Such a
// flag would hide bugs of export and compiler that introduce it.
const C = ["-w", "-std=c11", "-ffp-contract=off", "-fno-math-errno"];
const LLVM = ["-w"];
/** The clang of the rows without a version. */
const CLANG = "clang-19";
const GET_CLANG = `apt-get install ${CLANG}`;
const CLANG_SANITIZER = {
  file: `libclang_rt.ubsan_standalone-${process.arch === "arm64" ? "aarch64" : "x86_64"}.a`,
  install: "apt-get install libclang-rt-19-dev",
};

// Code for another machine, which an emulator runs. Static executables need none of that machine's
// libraries at run time.
const ARM64 = {
  runner: ["qemu-aarch64"],
  install: "apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
};
const ARM64_GCC = "aarch64-linux-gnu-gcc";
const ARM64_CLANG = ["--target=aarch64-linux-gnu", "-static"];
const codegen = (...names: readonly string[]): string[] =>
  names.flatMap((name) => ["-mllvm", `-${name}`]);

// Its executable is bytecode, made by the first of two processes; the second makes the traces.
const LUAJIT = "luajit";
const lua = (name: string, ...options: readonly string[]): CompilerRow => ({
  name,
  program: LUAJIT,
  sources: LUA_SOURCES,
  flags: ["-b", "-t", "raw"],
  runner: [LUAJIT, ...options],
  limits: ["too complex", "too long"],
  install: "apt-get install luajit",
});

// biome-ignore format: a table
const COMPILERS: readonly CompilerRow[] = [
  { name: "gcc-O0",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O0"], install: "apt-get install gcc" },
  { name: "gcc-O1",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O1"], install: "apt-get install gcc" },
  { name: "gcc-O2",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O2"], install: "apt-get install gcc" },
  { name: "gcc-O3",   program: "gcc",      sources: C_SOURCES, flags: [...C, "-O3"], install: "apt-get install gcc" },
  { name: "gcc-sanitized", program: "gcc", sources: C_SOURCES, flags: [...C, "-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"], install: "apt-get install gcc" },
  { name: "gcc-fast-math", program: "gcc", sources: C_SOURCES, flags: [...C, "-O2", "-ffast-math"], install: "apt-get install gcc" }, // a control: known to be wrong
  { name: "clang-O0", program: CLANG, sources: C_SOURCES, flags: [...C, "-O0"], install: GET_CLANG },
  { name: "clang-O1", program: CLANG, sources: C_SOURCES, flags: [...C, "-O1"], install: GET_CLANG },
  { name: "clang-O2", program: CLANG, sources: C_SOURCES, flags: [...C, "-O2"], install: GET_CLANG },
  { name: "clang-O3", program: CLANG, sources: C_SOURCES, flags: [...C, "-O3"], install: GET_CLANG },
  { name: "tcc",      program: "tcc",      sources: C_SOURCES, flags: ["-w"], limits: ["memory full (vstack)"], install: "apt-get install tcc" },
  { name: "llvm-O0",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O0"], install: GET_CLANG },
  { name: "llvm-O1",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O1"], install: GET_CLANG },
  { name: "llvm-O2",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2"], install: GET_CLANG },
  { name: "llvm-O3",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O3"], install: GET_CLANG },
  { name: "llvm-passes", program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2"], install: GET_CLANG, judgesPasses: true },
  { name: "llvm-fast-isel",   program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("fast-isel")], install: GET_CLANG },
  { name: "llvm-global-isel", program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("global-isel", "global-isel-abort=0")], install: GET_CLANG },
  { name: "llvm-basic",       program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("regalloc=basic")], install: GET_CLANG },
  { name: "llvm-fast",        program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("regalloc=fast", "optimize-regalloc=false")], install: GET_CLANG },
  { name: "llvm-pbqp",        program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("regalloc=pbqp")], install: GET_CLANG },
  { name: "arm64-gcc-O0",  program: ARM64_GCC, sources: C_SOURCES, flags: [...C, "-static", "-O0"], ...ARM64 },
  { name: "arm64-gcc-O2",  program: ARM64_GCC, sources: C_SOURCES, flags: [...C, "-static", "-O2"], ...ARM64 },
  { name: "arm64-llvm-O0", program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, ...ARM64_CLANG, "-O0"], ...ARM64 },
  { name: "arm64-llvm-O2", program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, ...ARM64_CLANG, "-O2"], ...ARM64 },
  // Programs that state facts about all executions; a wrong use of a fact gives wrong code.
  { name: "llvm-facts", program: CLANG, sources: LLVM_FACT_SOURCES, flags: [...LLVM, "-O2"], install: GET_CLANG },
  { name: "llvm-facts-O3", program: CLANG, sources: LLVM_FACT_SOURCES, flags: [...LLVM, "-O3"], install: GET_CLANG },
  { name: "gcc-facts",  program: "gcc", sources: C_FACT_SOURCES, flags: [...C, "-O2"], install: "apt-get install gcc" },
  { name: "gcc-facts-O3",  program: "gcc", sources: C_FACT_SOURCES, flags: [...C, "-O3"], install: "apt-get install gcc" },
  { name: "gcc-facts-sanitized", program: "gcc", sources: C_FACT_SOURCES, flags: [...C, "-O0", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"], install: "apt-get install gcc" },
  { name: "clang-facts", program: CLANG, sources: C_FACT_SOURCES, flags: [...C, "-O2"], install: GET_CLANG },
  { name: "clang-facts-sanitized", program: CLANG, sources: C_FACT_SOURCES, flags: [...C, "-O0", "-fsanitize=undefined,float-cast-overflow,alignment", "-fno-sanitize-recover=all"], install: GET_CLANG, library: CLANG_SANITIZER },
  lua("luajit-joff", "-joff"),
  lua("luajit"),
  lua("luajit-hot", "-Ohotloop=1", "-Ohotexit=1"), // a control: narrowing is known to be wrong
  lua("luajit-hot-wide", "-O-narrow", "-Ohotloop=1", "-Ohotexit=1"),
  { name: "llvm-false-nsw", program: CLANG, sources: FALSE_LLVM_SOURCES, flags: [...LLVM, "-O2"], install: GET_CLANG }, // a control: its programs are wrong
];

type CompilerFamily = "clang" | "gcc" | "tcc" | "luajit";

/** Returns the family by the name of the program, without its folder and version. */
function familyOf(program: string): CompilerFamily {
  const name = basename(program);
  if (name.startsWith("luajit")) return "luajit";
  if (name.startsWith("tcc")) return "tcc";
  return /^(clang|zig)/.test(name) ? "clang" : "gcc";
}

/** The option that prints the version. */
const VERSION_OPTION: { readonly [F in CompilerFamily]: string } = {
  clang: "--version",
  gcc: "--version",
  tcc: "-v",
  luajit: "-v",
};

function compilerOf(row: CompilerRow): EngineSubject {
  const { name, program, command, sources, flags, limits = [], runner, install, library } = row;
  const { judgesPasses = false } = row;
  const family = familyOf(program);
  const path = pathOf(program);
  const start = (args: readonly string[]): ProcessCommand => {
    const [started, ...first] = command?.() ?? [path ?? program];
    return { path: started, args: [...first, ...args] };
  };
  const lacking = [program, ...(runner?.slice(0, 1) ?? [])].find((part) => pathOf(part) === null);
  const run = runner?.map((word, w) => (w === 0 ? (pathOf(word) ?? word) : word));
  const argsOf = (files: readonly string[], executable: string): string[] => [
    ...flags,
    ...(family === "luajit" ? [...files, executable] : ["-o", executable, ...files, "-lm"]),
  ];
  const flagged = (more: readonly string[]): BatchCompiler => ({
    name,
    sources,
    compile: (files, executable) => start([...more, ...argsOf(files, executable)]),
    compileDriver: (file, object) => start([...more, ...flags, "-c", "-o", object, file]),
    limits,
    ...(run === undefined ? {} : { runner: run }),
    missing: () => {
      if (lacking !== undefined) return lackOf(name, lacking, install);
      if (library === undefined || hasLibrary(program, library.file)) return null;
      return lackOf(name, library.file, library.install);
    },
  });
  const compiler = command?.() ?? [path ?? program];
  const printed: PassCompiler = { sources, command: compiler, flags };
  const opened = judgesPasses
    ? (batch: BatchCompiler) => passesSubject(batch, { ...printed, sources: batch.sources })
    : batchSubject;
  return {
    ...opened(flagged([])),
    batch: judgesPasses ? 1 : 8,
    version: () => {
      const { path: started, args } = start([VERSION_OPTION[family]]);
      return versionBy([started, ...args]);
    },
    reproducer: (shown) =>
      executableReproducer(
        shown,
        sources,
        (files, executable) =>
          [...(command?.() ?? [program]).map(shellWord), ...argsOf(files, executable)].join(" "),
        runner,
      ),
    ...(family === "clang"
      ? {
          family: "LLVM",
          parts: llvmPasses(flagged, printed, opened),
          cures: llvmCures(flagged, opened),
        }
      : {}),
    ...(family === "gcc"
      ? {
          family: "GCC",
          parts: gccOptions(flagged([]), { path: path ?? program, args: flags }),
          cures: gccCures(flagged),
        }
      : {}),
    ...(family === "luajit" && run !== undefined
      ? { parts: luajitPasses(flagged([]), run), cures: luajitCures(flagged([]), run) }
      : {}),
    alterable: {
      command: compiler,
      format: sources.format ?? null,
      with: (alteration) => compilerOf(alteredRow(row, alteration)),
    },
  };
}

/** Returns the row with other flags, facts or form. */
function alteredRow(row: CompilerRow, { name, words, kinds, form }: EngineAlteration): CompilerRow {
  const { flags, runner, sources } = row;
  const isRunning = familyOf(row.program) === "luajit" && runner !== undefined;
  const added = isRunning ? { runner: [...runner, ...words] } : { flags: [...flags, ...words] };
  return { ...row, ...added, name, sources: sources.altered?.(kinds, form) ?? sources };
}

export const COMPILER_ENGINES: readonly EngineSubject[] = COMPILERS.map(compilerOf);

/** The rows of a family for another version. */
interface VersionRows {
  readonly path: string;
  /** The suffix of the rows' names: `llvm-O2@VERSION`. */
  readonly version: string;
}

/** Returns the rows of `program` for another compiler, with other flags if `adapt` is given. */
function rowsInPlaceOf(
  program: string,
  { path, version }: VersionRows,
  adapt: (row: CompilerRow) => Partial<CompilerRow> | null = () => ({}),
): EngineSubject[] {
  return COMPILERS.filter((row) => row.program === program).flatMap((row) => {
    const changed = adapt(row);
    if (changed === null) return [];
    const name = `${row.name}@${version}`;
    return compilerOf({ ...row, program: path, ...changed, name });
  });
}

/** The first LLVM that reads the exported LLVM IR, with the flags and attributes of facts. */
const LLVM_SINCE = 19;

/** Returns the rows of a clang; an older one has those of C only. */
export const clangRows = (of: VersionRows): EngineSubject[] => {
  const isOld = Number.parseInt(of.version, 10) < LLVM_SINCE;
  return rowsInPlaceOf(CLANG, of, ({ name }) => (isOld && name.includes("llvm-") ? null : {}));
};

/** A native gcc has no code for another machine. */
export const gccRows = (of: VersionRows): EngineSubject[] => rowsInPlaceOf("gcc", of);

export const luajitRows = (of: VersionRows): EngineSubject[] =>
  rowsInPlaceOf(LUAJIT, of, ({ runner = [] }) => ({ runner: [of.path, ...runner.slice(1)] }));

interface ZigMachine {
  readonly machine: string;
  /** The machine and the C library. */
  readonly target: string;
  /** The emulator, with its arguments. */
  readonly runner: readonly string[];
  /** A processor with scalable vectors, in the spelling of zig; absent: the baseline of the machine. */
  readonly vectors?: string;
}

/**
 * The C libraries of zig that its rows use: musl has no `roundeven`, and glibc cannot be linked
 * statically.
 */
const ZIG_TARGET = "x86_64-linux-gnu";
const ZIG_ARM64 = "aarch64-linux-musl";
/** Zig checks for undefined behavior by default. */
const ZIG = ["-fno-sanitize=undefined"];

/**
 * Little-endian machines that only the rows of zig compile for; an emulator runs each. `vectors` names a processor with
 * scalable vectors, for which compilers vectorize loops.
 */
// biome-ignore format: a table
const ZIG_MACHINES: readonly ZigMachine[] = [
  { machine: "riscv64",  target: "riscv64-linux-musl",       runner: ["qemu-riscv64"] },
  { machine: "riscv64v", target: "riscv64-linux-musl",       runner: ["qemu-riscv64", "-cpu", "rv64,v=true"], vectors: "baseline_rv64+v" },
  { machine: "sve",      target: ZIG_ARM64,                  runner: ["qemu-aarch64"], vectors: "neoverse_v2" },
  { machine: "ppc64le",  target: "powerpc64le-linux-musl",   runner: ["qemu-ppc64le"] },
  { machine: "mips64el", target: "mips64el-linux-muslabi64", runner: ["qemu-mips64el"] },
  { machine: "arm",      target: "arm-linux-musleabihf",     runner: ["qemu-arm"] },
];
const GET_QEMU = "apt-get install qemu-user";

/** Adds the functions of C23 that musl lacks: programs run in the default rounding mode. */
const MUSL_SOURCES: ProgramSources = (programs) => {
  const files = LLVM_SOURCES(programs);
  const driver = `${files[DRIVER_FILE]}
double rint(double);
float rintf(float);
double roundeven(double x) { return rint(x); }
float roundevenf(float x) { return rintf(x); }
`;
  return { ...files, [DRIVER_FILE]: driver };
};

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** V8's optimizing compiler is not under test in these rows. */
const BASELINE_NODE = [process.execPath, "--no-warnings", "--liftoff-only"];
/**
 * The flags of the target: `longjmp` needs exceptions, in the form that Node 20 has, and the package takes
 * gigabytes for a block of 64 MB.
 */
const WASI = [
  ...["-DT_ROOM=0x100000u", "-lsetjmp"],
  ...codegen("wasm-enable-sjlj", "wasm-use-legacy-eh=true"),
];

/** Returns the rows of the clang in the package @yowasp/clang, whose only target is WebAssembly. */
export const wasiClangRows = ({ path, version }: VersionRows): EngineSubject[] =>
  [
    ["O0", "-O0"],
    ["O2", "-O2"],
    ["O3", "-O3"],
    ["fast-math", "-O2", "-ffast-math"], // a control: known to be wrong
  ].map(([name, ...flags]) =>
    compilerOf({
      name: `wasm32-clang-${name}@${version}`,
      program: path,
      command: () => [...BASELINE_NODE, script("./clang-in-node.js"), path],
      sources: C_SOURCES,
      flags: [...C, ...flags, ...WASI],
      runner: [...BASELINE_NODE, script("./wasi-in-node.js")],
      install: path,
    }),
  );

/**
 * Returns the rows of the LLVM in a release of zig, by `zig cc`.
 * @param cache a folder for the libraries that zig builds once
 */
export function zigRows(of: VersionRows, cache: string): EngineSubject[] {
  const command = (): readonly string[] => [
    "/usr/bin/env",
    `ZIG_GLOBAL_CACHE_DIR=${cache}`,
    `ZIG_LOCAL_CACHE_DIR=${join(tmpdir(), "zig")}`,
    of.path,
    "cc",
  ];
  const forTarget = (target: string, flags: readonly string[]): string[] => [
    ...[...ZIG, "-target", target],
    ...flags.filter((flag) => !ARM64_CLANG.includes(flag)),
  ];
  const rows = rowsInPlaceOf(CLANG, of, ({ name, flags, library }) => {
    if (library !== undefined) return null; // zig has no such runtime
    const target = name.startsWith("arm64-") ? ZIG_ARM64 : ZIG_TARGET;
    return { command, flags: forTarget(target, flags) };
  });
  const others = ZIG_MACHINES.flatMap(({ machine, target, runner, vectors }) =>
    (vectors === undefined ? ["-O0", "-O2"] : ["-O2", "-O3"]).map((level) =>
      compilerOf({
        name: `${machine}-llvm${level}@${of.version}`,
        program: of.path,
        command,
        sources: MUSL_SOURCES,
        flags: forTarget(target, [
          ...LLVM,
          level,
          ...(vectors === undefined ? [] : [`-mcpu=${vectors}`]),
        ]),
        runner,
        install: GET_QEMU,
      }),
    ),
  );
  return [...rows, ...others];
}
