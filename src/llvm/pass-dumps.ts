// Runs clang on LLVM IR or C, and splits what it prints after each pass that changed something.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askProgram } from "../support/ask-program.js";
import { reasonOf } from "../support/machine-error.js";

/** The text of functions, or of the whole module, after a pass. */
interface PassDump {
  /** The class of the pass, as LLVM prints it: `InstCombinePass`. */
  readonly pass: string;
  /** The function, loop or module that it changed. */
  readonly unit: string;
  /** The line of the log at which the text begins. */
  readonly line: number;
  readonly text: string;
}

export interface PassLog {
  /** The module before the first pass. */
  readonly first: string;
  readonly dumps: readonly PassDump[];
  /** The module after the last pass, and its compiler with the flags of the back end; null for a log alone. */
  readonly final: CompiledText | null;
}

/** A text, and how machine code is made of it. */
export interface CompiledText {
  readonly text: string;
  readonly compiler: readonly string[];
  readonly flags: readonly string[];
}

const HEAD =
  /^(?:; )?\*\*\* IR Dump After (\S+)(?: \(\S+\))? on (.*?)(?: omitted because no change)? \*\*\*.*$/;

/** @param log the standard error of `-print-changed=quiet` */
export function splitDumps(log: string): PassDump[] {
  const dumps: { pass: string; unit: string; line: number; lines: string[] }[] = [];
  for (const [i, line] of log.split("\n").entries()) {
    const match = HEAD.exec(line);
    if (match !== null) dumps.push({ pass: match[1], unit: match[2], line: i + 2, lines: [] });
    else dumps.at(-1)?.lines.push(line);
  }
  return dumps.map(({ lines, ...rest }) => ({ ...rest, text: lines.join("\n") }));
}

/** Whole modules, because a pass adds globals and changes functions that others call. */
const PRINT_PASSES = ["-mllvm", "-print-changed=quiet", "-mllvm", "-print-module-scope"];
/**
 * Metadata whose violation is undefined or poison, and that is not modelled: types and scopes of accesses, and facts
 * about loaded values (LangRef, "Metadata").
 */
const UNMODELLED_METADATA =
  /, !(?:tbaa|tbaa\.struct|alias\.scope|noalias|range|nonnull|noundef|align|dereferenceable|dereferenceable_or_null|invariant\.load|invariant\.group|fpmath|nontemporal|noalias\.addrspace) ![\w.]+/g;
/** The files of the module after all passes, and of the functions that a filter leaves. */
const [WHOLE, FILTERED] = ["out.ll", "filtered.ll"];
const COMPILE_MS = 300_000;
const LOG_BYTES_MAX = 1 << 29;

/** A failure of the compiler: its last line. */
export class PassLogError extends Error {
  override readonly name = "PassLogError";
}

/** Compiles a file of C or LLVM IR, and prints the IR before the first pass and after each. */
export class PassPrinter {
  /** The module before the first pass. */
  readonly first: string;
  /** Whether the module states facts that are not modelled, and were removed. */
  readonly hadFacts: boolean;
  private readonly folder: string;
  private readonly base: string;
  private readonly compiler: readonly string[];
  private readonly flags: readonly string[];

  /**
   * @param compiler the command and its first words: clang, or `zig cc`
   * @param flags such as `-O2`
   * @throws PassLogError if the compiler refuses the file
   */
  constructor(file: string, compiler: readonly string[], flags: readonly string[]) {
    this.compiler = compiler;
    this.flags = flags;
    this.folder = mkdtempSync(join(tmpdir(), "touchstone-llvm-"));
    this.base = join(this.folder, "base.ll");
    try {
      const isText = file.endsWith(".ll");
      if (!isText) {
        const early = [
          "-S",
          "-emit-llvm",
          "-Xclang",
          "-disable-llvm-passes",
          file,
          "-o",
          this.base,
        ];
        compile(compiler, [...flags, ...early]);
      }
      const text = readFileSync(isText ? file : this.base, "utf8");
      this.first = text.replace(UNMODELLED_METADATA, "");
      this.hadFacts = this.first !== text;
      writeFileSync(this.base, this.first);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Returns the texts after each pass that changed a function.
   * @param names the functions; all if empty
   * @throws PassLogError if the compiler refuses the file
   */
  log(names: readonly string[] = []): PassLog {
    const { first, compiler } = this;
    const isWhole = names.length === 0;
    const filter = isWhole ? [] : ["-mllvm", `-filter-print-funcs=${names.join()}`];
    const args = this.argumentsFor(isWhole ? WHOLE : FILTERED);
    const dumps = splitDumps(logOf(compiler, [...args, ...filter]));
    return { first, dumps, final: this.wholeModule() };
  }

  /**
   * Returns the module after all passes; null if the compiler writes none. With `-filter-print-funcs` clang writes only
   * these functions, so the module is compiled once more, without the filter.
   */
  private wholeModule(): CompiledText | null {
    const { compiler, flags, folder } = this;
    const out = join(folder, WHOLE);
    if (!existsSync(out)) compile(compiler, this.argumentsFor(WHOLE));
    return existsSync(out) ? { text: readFileSync(out, "utf8"), compiler, flags } : null;
  }

  /** Returns the arguments that run the passes, and write the result to a file of the folder. */
  private argumentsFor(name: string): string[] {
    return [...this.flags, "-w", "-S", "-emit-llvm", this.base, "-o", join(this.folder, name)];
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function logOf(compiler: readonly string[], args: readonly string[]): string {
  const ended = run(compiler, [...args, ...PRINT_PASSES]);
  if (!UNKNOWN_OPTION.test(ended.stderr)) return stderrOf(ended, compiler);
  throw new PassLogError(`${compiler.join(" ")} does not print passes`);
}

const UNKNOWN_OPTION = /Unknown command line argument|LLVM option parsing/;

function compile(compiler: readonly string[], args: readonly string[]): void {
  stderrOf(run(compiler, args), compiler);
}

const run = ([command, ...words]: readonly string[], args: readonly string[]): CompilerResult =>
  askProgram(command, [...words, ...args], { timeMs: COMPILE_MS, bytesMax: LOG_BYTES_MAX });

type CompilerResult = ReturnType<typeof askProgram>;

/** Errors of a process that ran beyond a limit. */
const LIMIT_EXCEEDED = /ETIMEDOUT|ENOBUFS/;

function stderrOf(ended: CompilerResult, [command]: readonly string[]): string {
  if (ended.status === 0) return ended.stderr;
  if (ended.error !== undefined && !LIMIT_EXCEEDED.test(ended.error.message))
    throw new PassLogError(`cannot run: ${reasonOf(ended.error)}`);
  if (ended.status === null)
    throw new PassLogError(
      `did not end within ${COMPILE_MS / 1000} seconds, or printed more than ${LOG_BYTES_MAX >> 20} MB`,
    );
  const lines = (ended.stderr ?? "").trim().split("\n");
  const line = lines.find((each) => /error:/.test(each)) ?? lines.at(-1);
  throw new PassLogError(line || ended.error?.message || `${command} ended by ${ended.signal}`);
}
