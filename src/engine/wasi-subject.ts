// Runs one export of a module with WASI. Each execution is a process and a module of its own, which
// contains the input and writes its records to standard output, also before a trap.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { excerptOf } from "../compare/crash-message.js";
import type {
  OpenRemoteSubject,
  PreparedBatch,
  RemoteProgram,
  RemoteSubject,
} from "../execute/subject.js";
import type { SourceForm } from "../export/forms.js";
import { NO_ROOM } from "../export/status.js";
import { CALL_PAGES, exportWasi, HEAD_BYTES } from "../export/wasm/export-wasm.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { exportedSubject } from "./engine-subject.js";
import { failedBy, outcomeOfRun, type RunResult } from "./run-answer.js";
import { runCommand } from "./run-command.js";

interface WasiEngine {
  readonly name: string;
  readonly path: string;
  /** Arguments after the path of the module. */
  readonly flags: readonly string[];
  readonly missing: () => string | null;
  readonly form?: SourceForm;
}

/** Wall-clock time of one execution, which allows for a machine with much other work. */
const EXECUTION_MS = 120_000;
/** The most time that an engine takes for a value that the oracle executes. */
const MS_PER_VALUE = 0.01;
/** The room for records at first, in pages. */
const PAGES = 4;

export const wasiSubject = (engine: WasiEngine): RemoteSubject =>
  exportedSubject(engine, () => new WasiRunner(engine));

class WasiRunner implements OpenRemoteSubject {
  private readonly engine: WasiEngine;
  private readonly folder = mkdtempSync(join(tmpdir(), "touchstone-wasi-"));

  constructor(engine: WasiEngine) {
    this.engine = engine;
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    return {
      run: async () => {
        const answers = [];
        for (const { module, executions } of programs) {
          const outcomes: Outcome[] = [];
          for (const { input, fuelUsed } of executions) {
            outcomes.push(await this.execution(module, input, fuelUsed));
          }
          answers.push({ kind: "ran" as const, outcomes });
        }
        return answers;
      },
    };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs one execution, and again with more room if the records did not fit. */
  private async execution(module: Module, input: Input, fuelUsed: number): Promise<Outcome> {
    const first = await this.run(module, input, fuelUsed, PAGES);
    if ("ending" in first) return first;
    const isShort = first.status === NO_ROOM;
    const answer = isShort ? await this.run(module, input, fuelUsed, CALL_PAGES) : first;
    return "ending" in answer ? answer : outcomeOfRun(module, answer);
  }

  private async run(
    module: Module,
    input: Input,
    fuelUsed: number,
    pages: number,
  ): Promise<RunResult | Outcome> {
    const { path, flags, form } = this.engine;
    const file = join(this.folder, "program.wasm");
    const { bytes, layout } = exportWasi(module, input, pages, form);
    writeFileSync(file, bytes);
    const command = { path, args: [file, ...flags] };
    const ended = await runCommand(command, [], EXECUTION_MS + MS_PER_VALUE * fuelUsed);
    const { output, errors, death, failure } = ended;
    const written = `it wrote: ${excerptOf(errors)}`;
    if (death !== null && failure !== "crash") {
      return { events: [], ending: { kind: failure, evidence: `${death}; ${written}` } };
    }
    if (output.length < HEAD_BYTES) {
      return failedBy(
        "crash",
        `${death ?? "the program ended without records of its execution"}; ${written}`,
      );
    }
    const [status, next] = [output.readUInt32LE(0), output.readUInt32LE(4)];
    const size = next - layout.records;
    if (output.length !== HEAD_BYTES + size) {
      return failedBy("garbage", `${output.length} bytes of output for ${size} bytes of records`);
    }
    return { status, trap: death, records: output.subarray(HEAD_BYTES) };
  }
}
