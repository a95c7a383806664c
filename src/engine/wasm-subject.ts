// Runs exported WebAssembly in a process of another project's engine: one process, one program at a
// time.

import type {
  OpenRemoteSubject,
  PreparedBatch,
  RemoteAnswer,
  RemoteProgram,
  RemoteSubject,
} from "../execute/subject.js";
import type { SourceForm } from "../export/forms.js";
import { exportWasm } from "../export/wasm/export-wasm.js";
import { type InstructionsToHide, NOTHING_HIDDEN } from "../export/wasm/hidden.js";
import type { Ending, Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { ProcessCommand } from "./bound-process.js";
import { exportedSubject } from "./engine-subject.js";
import { LineProcess } from "./line-process.js";
import { type ExternalOptimizer, optimized } from "./optimizer.js";
import { failedBy, outcomeOfRun, type RunResult } from "./run-answer.js";
import { answerOf, engineOf, questionOf } from "./wasm-protocol.js";

/**
 * The proof of the compiler that made the code: the driver's answer, or the engine's log of every
 * function. Code of another compiler than the required one is a difference, and so is a missing
 * proof.
 */
export type TierProof =
  | { readonly by: "answer"; readonly is: string }
  | { readonly by: "log"; readonly has: readonly string[]; readonly hasNot: readonly string[] };

interface WasmEngine {
  readonly name: string;
  readonly command: ProcessCommand;
  readonly tier: TierProof;
  readonly missing: () => string | null;
  /**
   * The number of runs of each input, so that the last one runs code of the required compiler; 1 if
   * absent.
   */
  readonly rounds?: number;
  /** The optimizer that modules go through first. */
  readonly optimizer?: ExternalOptimizer;
  /** Instructions whose constants are hidden; none if absent. */
  readonly hidden?: InstructionsToHide;
  readonly form?: SourceForm;
  /** The time for a program, in addition to that for its fuel; PROGRAM_MS if absent. */
  readonly timeMs?: number;
}

const START_MS = 60_000;
/** Wall-clock time, so it allows for a machine with much other work. */
const PROGRAM_MS = 120_000;
/** The most time that an engine takes for a value that the oracle executes. */
const MS_PER_VALUE = 0.01;
/** The most time by which a log may follow the answer. */
const LOG_MS = 5000;

export const wasmSubject = (engine: WasmEngine): RemoteSubject =>
  exportedSubject(engine, () => new WasmProcess(engine));

/**
 * Returns the result of one execution by an engine in a process of its own; null if there is none.
 */
export async function observe(
  command: ProcessCommand,
  module: Module,
  input: Input,
): Promise<RunResult | null> {
  const child = new LineProcess(command);
  try {
    if ((await child.start(START_MS)).kind !== "line") return null;
    const reply = await child.ask(questionOf(exportWasm(module).bytes, [input], 1), PROGRAM_MS);
    const answer = reply.kind === "line" ? answerOf(reply.text, 1) : null;
    return answer?.kind === "ran" ? answer.runs[0] : null;
  } finally {
    child.stop();
  }
}

class WasmProcess implements OpenRemoteSubject {
  private readonly engine: WasmEngine;
  private readonly process: LineProcess;

  constructor(engine: WasmEngine) {
    this.engine = engine;
    this.process = new LineProcess(engine.command);
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    const { hidden = NOTHING_HIDDEN, form } = this.engine;
    const binaries = programs.map(({ module }) => exportWasm(module, hidden, form).bytes);
    return {
      run: async () => {
        const answers: RemoteAnswer[] = [];
        for (const [p, { module, executions }] of programs.entries()) {
          const inputs = executions.map(({ input }) => input);
          const values = executions.reduce((sum, { fuelUsed }) => sum + fuelUsed, 0);
          const timeMs = (this.engine.timeMs ?? PROGRAM_MS) + MS_PER_VALUE * values;
          const binary = await this.optimized(binaries[p], timeMs);
          const outcomes =
            "kind" in binary
              ? inputs.map((): Outcome => ({ events: [], ending: binary }))
              : await this.runAll(module, binary, inputs, timeMs);
          answers.push({ kind: "ran", outcomes });
        }
        return answers;
      },
    };
  }

  close(): void {
    this.process.stop();
  }

  private async optimized(wasm: Uint8Array, timeMs: number) {
    const { optimizer } = this.engine;
    return optimizer === undefined ? wasm : optimized(optimizer, wasm, timeMs);
  }

  private async runAll(
    module: Module,
    wasm: Uint8Array,
    inputs: readonly Input[],
    timeMs: number,
  ): Promise<Outcome[]> {
    const result = await this.ask(wasm, inputs, timeMs);
    if (result.kind === "ran") {
      const wrongTier = await this.wrongTier(result.tier);
      return result.runs.map((run) =>
        wrongTier === null ? outcomeOfRun(module, run) : failedBy("garbage", wrongTier),
      );
    }
    const failed: Outcome = { events: [], ending: result };
    if (inputs.length === 1 || result.kind === "compile-error") return inputs.map(() => failed);
    // Each input runs alone, in a process of its own, to find the failing one.
    const alone: Outcome[] = [];
    for (const input of inputs) {
      this.process.stop();
      alone.push(...(await this.runAll(module, wasm, [input], timeMs)));
    }
    // If none of them fails alone, the failure of the batch is still the outcome.
    return alone.some(({ ending }) => ending.kind === result.kind)
      ? alone
      : inputs.map(() => failed);
  }

  /** Describes the compiler that ran, if it is not the required one; else returns null. */
  private async wrongTier(answered: string): Promise<string | null> {
    const { tier } = this.engine;
    if (tier.by === "answer") {
      return answered === tier.is ? null : `code of ${answered} ran, expected that of ${tier.is}`;
    }
    const log = await this.process.log(tier.has, LOG_MS);
    const lacking = tier.has.find((text) => !log.includes(text));
    if (lacking !== undefined) return `the engine's log lacks '${lacking}'`;
    const other = tier.hasNot.find((text) => log.includes(text));
    return other === undefined ? null : `the engine's log has '${other}'`;
  }

  private async ask(
    wasm: Uint8Array,
    inputs: readonly Input[],
    timeMs: number,
  ): Promise<
    | { readonly kind: "ran"; readonly tier: string; readonly runs: readonly RunResult[] }
    | Extract<Ending, { kind: "crash" | "hang" | "garbage" | "compile-error" }>
  > {
    if (!this.process.isRunning) {
      const first = await this.process.start(START_MS);
      if (first.kind !== "line") return first;
      if (engineOf(first.text) === null) {
        this.process.stop();
        return { kind: "garbage", evidence: `the first line is ${first.text.slice(0, 200)}` };
      }
    }
    const reply = await this.process.ask(questionOf(wasm, inputs, this.engine.rounds ?? 1), timeMs);
    if (reply.kind !== "line") return reply;
    const answer = answerOf(reply.text, inputs.length);
    if (answer.kind === "ran") return answer;
    if (answer.kind === "refused") return { kind: "compile-error", message: answer.message };
    this.process.stop(); // after a malformed answer this process is not used again
    return { kind: "garbage", evidence: answer.detail };
  }
}
