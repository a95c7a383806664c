// A subject that compiles several programs into one executable with another project's compiler, and runs it
// in a process of its own: all executions one after the other. If the process dies or hangs, the current
// execution gets that outcome, and the next ones run in another process.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ALL_CAPABILITIES,
  type Answer,
  type Capabilities,
  type OpenRemote,
  type PreparedBatch,
  type RemoteProgram,
  type RemoteSubject,
} from "../execute/subject.js";
import { exportC } from "../export/c/export-c.js";
import type { Ending, Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { outcomeOfRun, type RunAnswer } from "./run-answer.js";

interface BatchCompiler {
  readonly name: string;
  readonly path: string;
  /** In front of `-o EXECUTABLE FILE.c -lm`. */
  readonly flags: readonly string[];
  /** What it says of a program that is beyond its limits; null: it has none that we know. */
  readonly limit: string | null;
  readonly missing: () => string | null;
}

const SHOWN: Capabilities = new Set([...ALL_CAPABILITIES].filter((name) => name !== "abi"));
const COMPILE_MS = 120_000;
const EXECUTION_MS = 20_000;
const EVIDENCE_MAX = 2000;
const OUTPUT_MAX = 1 << 30;

export const batchSubject = (compiler: BatchCompiler): RemoteSubject => ({
  kind: "remote",
  name: compiler.name,
  capabilities: SHOWN,
  native: true,
  missing: compiler.missing,
  open: () => new Batches(compiler),
});

/** An executable with its programs, or why it is none. */
type Made =
  | { readonly kind: "made"; readonly path: string; readonly modules: readonly Module[] }
  | { readonly kind: "refused"; readonly message: string };

interface Execution {
  /** Position in the file. */
  readonly program: number;
  readonly input: Input;
}

class Batches implements OpenRemote {
  private readonly compiler: BatchCompiler;
  private readonly folder = mkdtempSync(join(tmpdir(), "touchstone-batch-"));
  private count = 0;

  constructor(compiler: BatchCompiler) {
    this.compiler = compiler;
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    const together = await this.make(programs.map(({ module }) => module));
    if (together.kind === "made") return { run: () => this.runMade(together, programs) };
    // Which of them the compiler refuses or fails on, each alone says.
    const alone: Made[] = [];
    for (const { module } of programs) alone.push(await this.make([module]));
    return {
      run: async () => {
        const answers: Answer[] = [];
        for (const [p, made] of alone.entries()) {
          if (made.kind === "made") answers.push(...(await this.runMade(made, [programs[p]])));
          else answers.push(this.refusal(programs[p], made.message));
        }
        return answers;
      },
    };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private refusal({ executions }: RemoteProgram, message: string): Answer {
    const { limit } = this.compiler;
    if (limit !== null && message.includes(limit)) return { kind: "declined", reason: limit };
    const ending = { kind: "compile-error", message } as const;
    return { kind: "ran", outcomes: executions.map(() => ({ events: [], ending })) };
  }

  private async make(modules: readonly Module[]): Promise<Made> {
    const stem = join(this.folder, `b${this.count++}`);
    const source = `${stem}.c`;
    writeFileSync(source, exportC(modules));
    const { path, flags } = this.compiler;
    const { death, errors } = await run(
      path,
      [...flags, "-o", stem, source, "-lm"],
      [],
      COMPILE_MS,
    );
    rmSync(source);
    if (death === "status 0") return { kind: "made", path: stem, modules };
    return { kind: "refused", message: `${death}: ${errors.slice(0, EVIDENCE_MAX)}` };
  }

  private async runMade(
    { path, modules }: Extract<Made, { kind: "made" }>,
    programs: readonly RemoteProgram[],
  ): Promise<Answer[]> {
    const executions = programs.flatMap(({ executions: own }, program) =>
      own.map(({ input }): Execution => ({ program, input })),
    );
    const outcomes: Outcome[] = [];
    while (outcomes.length < executions.length) {
      const left = executions.slice(outcomes.length);
      const { output, death, errors } = await run(
        path,
        [],
        left.map(questionOf),
        EXECUTION_MS + 50 * left.length,
      );
      const answers = answersOf(output);
      for (const [a, answer] of answers.slice(0, left.length).entries()) {
        outcomes.push(outcomeOfRun(modules[left[a].program], answer));
      }
      if (answers.length < left.length) {
        outcomes.push({ events: [], ending: failure(death, errors) });
      }
    }
    let next = 0;
    return programs.map(({ executions: own }) => {
      next += own.length;
      return { kind: "ran", outcomes: outcomes.slice(next - own.length, next) };
    });
  }
}

function failure(death: string, errors: string): Ending {
  const said = errors === "" ? "" : `; it said: ${errors.slice(-EVIDENCE_MAX)}`;
  const kind = death === HUNG ? "hang" : "crash";
  return { kind, evidence: `${death}, without an answer${said}` };
}

/** As the main program of runtime.ts reads it. */
export function questionOf({ program, input: { words, heapSeed } }: Execution): Uint8Array {
  const question = Int32Array.of(program, heapSeed, words.length, ...words);
  return new Uint8Array(question.buffer);
}

/** As the main program writes them; what is cut off is no answer. */
function answersOf(output: Uint8Array): RunAnswer[] {
  const view = new DataView(output.buffer, output.byteOffset, output.length);
  const answers: RunAnswer[] = [];
  let at = 0;
  while (at + 8 <= output.length) {
    const status = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    if (at + 8 + size > output.length) break;
    answers.push({ status, trap: null, records: output.subarray(at + 8, at + 8 + size) });
    at += 8 + size;
  }
  return answers;
}

interface Ended {
  readonly output: Uint8Array;
  readonly errors: string;
  readonly death: string;
}
const HUNG = "did not end in time";

function run(
  path: string,
  args: readonly string[],
  input: readonly Uint8Array[],
  timeMs: number,
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "" };
    const child = spawn(path, [...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    const output: Buffer[] = [];
    let size = 0;
    let errors = "";
    let death = "";
    const timer = setTimeout(() => {
      death = HUNG;
      child.kill("SIGKILL");
    }, timeMs);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= OUTPUT_MAX) output.push(chunk);
      else child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + String(chunk)).slice(0, 1 << 20);
    });
    child.stdin.on("error", () => {}); // it is gone: its end says so
    child.stdin.end(Buffer.concat(input));
    const finish = (how: string): void => {
      clearTimeout(timer);
      resolve({ output: Buffer.concat(output), errors, death: death === "" ? how : death });
    };
    child.on("error", (error) => finish(`could not be started: ${error.message}`));
    child.on("close", (status, signal) => finish(signal ?? `status ${status}`));
  });
}
