// Opens `llvm-passes`: a program runs as for `llvm-O2`, and the oracle judges the text after each pass on the program's
// inputs. So a wrong pass is found and named even if the machine code is right. Findings of all rows of LLVM and clang
// get the name of their pass in the same way.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  OpenRemoteSubject,
  PreparedBatch,
  RemoteAnswer,
  RemoteProgram,
  RemoteSubject,
} from "../../execute/subject.js";
import { LlvmError } from "../../llvm/llvm-error.js";
import { PassLogError, PassPrinter } from "../../llvm/pass-dumps.js";
import { readPassTexts } from "../../llvm/pass-texts.js";
import { judgeFunction } from "../../phases/llvm-phases.js";
import { assert } from "../../support/assert.js";
import { type BatchCompiler, batchSubject } from "../batch-subject.js";
import type { ProgramSources, SourceProgram } from "../sources.js";
import { HEAP_MAX, JUDGED_FUNCTION, judgedC, withCalls } from "./program-calls.js";

/** A compiler that prints the text after each pass. */
export interface PassCompiler {
  readonly sources: ProgramSources;
  /** The words that start it. */
  readonly command: readonly string[];
  readonly flags: readonly string[];
}

/** The verdict on all passes. */
interface PassJudgement {
  /** The first wrong pass; null if there is none. */
  readonly wrong: string | null;
  /** Executions that were equal before and after a pass. */
  readonly equal: number;
  /** The text before the first pass is defined on all inputs, and each later one is equal on them. */
  readonly isComplete: boolean;
  /** The reason why nothing was judged; null if something was. */
  readonly refused: string | null;
}

/** Judges the passes on the inputs of a program. */
export function judgePasses(
  { sources, command, flags }: PassCompiler,
  program: SourceProgram,
): PassJudgement {
  const nothing = { wrong: null, equal: 0, isComplete: false };
  if (program.module.heapSize > HEAP_MAX)
    return { ...nothing, refused: `its heap has more than ${HEAP_MAX} bytes` };
  const folder = mkdtempSync(join(tmpdir(), "touchstone-passes-"));
  let printer: PassPrinter | null = null;
  try {
    const [[name, text]] = Object.entries(sources([program]));
    assert(typeof text === "string", () => `${name} is no text`);
    const file = join(folder, name);
    writeFileSync(file, name.endsWith(".c") ? judgedC(text) : text);
    printer = new PassPrinter(file, command, flags);
    const { first, dumps } = printer.log();
    const texts = readPassTexts({
      first: withCalls(first, program),
      dumps: dumps.map((dump) => ({ ...dump, text: withCalls(dump.text, program) })),
      final: null,
    });
    const seeds = program.inputs.map(({ heapSeed }) => heapSeed);
    const { wrong, equal, open, outside, isExact, refused } = judgeFunction(
      texts,
      JUDGED_FUNCTION,
      seeds,
    );
    const isComplete = isExact && open === 0 && outside.length === 0 && !printer.hadFacts;
    return { wrong: wrong?.name ?? null, equal, isComplete, refused };
  } catch (error) {
    if (!(error instanceof LlvmError || error instanceof PassLogError)) throw error;
    return { ...nothing, refused: error.message };
  } finally {
    printer?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The cause of a difference that no pass has. */
const MACHINE_CODE = "machine code";

/** Returns the wrong pass of a program whose result is wrong, or the back end; null if neither is shown. */
export function causingPassOf(compiler: PassCompiler, program: SourceProgram): string | null {
  const { wrong, isComplete } = judgePasses(compiler, program);
  return wrong ?? (isComplete ? MACHINE_CODE : null);
}

/** Returns the subject that runs executables of a compiler, and judges its passes. */
export function passesSubject(executables: BatchCompiler, printed: PassCompiler): RemoteSubject {
  const batch = batchSubject(executables);
  return { ...batch, open: () => new PassesRunner(batch.open(), printed) };
}

class PassesRunner implements OpenRemoteSubject {
  private readonly executables: OpenRemoteSubject;
  private readonly printed: PassCompiler;

  constructor(executables: OpenRemoteSubject, printed: PassCompiler) {
    this.executables = executables;
    this.printed = printed;
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    const prepared = await this.executables.prepare(programs);
    return {
      run: async () => {
        const answers = await prepared.run();
        return answers.map((answer, p) => this.withPasses(answer, programs[p]));
      },
    };
  }

  close(): void {
    this.executables.close();
  }

  private withPasses(answer: RemoteAnswer, { module, executions }: RemoteProgram): RemoteAnswer {
    if (answer.kind !== "ran") return answer;
    const inputs = executions.map(({ input }) => input);
    const { wrong, equal, refused } = judgePasses(this.printed, { module, inputs });
    if (refused !== null && equal === 0 && wrong === null)
      return { kind: "declined", reason: refused };
    if (wrong === null) return answer;
    // Only the name: a smaller program with the same fault gives the same message.
    const message = `LLVM's pass ${wrong} changes what the program does`;
    const outcomes = inputs.map(() => ({
      events: [],
      ending: { kind: "compile-error", message } as const,
    }));
    return { kind: "ran", outcomes };
  }
}
