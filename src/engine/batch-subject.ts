// Compiles several programs into one executable with another project's compiler, and runs it in a
// process of its own: all executions one after the other. If the process dies or hangs, the current
// execution gets that outcome, and the next ones run in another process.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { excerptOf } from "../compare/crash-message.js";
import type {
  OpenRemoteSubject,
  PreparedBatch,
  RemoteAnswer,
  RemoteProgram,
  RemoteSubject,
} from "../execute/subject.js";
import { ExportRefusal } from "../export/refusal.js";
import { UNCOMPILED } from "../export/status.js";
import type { Ending, Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { ProcessCommand } from "./bound-process.js";
import { exportedSubject } from "./engine-subject.js";
import { failedBy, outcomeOfRun, type RunResult } from "./run-answer.js";
import { ANSWER_MAX, type CommandResult, runCommand } from "./run-command.js";
import { DRIVER_FILE, type ProgramSources } from "./sources.js";

export interface BatchCompiler {
  readonly name: string;
  readonly sources: ProgramSources;
  /** @param files paths of the files of `sources`, in order */
  readonly compile: (files: readonly string[], executable: string) => ProcessCommand;
  /**
   * Compiles the driver, which is the same for each batch, to an object; absent: its text is
   * compiled each time.
   */
  readonly compileDriver?: (file: string, object: string) => ProcessCommand;
  /**
   * The program, with its arguments, that runs the executable if this machine cannot run it
   * directly.
   */
  readonly runner?: readonly string[];
  /** Whether a question or an answer is a line in hexadecimal: shells of engines read text. */
  readonly isText?: boolean;
  /** The time in which the runner starts, in addition to that of the executions; 0 if absent. */
  readonly startMs?: number;
  /** Memory limit for compiler and programs; the usual limit if absent. */
  readonly maxKb?: number;
  /**
   * Parts of the compiler's messages about programs that exceed its limits. The first begins the message of a refusal.
   */
  readonly limits: readonly string[];
  readonly missing: () => string | null;
}

const COMPILE_MS = 120_000;
const EXECUTION_MS = 20_000;
/** An execution records at most half of this (main-program.ts). */
const OUTPUT_MAX = 2 * ANSWER_MAX;

export const batchSubject = (compiler: BatchCompiler): RemoteSubject =>
  exportedSubject(compiler, () => new BatchRunner(compiler));

/** An executable with its programs, or the message of the compiler that failed. */
type CompiledBatch =
  | { readonly kind: "made"; readonly path: string; readonly modules: readonly Module[] }
  | { readonly kind: "refused"; readonly message: string };

interface BatchExecution {
  /** The index of the program in the file. */
  readonly program: number;
  readonly input: Input;
}

class BatchRunner implements OpenRemoteSubject {
  private readonly compiler: BatchCompiler;
  private readonly folder = mkdtempSync(join(tmpdir(), "touchstone-batch-"));
  private count = 0;
  /** The object of a driver, by the driver's text; null if it does not compile. */
  private readonly drivers = new Map<string, string | null>();

  constructor(compiler: BatchCompiler) {
    this.compiler = compiler;
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    const together = await this.make(programs);
    if (together.kind === "made") return { run: () => this.runCompiled(together, programs) };
    // Compiling each program alone shows which of them the compiler refuses or fails on.
    const alone: CompiledBatch[] = [];
    for (const program of programs) alone.push(await this.make([program]));
    return {
      run: async () => {
        const answers: RemoteAnswer[] = [];
        for (const [p, made] of alone.entries()) {
          if (made.kind === "made") answers.push(...(await this.runCompiled(made, [programs[p]])));
          else answers.push(this.refusal(programs[p], made.message));
        }
        return answers;
      },
    };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private refusal({ executions }: RemoteProgram, message: string): RemoteAnswer {
    const limit = this.compiler.limits.find((part) => message.includes(part));
    if (limit !== undefined) return { kind: "declined", reason: limit };
    const ending = { kind: "compile-error", message } as const;
    return { kind: "ran", outcomes: executions.map(() => ({ events: [], ending })) };
  }

  private async make(programs: readonly RemoteProgram[]): Promise<CompiledBatch> {
    const modules = programs.map(({ module }) => module);
    const written = programs.map(({ module, executions }) => {
      return { module, inputs: executions.map(({ input }) => input) };
    });
    const { compile, maxKb } = this.compiler;
    const folder = join(this.folder, `b${this.count++}`);
    mkdirSync(folder);
    const sources = this.sourcesOf(written);
    if (sources instanceof ExportRefusal)
      return { kind: "refused", message: `${this.compiler.limits[0]}: ${sources.message}` };
    const { texts, objects } = await this.filesOf(sources);
    const { path, ended } = await compileIn(folder, texts, compile, maxKb, objects);
    const { death, errors } = ended;
    if (death === null && existsSync(path)) return { kind: "made", path, modules };
    const how = death ?? "status 0, but there is no executable";
    return { kind: "refused", message: `${how}: ${excerptOf(errors)}` };
  }

  private sourcesOf(
    programs: Parameters<ProgramSources>[0],
  ): ReturnType<ProgramSources> | ExportRefusal {
    try {
      return this.compiler.sources(programs);
    } catch (error) {
      if (error instanceof ExportRefusal) return error;
      throw error;
    }
  }

  /** Returns the files of a batch: the driver as an object if possible. */
  private async filesOf(sources: ReturnType<ProgramSources>): Promise<{
    readonly texts: ReturnType<ProgramSources>;
    readonly objects: readonly string[];
  }> {
    const { [DRIVER_FILE]: driver, ...texts } = sources;
    if (typeof driver !== "string") return { texts: sources, objects: [] };
    let object = this.drivers.get(driver);
    if (object === undefined) {
      object = await this.driverOf(driver);
      this.drivers.set(driver, object);
    }
    return object === null ? { texts: sources, objects: [] } : { texts, objects: [object] };
  }

  private async driverOf(text: string): Promise<string | null> {
    const { compileDriver, maxKb } = this.compiler;
    if (compileDriver === undefined) return null;
    const [file, object] = [join(this.folder, DRIVER_FILE), join(this.folder, "driver.o")];
    writeFileSync(file, text);
    const { death } = await runCommand(compileDriver(file, object), [], COMPILE_MS, maxKb);
    // A batch with the driver's text shows any error again.
    return death === null && existsSync(object) ? object : null;
  }

  private async runCompiled(
    { path, modules }: Extract<CompiledBatch, { kind: "made" }>,
    programs: readonly RemoteProgram[],
  ): Promise<RemoteAnswer[]> {
    const executions = programs.flatMap(({ executions: own }, program) =>
      own.map(({ input }): BatchExecution => ({ program, input })),
    );
    const outcomes: BatchOutcome[] = [];
    while (outcomes.length < executions.length) {
      const left = executions.slice(outcomes.length);
      const { maxKb, runner = [], isText = false, startMs = 0 } = this.compiler;
      const timeMs = startMs + EXECUTION_MS + 50 * left.length;
      const [first, ...args] = [...runner, path];
      const ended = await runCommand(
        { path: first, args },
        left.map((execution, k) => {
          const question = questionOf(execution, k);
          return isText ? Buffer.from(`${Buffer.from(question).toString("hex")}\n`) : question;
        }),
        timeMs,
        maxKb,
        OUTPUT_MAX,
      );
      const read = isText ? { ...ended, output: bytesOfLines(ended.output) } : ended;
      outcomes.push(...validOutcomesOf(modules, left, read));
    }
    let next = 0;
    return programs.map(({ executions: own }) => {
      const part = outcomes.slice(next, next + own.length);
      next += own.length;
      const ran = { kind: "ran", outcomes: part.map(({ outcome }) => outcome) } as const;
      return part.every(({ isUncompiled }) => isUncompiled) ? { ...ran, isUncompiled: true } : ran;
    });
  }
}

/** Returns the bytes of lines in hexadecimal, up to the first other line. */
export function bytesOfLines(output: Buffer): Buffer {
  const lines = output.toString("latin1").split("\n");
  const end = lines.findIndex((line) => !/^[\da-f]*$/.test(line));
  return Buffer.from(lines.slice(0, end < 0 ? lines.length : end).join(""), "hex");
}

/**
 * Writes the files into the folder, compiles them, and removes them.
 * @param objects paths of files that are compiled already
 */
export async function compileIn(
  folder: string,
  sources: ReturnType<ProgramSources>,
  compile: BatchCompiler["compile"],
  maxKb?: number,
  objects: readonly string[] = [],
): Promise<{ readonly path: string; readonly ended: CommandResult }> {
  const files = Object.entries(sources).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const path = join(folder, "program");
  const ended = await runCommand(compile([...files, ...objects], path), [], COMPILE_MS, maxKb);
  for (const file of files) rmSync(file, { recursive: true, force: true });
  return { path, ended };
}

function failureOf({ death, errors, failure }: CommandResult): Ending {
  const written = errors === "" ? "" : `; it wrote: ${excerptOf(errors)}`;
  return {
    kind: failure,
    evidence: `${death ?? "ended with status 0"}, without an answer${written}`,
  };
}

interface BatchOutcome {
  readonly outcome: Outcome;
  /** Whether the engine had compiled none of the program's functions. */
  readonly isUncompiled: boolean;
}

const compiledOutcome = (outcome: Outcome): BatchOutcome => ({ outcome, isUncompiled: false });

/**
 * Returns the outcomes of the first executions, at least one. It stops at an execution with an
 * unreadable answer, with no answer before a later one, or with two answers.
 */
function validOutcomesOf(
  modules: readonly Module[],
  executions: readonly BatchExecution[],
  ended: CommandResult,
): BatchOutcome[] {
  const outcomes: BatchOutcome[] = [];
  for (const { number, status, ...answer } of answersOf(ended.output)) {
    const turn = outcomes.length;
    if (turn > 0 && number === (turn - 1) % NUMBER_MODULUS) {
      const failed = failedBy("garbage", "the program returned two answers");
      return [...outcomes.slice(0, -1), compiledOutcome(failed)];
    }
    if (turn === executions.length || number !== turn % NUMBER_MODULUS) break;
    const run = { ...answer, status: status & ~UNCOMPILED };
    const outcome = outcomeOfRun(modules[executions[turn].program], run);
    outcomes.push({ outcome, isUncompiled: status !== run.status });
    if (outcome.ending.kind === "garbage") return outcomes;
  }
  // After many answers, the next one may be cut off only because the total is too large.
  const isCut = ended.failure === "garbage" && outcomes.length > 0;
  if (outcomes.length < executions.length && !isCut) {
    outcomes.push(compiledOutcome({ events: [], ending: failureOf(ended) }));
  }
  return outcomes;
}

/** Answers repeat the number of their execution, modulo this. */
const NUMBER_MODULUS = 2 ** 16;

/** Returns the form that the main program of main-program.ts reads. */
export function questionOf(
  { program, input: { words, heapSeed } }: BatchExecution,
  number: number,
): Uint8Array {
  const first = (number % NUMBER_MODULUS) * NUMBER_MODULUS + program;
  const question = Int32Array.of(first, heapSeed, words.length, ...words);
  return new Uint8Array(question.buffer);
}

interface NumberedRun extends RunResult {
  readonly number: number;
}

/** The number of bytes before the records: number and status, size. */
const HEAD_BYTES = 8;

/** Parses the output of the main program; an incomplete answer is ignored. */
export function answersOf(output: Uint8Array): NumberedRun[] {
  const view = new DataView(output.buffer, output.byteOffset, output.length);
  const answers: NumberedRun[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= output.length) {
    const [first, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const [number, status] = [Math.floor(first / NUMBER_MODULUS), first % NUMBER_MODULUS];
    const end = at + HEAD_BYTES + size;
    if (end > output.length) break;
    answers.push({ number, status, trap: null, records: output.subarray(at + HEAD_BYTES, end) });
    at = end;
  }
  return answers;
}
