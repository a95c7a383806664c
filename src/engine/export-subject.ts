// A subject that calls each export of a module once, in their order, and prints what it returns: an
// interpreter without memory that could be looked into. Each execution is a process and a module of its
// own, which has the input inside and shows its records eight bytes an export.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  Answer,
  OpenRemote,
  PreparedBatch,
  RemoteProgram,
  RemoteSubject,
} from "../execute/subject.js";
import { NO_ROOM } from "../export/status.js";
import { CALL_PAGES, exportWasmShown } from "../export/wasm/export-wasm.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { exportedSubject } from "./engine-subject.js";
import { failedBy, outcomeOfRun } from "./run-answer.js";
import { runCommand } from "./run-command.js";

interface ExportEngine {
  readonly name: string;
  readonly path: string;
  /** Behind the path of the module. */
  readonly flags: readonly string[];
  readonly missing: () => string | null;
  /** For an execution, beside what its fuel allows; EXECUTION_MS if not said. */
  readonly timeMs?: number;
}

/** Of the clock, so a machine with much else to do must fit in. */
const EXECUTION_MS = 120_000;
/** What an interpreter takes at most for a value that the oracle executes. */
const MS_PER_VALUE = 0.05;
const EVIDENCE_MAX = 2000;
/** For records at first. */
const PAGES = 4;
/** Beyond the heap at the ending: what a result and some recorded calls take. */
const MORE_BYTES = 512;

export const exportSubject = (engine: ExportEngine): RemoteSubject =>
  exportedSubject(engine, () => new Runs(engine));

class Runs implements OpenRemote {
  private readonly engine: ExportEngine;
  private readonly folder = mkdtempSync(join(tmpdir(), "touchstone-exports-"));

  constructor(engine: ExportEngine) {
    this.engine = engine;
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    const run = async (): Promise<Answer[]> => {
      const answers: Answer[] = [];
      for (const { module, executions } of programs) {
        const outcomes: Outcome[] = [];
        for (const { input, fuelUsed } of executions) {
          outcomes.push(await this.execution(module, input, fuelUsed));
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

  /** Again with more exports or room, where records are larger than was thought. */
  private async execution(module: Module, input: Input, fuelUsed: number): Promise<Outcome> {
    // Little room at first: an interpreter may write all of it before it begins.
    let wanted = { words: Math.ceil((module.heapSize + MORE_BYTES) / 8), pages: PAGES };
    for (;;) {
      const shown = await this.shown(module, input, wanted, fuelUsed);
      if ("ending" in shown) return shown;
      const { status, size, trap } = shown;
      const { words, pages } = wanted;
      if (status === NO_ROOM && pages < CALL_PAGES) wanted = { words, pages: CALL_PAGES };
      else if (size > 8 * words) wanted = { words: Math.ceil(size / 8), pages };
      else return outcomeOfRun(module, { status, trap, records: shown.records.subarray(0, size) });
    }
  }

  private async shown(
    module: Module,
    input: Input,
    wanted: { readonly words: number; readonly pages: number },
    fuelUsed: number,
  ): Promise<Shown | Outcome> {
    const file = join(this.folder, "program.wasm");
    writeFileSync(file, exportWasmShown(module, input, wanted));
    const { path, flags, timeMs = EXECUTION_MS } = this.engine;
    const command = { path, args: [file, ...flags] };
    const ended = await runCommand(command, [], timeMs + MS_PER_VALUE * fuelUsed);
    const { output, errors, death, isHung } = ended;
    const text = output.toString("latin1");
    if (death !== null) {
      const evidence = `${death}; it said: ${(errors + text).slice(-EVIDENCE_MAX)}`;
      return isHung
        ? { events: [], ending: { kind: "hang", evidence } }
        : failedBy("crash", evidence);
    }
    return (
      shownIn(text, wanted.words) ?? failedBy("garbage", (errors + text).slice(0, EVIDENCE_MAX))
    );
  }
}

interface Shown {
  readonly status: number;
  readonly size: number;
  readonly trap: string | null;
  readonly records: Uint8Array;
}

/** What the lines say, `w3() => i64:18446744073709551615`; null unless each export has its line. */
function shownIn(text: string, words: number): Shown | null {
  const lines = text.trimEnd().split("\n");
  if (lines.length !== words + 3) return null;
  const run = /^run\(\) =>(?: error: (.*))?$/.exec(lines[0].trimEnd());
  const status = /^status\(\) => i32:(\d{1,10})$/.exec(lines[1]);
  const size = /^size\(\) => i32:(\d{1,10})$/.exec(lines[2]);
  if (run === null || status === null || size === null) return null;
  const records = new BigUint64Array(words);
  for (let w = 0; w < words; w++) {
    const word = /^w(\d+)\(\) => i64:(\d{1,20})$/.exec(lines[w + 3]);
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
