// Runs a command of the user's as a subject, in one of four forms (docs/subject-command.md):
//
//   mycc                      one process, which answers lines by lines on its standard input and output
//   mycc {in} {out}           a process for each question, the same lines in files
//   mycc {c} {exe}            a compiler of C: batch-subject.ts runs its executable
//   mycc {wasm} {export}      a process for each execution, which prints the result of the export
//
// A failure of a command is an outcome of the current program; the next question gets a new
// process.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { excerptOf } from "../compare/crash-message.js";
import {
  NOT_SHOWN,
  type OpenRemoteSubject,
  type RemoteAnswer,
  type RemoteProgram,
  type RemoteSubject,
} from "../execute/subject.js";
import { exportWasmCall } from "../export/wasm/export-wasm.js";
import type { Ending, Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { LanguageSubset } from "../ir/subset.js";
import { parseModule } from "../ir/text/parse.js";
import { Void } from "../ir/types.js";
import { quoted } from "../support/shell-word.js";
import { userEnvironment } from "../support/user-environment.js";
import { batchSubject } from "./batch-subject.js";
import type { ProcessCommand } from "./bound-process.js";
import {
  answersOf,
  bitsOfInteger,
  HELLO_LIKE,
  type Hello,
  helloOf,
  type ProgramAnswer,
  type ProgramRequest,
  questionLine,
  SHOWABLE,
} from "./command-protocol.js";
import type { EngineSubject } from "./engine-subject.js";
import { LineProcess } from "./line-process.js";
import { readAnswer } from "./read-answer.js";
import { callReproducer, executableReproducer, lineReproducer } from "./reproducer.js";
import { ANSWER_MAX, type CommandResult, runCommand } from "./run-command.js";
import { C_SOURCES } from "./sources.js";

/** A command in the form that is passed between processes. */
interface SubjectCommand {
  /** The command line for a shell. */
  readonly line: string;
  /** The time limit for one question, and for the start. */
  readonly seconds: number;
  /** The memory limit in MB for the command and its children. */
  readonly memory: number;
  /**
   * The supported part of the language, if the user has stated it. It overrides the command's own
   * statement.
   */
  readonly supports?: LanguageSubset;
}

/** A command with its description of itself. */
export interface DescribedCommand extends SubjectCommand {
  readonly says: Hello;
}

/** The name under which a command is counted. */
export const COMMAND = "command";

const COMPILER_BATCH = 8;

export function commandSubject(command: DescribedCommand): EngineSubject {
  const { line, says } = command;
  const form = formOf(line);
  const subject: RemoteSubject = {
    kind: "remote",
    name: COMMAND,
    capabilities: new Set(says.shows),
    native: true,
    missing: () => null,
    open: () => (form === "call" ? new CallRunner(command) : new LineRunner(command)),
  };
  return {
    ...(form === "compiler" ? compilerOf(command) : subject),
    batch: says.batch,
    version: () => says.name,
    reproducer: (shown) => {
      if (form === "call") return callReproducer(shown, line);
      if (form === "compiler")
        return executableReproducer(shown, C_SOURCES, ([file], executable) =>
          filled(line, file, executable),
        );
      const question = { module: shown.module, inputs: [shown.input] };
      return lineReproducer(questionLine([question], says.format), line);
    },
  };
}

type ProtocolForm = "lines" | "compiler" | "call";

function formOf(line: string): ProtocolForm {
  if (line.includes("{wasm}")) return "call";
  return line.includes("{c}") ? "compiler" : "lines";
}

const filled = (line: string, source: string, executable: string): string =>
  line.replaceAll("{c}", source).replaceAll("{exe}", executable);

const compilerOf = ({ line, memory }: SubjectCommand): RemoteSubject =>
  batchSubject({
    name: COMMAND,
    sources: C_SOURCES,
    compile: ([file], executable) => shell(filled(line, quoted(file), quoted(executable))),
    maxKb: memory << 10,
    limits: [],
    missing: () => null,
  });

/** Receives one line about a command that has not answered yet. */
type SlowNotice = (notice: string) => void;
/** A user who waits this long for a first answer reads what is expected. */
const NOTICE_MS = 3000;

function withNotice<T>(work: Promise<T>, notice: () => void): Promise<T> {
  const timer = setTimeout(notice, NOTICE_MS);
  return work.finally(() => clearTimeout(timer));
}

/** Reads a command's description of itself; returns an error message if it fails. */
export async function readHello(
  command: SubjectCommand,
  onSlow: SlowNotice = () => {},
): Promise<Hello | string> {
  const { supports } = command;
  const hello = await helloBy(command, onSlow);
  return typeof hello === "string" || supports === undefined ? hello : { ...hello, supports };
}

async function helloBy(command: SubjectCommand, onSlow: SlowNotice): Promise<Hello | string> {
  const { line: name, seconds } = command;
  const form = formOf(name);
  if (form === "call") return { name, format: "wasm", shows: ["results"], batch: 1 };
  if (form === "compiler") return { name, format: "c", shows: SHOWABLE, batch: COMPILER_BATCH };
  const lines = new LineRunner(command);
  try {
    const hello = await withNotice(lines.hello(), () =>
      onSlow(
        `sent nothing, because the command writes the first line, like ${HELLO_LIKE}; received ${lines.received} within ${NOTICE_MS / 1000} s: waiting ${seconds} s for it`,
      ),
    );
    return "evidence" in hello ? hello.evidence : hello;
  } finally {
    lines.close();
  }
}

/** The program that a command runs before a campaign: its result is its argument. */
const TRIAL_PROGRAM = `touchstone 1
proc trial(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
`;
/**
 * A command that fails only at times is a finding of the campaign, so one failure is not enough.
 */
const ATTEMPTS_MAX = 2;

/**
 * Runs the simplest program. Returns a description of the failure; null if there is none or if only
 * the result is wrong.
 */
export async function tryCommand(
  command: DescribedCommand,
  onSlow: SlowNotice = () => {},
): Promise<string | null> {
  const program = {
    module: parseModule(TRIAL_PROGRAM),
    executions: [{ input: { words: Int32Array.of(7, 0), heapSeed: 0 }, fuelUsed: 1 }],
  };
  const open = commandSubject(command).open();
  try {
    let failed: string | null = null;
    for (let t = 0; t < ATTEMPTS_MAX; t++) {
      const [answer] = await withNotice((await open.prepare([program])).run(), () =>
        onSlow(
          `sent a program that returns its argument, 7; received no answer within ${NOTICE_MS / 1000} s: waiting ${command.seconds} s for it`,
        ),
      );
      failed = answer.kind === "ran" ? failureIn(answer.outcomes[0].ending) : null;
      if (failed === null) return null;
    }
    return failed;
  } finally {
    open.close();
  }
}

/** The last line that the command wrote usually states the cause. */
function failureIn(ending: Ending): string | null {
  const text = "evidence" in ending ? ending.evidence : "message" in ending ? ending.message : null;
  if (text === null) return null;
  const lines = text.trim().split("\n");
  const last = lines[lines.length - 1].trim().replace(/:$/, "");
  return `it fails on a program that returns its argument: ${lines.length === 1 ? "" : "... "}${last}`;
}

/** Returns the command with the environment of the user's shell. */
const shell = (line: string): ProcessCommand => ({
  path: "/bin/sh",
  args: ["-c", line],
  env: userEnvironment(),
});

type CommandFailure = Extract<Ending, { kind: "crash" | "hang" | "garbage" }>;

const failureOf = ({ death, errors, failure }: CommandResult, output: string): CommandFailure => {
  const written = errors.trim() === "" ? "" : `; it wrote: ${excerptOf(errors)}`;
  const half =
    output === "" ? "without an answer" : `after ${JSON.stringify(output.slice(0, 200))}`;
  const kind = death === null ? "garbage" : failure;
  return { kind, evidence: `${death ?? "ended with status 0"} ${half}${written}` };
};

const failedAll = (ending: Ending, count: number): Outcome[] =>
  Array.from({ length: count }, () => ({ events: [], ending }));

/** The first two forms. */
class LineRunner implements OpenRemoteSubject {
  private readonly command: SubjectCommand;
  private readonly child: LineProcess | null;
  private known: Hello | null = null;

  constructor(command: SubjectCommand) {
    this.command = command;
    const isByFiles = command.line.includes("{in}");
    const { line, memory } = command;
    this.child = isByFiles ? null : new LineProcess(shell(line), memory << 10, ANSWER_MAX);
  }

  async prepare(programs: readonly RemoteProgram[]) {
    const questions = programs.map(({ module, executions }) => ({
      module,
      inputs: executions.map(({ input }) => input),
    }));
    return { run: () => this.askAll(questions) };
  }

  close(): void {
    this.child?.stop();
  }

  /** The unfinished answer of the process, for messages. */
  get received(): string {
    const text = this.child?.unfinishedLine ?? "";
    return text === "" ? "nothing" : `only ${JSON.stringify(text.slice(0, 200))}`;
  }

  async hello(): Promise<Hello | CommandFailure> {
    if (this.known !== null && this.child?.isRunning !== false) return this.known;
    const line = await (this.child === null ? this.byFiles("") : this.start(this.child));
    if (typeof line !== "string") {
      const { kind, evidence } = line;
      return { kind, evidence: `expected a first line like ${HELLO_LIKE}: ${evidence}` };
    }
    const hello = helloOf(line);
    if (typeof hello !== "string") {
      this.known = hello;
      return hello;
    }
    this.child?.stop();
    return { kind: "garbage", evidence: hello };
  }

  private async askAll(questions: readonly ProgramRequest[]): Promise<RemoteAnswer[]> {
    const answers: RemoteAnswer[] = [];
    for (let at = 0; at < questions.length; ) {
      const batch = this.known?.batch ?? 1;
      const some = questions.slice(at, at + batch);
      answers.push(...(await this.askSome(some)));
      at += some.length;
    }
    return answers;
  }

  /**
   * Sends questions in one batch. If it fails, sends each program alone, and each of its inputs
   * alone, to find the failing one.
   */
  private async askSome(questions: readonly ProgramRequest[]): Promise<RemoteAnswer[]> {
    const result = await this.ask(questions);
    if (Array.isArray(result))
      return result.map((answer, q) => this.answerWith(answer, questions[q]));
    if (questions.length > 1) {
      const alone: RemoteAnswer[] = [];
      for (const question of questions) alone.push(...(await this.askSome([question])));
      return alone;
    }
    const [{ module, inputs }] = questions;
    const failed: RemoteAnswer = { kind: "ran", outcomes: failedAll(result, inputs.length) };
    if (inputs.length === 1 || result.kind === "hang") return [failed];
    const outcomes: Outcome[] = [];
    for (const input of inputs) {
      const [answer] = await this.askSome([{ module, inputs: [input] }]);
      if (answer.kind === "declined") return [answer];
      outcomes.push(...answer.outcomes);
    }
    const isSeen = outcomes.some(({ ending }) => ending.kind === result.kind);
    return [isSeen ? { kind: "ran", outcomes } : failed];
  }

  private answerWith(answer: ProgramAnswer, { inputs }: ProgramRequest): RemoteAnswer {
    if (answer.kind !== "error") return answer;
    const ending: Ending = { kind: "compile-error", message: answer.message };
    return { kind: "ran", outcomes: failedAll(ending, inputs.length) };
  }

  private async ask(
    questions: readonly ProgramRequest[],
  ): Promise<ProgramAnswer[] | CommandFailure> {
    const hello = await this.hello();
    if ("evidence" in hello) return hello;
    const question = questionLine(questions, hello.format);
    const line = await (this.child === null
      ? this.byFiles(question)
      : this.byPipe(this.child, question));
    if (typeof line !== "string") return line;
    const answers = answersOf(line, questions);
    if (typeof answers !== "string") return [...answers];
    this.child?.stop(); // after a malformed answer this process is not used again
    return { kind: "garbage", evidence: answers };
  }

  private async start(child: LineProcess): Promise<string | CommandFailure> {
    const reply = await child.start(1000 * this.command.seconds);
    return reply.kind === "line" ? reply.text : reply;
  }

  private async byPipe(child: LineProcess, question: string): Promise<string | CommandFailure> {
    const reply = await child.ask(question, 1000 * this.command.seconds);
    return reply.kind === "line" ? reply.text : reply;
  }

  /** Runs the command on one question; without a question the command describes itself. */
  private async byFiles(question: string): Promise<string | CommandFailure> {
    return inFolder(async (folder) => {
      const [input, output] = [join(folder, "in.json"), join(folder, "out.json")];
      writeFileSync(input, question === "" ? "" : `${question}\n`);
      const { line, seconds, memory } = this.command;
      const whole = line.replaceAll("{in}", quoted(input)).replaceAll("{out}", quoted(output));
      const ended = await runCommand(shell(whole), [], 1000 * seconds, memory << 10);
      const answer = readAnswer(output);
      if (typeof answer === "string") return { kind: "garbage", evidence: answer };
      const text = answer?.toString("utf8") ?? "";
      if (ended.death !== null || !text.endsWith("\n")) return failureOf(ended, text);
      return text.trimEnd();
    });
  }
}

/** Creates a folder for one question: a command may leave anything in it. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-command-"));
  try {
    return await work(folder);
  } finally {
    removeFolder(folder);
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {} // the command has made it unreadable: it is removed with its parent
}

/** The third form. */
class CallRunner implements OpenRemoteSubject {
  private readonly command: SubjectCommand;

  constructor(command: SubjectCommand) {
    this.command = command;
  }

  async prepare(programs: readonly RemoteProgram[]) {
    const run = async (): Promise<RemoteAnswer[]> => {
      const answers: RemoteAnswer[] = [];
      for (const { module, executions } of programs) {
        const outcomes: Outcome[] = [];
        for (const { input } of executions) outcomes.push(await this.call(module, input));
        answers.push({ kind: "ran", outcomes });
      }
      return answers;
    };
    return { run };
  }

  close(): void {}

  private call(module: Module, input: Input): Promise<Outcome> {
    return inFolder(async (folder) => {
      const path = join(folder, "program.wasm");
      writeFileSync(path, exportWasmCall(module, input));
      const { line, seconds, memory } = this.command;
      const whole = line.replaceAll("{wasm}", quoted(path)).replaceAll("{export}", "main");
      const ended = await runCommand(shell(whole), [], 1000 * seconds, memory << 10);
      const output = ended.output.toString("utf8");
      const number = NUMBER.exec(output)?.[1];
      if (ended.death !== null || number === undefined) {
        return { events: [], ending: failureOf(ended, output) };
      }
      const { result: type } = module.entry;
      const result = type === Void ? null : bitsOfInteger(integerOf(number), type);
      return { events: [], ending: { kind: "return", result, heap: NOT_SHOWN } };
    });
  }
}

/** Matches a number, signed or not, as the last word of the output. */
const NUMBER = /(?:^|[\s:=])(-?(?:0x[\da-f]{1,16}|\d{1,20}))\s*$/i;

const integerOf = (text: string): bigint =>
  text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
