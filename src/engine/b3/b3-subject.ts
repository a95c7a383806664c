// Opens `jsc-b3`: a program runs in JavaScriptCore as for `jsc-omg`, and each phase of B3 that
// transformed its procedures is judged separately (src/phases). So a wrong phase is found and named
// even if the program's own inputs do not show it.

import { excerptOf } from "../../compare/crash-message.js";
import type {
  OpenRemoteSubject,
  PreparedBatch,
  RemoteAnswer,
  RemoteProgram,
  RemoteSubject,
} from "../../execute/subject.js";
import type { SourceForm } from "../../export/forms.js";
import { exportWasm } from "../../export/wasm/export-wasm.js";
import { type InstructionsToHide, NOTHING_HIDDEN } from "../../export/wasm/hidden.js";
import { type B3Compilation, readB3Dump } from "../../import/b3/read-dump.js";
import { ImportError } from "../../import/import-error.js";
import type { Outcome } from "../../ir/outcome.js";
import { judgeB3 } from "../../phases/b3-phases.js";
import type { ProcessCommand } from "../bound-process.js";
import { exportedSubject } from "../engine-subject.js";
import { failedBy, outcomeOfRun } from "../run-answer.js";
import type { SourceProgram } from "../sources.js";
import { answerOf } from "../wasm-protocol.js";
import { b3Log } from "./b3-log.js";

interface B3Engine {
  readonly name: string;
  readonly command: ProcessCommand;
  readonly missing: () => string | null;
  /** Instructions whose constants are hidden. */
  readonly hidden: InstructionsToHide;
  readonly form?: SourceForm;
}

/** Wall-clock time, so it allows for a machine with much other work. */
const PROGRAM_MS = 180_000;

export const b3Subject = (engine: B3Engine): RemoteSubject =>
  exportedSubject(engine, () => new B3Runner(engine));

/**
 * Returns the phase that is wrong for the program, or in which B3 crashes; null if there is none.
 */
export async function causingPhaseOf(
  { command, form }: Pick<B3Engine, "command" | "form">,
  { module, inputs }: SourceProgram,
): Promise<string | null> {
  const { ended, log } = await b3Log(
    command,
    exportWasm(module, NOTHING_HIDDEN, form).bytes,
    inputs,
    PROGRAM_MS,
  );
  const compilations = readB3Dump(log);
  return ended.death === null ? wrongPhase(compilations) : nextPhase(compilations);
}

class B3Runner implements OpenRemoteSubject {
  private readonly engine: B3Engine;

  constructor(engine: B3Engine) {
    this.engine = engine;
  }

  async prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch> {
    return {
      run: async () => {
        const answers: RemoteAnswer[] = [];
        for (const program of programs) {
          answers.push({ kind: "ran", outcomes: await this.outcomes(program) });
        }
        return answers;
      },
    };
  }

  close(): void {}

  private async outcomes({ module, executions }: RemoteProgram): Promise<readonly Outcome[]> {
    const { command, hidden, form } = this.engine;
    const inputs = executions.map(({ input }) => input);
    const { bytes } = exportWasm(module, hidden, form);
    const { ended, log } = await b3Log(command, bytes, inputs, PROGRAM_MS);
    const all = (outcome: Outcome): Outcome[] => inputs.map(() => outcome);
    const { output, death, failure } = ended;
    if (death !== null) {
      const next = nextPhase(readB3Dump(log));
      const context = next === null ? `it wrote: ${excerptOf(log)}` : `B3's ${next} was next`;
      const evidence = `${death}; ${context}`;
      return all({ events: [], ending: { kind: failure, evidence } });
    }
    const [, line = ""] = output.toString("latin1").split("\n");
    const answer = answerOf(line, inputs.length);
    if (answer.kind === "garbage") return all(failedBy("garbage", answer.detail));
    if (answer.kind === "refused") return all(wrong(answer.message));
    const failed = wrongIn(log);
    return failed === null ? answer.runs.map((run) => outcomeOfRun(module, run)) : all(failed);
  }
}

const wrong = (message: string): Outcome => ({
  events: [],
  ending: { kind: "compile-error", message },
});

/** Returns null if no phase is wrong. */
function wrongIn(log: string): Outcome | null {
  const compilations = readB3Dump(log);
  if (compilations.length === 0) return failedBy("garbage", "the engine has logged no phase of B3");
  try {
    const name = wrongPhase(compilations);
    // Only the name: a smaller program with the same fault gives the same message.
    return name === null ? null : wrong(`B3's phase ${name} changes what a procedure does`);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return failedBy("garbage", error.message);
  }
}

/** @throws ImportError if the log is malformed */
function wrongPhase(compilations: readonly B3Compilation[]): string | null {
  for (const compilation of compilations) {
    const { wrong: found } = judgeB3(compilation);
    if (found !== null) return found.name;
  }
  return null;
}

/** Returns the phase in which B3 ended. */
const nextPhase = (compilations: readonly B3Compilation[]): string | null =>
  compilations.at(-1)?.phases.at(-1)?.next ?? null;
