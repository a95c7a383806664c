// Runs a subject that calls each export of a module once, in order, and prints the results: an
// interpreter whose memory is not accessible. Each execution is a process and a module of its own,
// which contains the input and shows its records, eight bytes for each export.
// A shell starts the executions of a batch one after the other: a process is cheap for a shell, and
// not for Node. Unless all of them end normally, each is repeated alone, so that a failure is
// attributed to one execution.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
import type { SourceForm } from "../export/forms.js";
import { NO_ROOM } from "../export/status.js";
import { CALL_PAGES, exportWasmWithRecords } from "../export/wasm/export-wasm.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { exportedSubject } from "./engine-subject.js";
import { failedBy, outcomeOfRun } from "./run-answer.js";
import { type CommandResult, runCommand } from "./run-command.js";

interface ExportEngine {
  readonly name: string;
  readonly path: string;
  /** Arguments after the path of the module. */
  readonly flags: readonly string[];
  readonly missing: () => string | null;
  readonly form?: SourceForm;
  /** The time for an execution, in addition to that for its fuel; EXECUTION_MS if absent. */
  readonly timeMs?: number;
}

/** Wall-clock time, so it allows for a machine with much other work. */
const EXECUTION_MS = 120_000;
/** The most time that an interpreter takes for a value that the oracle executes. */
const MS_PER_VALUE = 0.05;
/** Eight bytes of records are a line of text. */
const OUTPUT_MAX = 1 << 30;
/** The room for records at first, in pages. */
const PAGES = 4;
/** The size of a result and some recorded calls, in addition to the heap at the ending. */
const EXTRA_BYTES = 512;

export const exportSubject = (engine: ExportEngine): RemoteSubject =>
  exportedSubject(engine, () => new ExportRunner(engine));

class ExportRunner implements OpenRemoteSubject {
  private readonly engine: ExportEngine;
  private readonly folder = mkdtempSync(join(tmpdir(), "touchstone-exports-"));

  constructor(engine: ExportEngine) {
    this.engine = engine;
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    const run = async (): Promise<RemoteAnswer[]> => {
      const every = programs.flatMap(({ module, executions }) =>
        executions.map(({ input, fuelUsed }): ExportExecution => ({ module, input, fuelUsed })),
      );
      const together = every.length > 1 ? await this.together(every) : null;
      const answers: RemoteAnswer[] = [];
      let at = 0;
      for (const { executions } of programs) {
        const outcomes: Outcome[] = [];
        for (const end = at + executions.length; at < end; at++) {
          outcomes.push(await this.execution(every[at], together?.[at] ?? null));
        }
        answers.push({ kind: "ran", outcomes });
      }
      return answers;
    };
    return { run };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs one execution, and again with more exports or room if the records are larger. */
  private async execution(one: ExportExecution, first: ExportedRecords | null): Promise<Outcome> {
    let room = roomAtFirst(one);
    let shown: ExportedRecords | Outcome | null = first;
    for (;;) {
      shown ??= await this.alone(one, room);
      if ("ending" in shown) return shown;
      const { status, size, trap, records } = shown;
      const { words, pages } = room;
      if (status === NO_ROOM && pages < CALL_PAGES) room = { words, pages: CALL_PAGES };
      else if (size > 8 * words) room = { words: Math.ceil(size / 8), pages };
      else return outcomeOfRun(one.module, { status, trap, records: records.subarray(0, size) });
      shown = null;
    }
  }

  private async alone(one: ExportExecution, room: RecordSpace): Promise<ExportedRecords | Outcome> {
    const file = this.written(one, room, 0);
    const ended = await this.ended([file], one.fuelUsed);
    const { output, errors, death, failure } = ended;
    const text = output.toString("latin1");
    if (death !== null) {
      const evidence = `${death}; it wrote: ${excerptOf(errors + text)}`;
      return { events: [], ending: { kind: failure, evidence } };
    }
    return shownIn(linesOf(text), room.words) ?? failedBy("garbage", excerptOf(errors + text));
  }

  /** Returns null unless all of them have ended normally, with the expected lines. */
  private async together(
    executions: readonly ExportExecution[],
  ): Promise<readonly ExportedRecords[] | null> {
    const files = executions.map((one, at) => this.written(one, roomAtFirst(one), at));
    const fuelUsed = executions.reduce((sum, one) => sum + one.fuelUsed, 0);
    const { output, death } = await this.ended(files, fuelUsed);
    if (death !== null) return null;
    const lines = linesOf(output.toString("latin1"));
    const all: ExportedRecords[] = [];
    let line = 0;
    for (const one of executions) {
      const { words } = roomAtFirst(one);
      const shown = shownIn(lines.slice(line, line + words + HEAD_LINES), words);
      if (shown === null) return null;
      all.push(shown);
      line += words + HEAD_LINES;
    }
    return line === lines.length ? all : null;
  }

  /** Writes the module and returns its path. */
  private written({ module, input }: ExportExecution, room: RecordSpace, at: number): string {
    const file = join(this.folder, `program-${at}.wasm`);
    writeFileSync(file, exportWasmWithRecords(module, input, room, this.engine.form));
    return file;
  }

  private ended(files: readonly string[], fuelUsed: number): Promise<CommandResult> {
    const { path, flags, timeMs = EXECUTION_MS } = this.engine;
    const script = `for file do "$0" "$file" ${flags.join(" ")} || exit; done`;
    const command =
      files.length === 1
        ? { path, args: [files[0], ...flags] }
        : { path: "/bin/sh", args: ["-c", script, path, ...files] };
    return runCommand(command, [], timeMs + MS_PER_VALUE * fuelUsed, undefined, OUTPUT_MAX);
  }
}

interface ExportExecution {
  readonly module: Module;
  readonly input: Input;
  readonly fuelUsed: number;
}

interface RecordSpace {
  /** The number of exports that show eight bytes of records each. */
  readonly words: number;
  readonly pages: number;
}

/** Returns little room at first: an interpreter may write all of it before it begins. */
const roomAtFirst = ({ module }: ExportExecution): RecordSpace => ({
  words: Math.ceil((module.heapSize + EXTRA_BYTES) / 8),
  pages: PAGES,
});

interface ExportedRecords {
  readonly status: number;
  readonly size: number;
  readonly trap: string | null;
  readonly records: Uint8Array;
}

const linesOf = (text: string): string[] => text.trimEnd().split("\n");
/** The number of lines before the words: `run`, `status` and `size`. */
const HEAD_LINES = 3;

/**
 * Parses lines such as `w3() => i64:18446744073709551615`; returns null unless each export has its
 * line.
 */
function shownIn(lines: readonly string[], words: number): ExportedRecords | null {
  if (lines.length !== words + HEAD_LINES) return null;
  const run = /^run\(\) =>(?: error: (.*))?$/.exec(lines[0].trimEnd());
  const status = /^status\(\) => i32:(\d{1,10})$/.exec(lines[1]);
  const size = /^size\(\) => i32:(\d{1,10})$/.exec(lines[2]);
  if (run === null || status === null || size === null) return null;
  const records = new BigUint64Array(words);
  for (let w = 0; w < words; w++) {
    const word = /^w(\d+)\(\) => i64:(\d{1,20})$/.exec(lines[w + HEAD_LINES]);
    if (word === null || Number(word[1]) !== w) return null;
    records[w] = BigInt(word[2]);
  }
  return {
    status: Number(status[1]),
    size: Number(size[1]),
    trap: run[1] ?? null,
    records: new Uint8Array(records.buffer),
  };
}
