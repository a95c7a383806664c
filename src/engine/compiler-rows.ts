// Compilers of C and LLVM IR: each makes an executable of several programs.

import type { FactKind } from "../export/facts.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { EngineSubject } from "./engine-subject.js";
import { luajitCures } from "./luajit/luajit-cures.js";
import { luajitPasses } from "./luajit/luajit-passes.js";
import { gccOptions } from "./parts/gcc-options.js";
import { llvmPasses } from "./parts/llvm-passes.js";
import { hasLibrary, pathOf } from "./path-of.js";
import { executableReproducer } from "./reproducer.js";
import {
  C_FACT_SOURCES,
  C_SOURCES,
  FALSE_LLVM_SOURCES,
  LLVM_FACT_SOURCES,
  LLVM_SOURCES,
  LUA_SOURCES,
  type Sources,
  statingSources,
} from "./sources.js";
import { versionBy } from "./version-of.js";

interface CompilerRow {
  readonly name: string;
  readonly program: string;
  readonly sources: Sources;
  readonly flags: readonly string[];
  /** What runs its executables, where this machine cannot, with what it is given. */
  readonly runner?: readonly string[];
  /** What it says of a program that is beyond its limits, which is no difference. */
  readonly limit?: string;
  readonly install: string;
  /** A library that its executables need and that does not come with it. */
  readonly library?: { readonly file: string; readonly install: string };
}

// No flag that defines more than C does: programs have no undefined behaviour, and such a flag would hide
// bugs of export and compiler that introduce it.
const C = ["-w", "-std=c11", "-ffp-contract=off", "-fno-math-errno"];
const LLVM = ["-w"];
const CLANG = "clang-19";
const GET_CLANG = `apt-get install ${CLANG}`;
const CLANG_SANITIZER = {
  file: `libclang_rt.ubsan_standalone-${process.arch === "arm64" ? "aarch64" : "x86_64"}.a`,
  install: "apt-get install libclang-rt-19-dev",
};

// Code for another machine, which an emulator runs: nothing of that machine's libraries is asked for then.
const ARM64 = {
  runner: ["qemu-aarch64"],
  install: "apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
};
const ARM64_GCC = "aarch64-linux-gnu-gcc";
const GCCS: ReadonlySet<string> = new Set(["gcc", ARM64_GCC]);
const ARM64_CLANG = ["--target=aarch64-linux-gnu", "-static"];
const codegen = (...names: readonly string[]): string[] =>
  names.flatMap((name) => ["-mllvm", `-${name}`]);

// Its executable is bytecode, made by the first of two processes; traces are what the other makes.
const LUAJIT = "luajit";
const lua = (name: string, ...options: readonly string[]): CompilerRow => ({
  name,
  program: LUAJIT,
  sources: LUA_SOURCES,
  flags: ["-b", "-t", "raw"],
  runner: [LUAJIT, ...options],
  limit: "too complex",
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
  { name: "clang-O2", program: CLANG, sources: C_SOURCES, flags: [...C, "-O2"], install: GET_CLANG },
  { name: "clang-O3", program: CLANG, sources: C_SOURCES, flags: [...C, "-O3"], install: GET_CLANG },
  { name: "tcc",      program: "tcc",      sources: C_SOURCES, flags: ["-w"], limit: "memory full (vstack)", install: "apt-get install tcc" },
  { name: "llvm-O0",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O0"], install: GET_CLANG },
  { name: "llvm-O1",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O1"], install: GET_CLANG },
  { name: "llvm-O2",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2"], install: GET_CLANG },
  { name: "llvm-O3",  program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O3"], install: GET_CLANG },
  { name: "llvm-fast-isel",   program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("fast-isel")], install: GET_CLANG },
  { name: "llvm-global-isel", program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("global-isel", "global-isel-abort=0")], install: GET_CLANG },
  { name: "llvm-basic",       program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("regalloc=basic")], install: GET_CLANG },
  { name: "llvm-fast",        program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("regalloc=fast", "optimize-regalloc=false")], install: GET_CLANG },
  { name: "llvm-pbqp",        program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, "-O2", ...codegen("regalloc=pbqp")], install: GET_CLANG },
  { name: "arm64-gcc-O0",  program: ARM64_GCC, sources: C_SOURCES, flags: [...C, "-static", "-O0"], ...ARM64 },
  { name: "arm64-gcc-O2",  program: ARM64_GCC, sources: C_SOURCES, flags: [...C, "-static", "-O2"], ...ARM64 },
  { name: "arm64-llvm-O0", program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, ...ARM64_CLANG, "-O0"], ...ARM64 },
  { name: "arm64-llvm-O2", program: CLANG, sources: LLVM_SOURCES, flags: [...LLVM, ...ARM64_CLANG, "-O2"], ...ARM64 },
  // Facts that hold in all executions, stated: what they are used for wrongly is wrong code.
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

/** By program, where `--version` is no option. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  tcc: ["tcc", "-v"],
  luajit: ["luajit", "-v"],
};

const compilerOf = ({
  name,
  program,
  sources,
  flags,
  limit,
  runner,
  install,
  library,
}: CompilerRow): EngineSubject => {
  const path = pathOf(program);
  const lacking = [program, ...(runner?.slice(0, 1) ?? [])].find((part) => pathOf(part) === null);
  const run = runner?.map((word, w) => (w === 0 ? (pathOf(word) ?? word) : word));
  const argsOf = (files: readonly string[], executable: string): string[] => [
    ...flags,
    ...(program === LUAJIT ? [...files, executable] : ["-o", executable, ...files, "-lm"]),
  ];
  const flagged = (more: readonly string[]): BatchCompiler => ({
    name,
    sources,
    compile: (files, executable) => ({
      path: path ?? program,
      args: [...more, ...argsOf(files, executable)],
    }),
    compileDriver: (file, object) => ({
      path: path ?? program,
      args: [...more, ...flags, "-c", "-o", object, file],
    }),
    limit: limit ?? null,
    ...(run === undefined ? {} : { runner: run }),
    missing: () => {
      if (lacking !== undefined) return `${name}: there is no ${lacking}: ${install}`;
      if (library === undefined || hasLibrary(program, library.file)) return null;
      return `${name}: there is no ${library.file}: ${library.install}`;
    },
  });
  return {
    ...batchSubject(flagged([])),
    batch: 8,
    version: () => versionBy(VERSIONS[program] ?? [program, "--version"]),
    reproducer: (shown) =>
      executableReproducer(
        shown,
        sources,
        (files, executable) => [program, ...argsOf(files, executable)].join(" "),
        runner,
      ),
    ...(program === CLANG ? { parts: llvmPasses(flagged) } : {}),
    ...(GCCS.has(program)
      ? { parts: gccOptions(flagged([]), { path: path ?? program, args: flags }) }
      : {}),
    ...(program === LUAJIT && run !== undefined
      ? { parts: luajitPasses(flagged([]), run), cures: luajitCures(flagged([]), run) }
      : {}),
  };
};

/** The program of the compiler of that row; null if there is none. */
export const compilerProgram = (row: string): string | null =>
  COMPILERS.find(({ name }) => name === row)?.program ?? null;

/**
 * The compiler of that row with flags more; null if there is none.
 * @param kinds facts that its programs state
 */
export function compilerWith(
  row: string,
  name: string,
  words: readonly string[],
  kinds: ReadonlySet<FactKind>,
): EngineSubject | null {
  const compiler = COMPILERS.find((one) => one.name === row);
  if (compiler === undefined) return null;
  const { flags, runner } = compiler;
  const sources = kinds.size === 0 ? compiler.sources : statingSources(compiler.sources, kinds);
  const isRunning = compiler.program === LUAJIT && runner !== undefined;
  const told = isRunning ? { runner: [...runner, ...words] } : { flags: [...flags, ...words] };
  return compilerOf({ ...compiler, ...told, name, sources });
}

export const COMPILER_ENGINES: readonly EngineSubject[] = COMPILERS.map(compilerOf);
