// Judges the candidates of `fuzz reduce`, in child processes (one for each core) or by an interest
// test of the user.

import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OptimizeSettings } from "../../src/execute/unit.js";
import type { Input } from "../../src/ir/outcome.js";
import { printModule } from "../../src/ir/text/print.js";
import type { Cause } from "../../src/localize/cause.js";
import type { Candidate } from "../../src/reduce/candidate.js";
import type { CandidateJudge } from "../../src/reduce/reduce-together.js";
import { NONE } from "../../src/reduce/schedule.js";
import type { ReductionSignature } from "../../src/reduce/signature.js";
import { InternalError } from "../../src/support/assert.js";
import { boundToThisProcess } from "../../src/support/bound-child.js";
import { programFile } from "../../src/support/bundle.js";
import type { ScratchFolder } from "../../src/support/scratch-folder.js";
import { userEnvironment } from "../../src/support/user-environment.js";
import { usageError } from "../support/output.js";

/** The configuration of a judging process, as it is sent to it. */
export interface JudgeTask {
  readonly subject: string;
  /**
   * The name of the planted bug, because the bug itself is in the parts of the compiler and cannot
   * be sent.
   */
  readonly canary: string | null;
  readonly settings: Omit<OptimizeSettings, "plant">;
  readonly signature: ReductionSignature;
  /** The cause to keep; null: any. */
  readonly cause: Cause | null;
  readonly start: CandidateMessage;
}

/** A candidate in the form in which it is sent. */
export interface CandidateMessage {
  readonly text: string;
  readonly inputs: readonly Input[];
}

export const candidateMessage = ({ module, inputs }: Candidate): CandidateMessage => ({
  text: printModule(module),
  inputs,
});

const WORKER = new URL("./reduce-worker.js", import.meta.url);
/** Milliseconds after which a candidate counts as not interesting. */
const CANDIDATE_MS_MAX = 30_000;

/** A judging process, which judges one candidate at a time. */
class JudgeProcess {
  private readonly charge: JudgeTask;
  private child: ChildProcess | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(charge: JudgeTask) {
    this.charge = charge;
  }

  /** Queues the candidate after all earlier ones. */
  ask(candidate: Candidate): Promise<boolean> {
    const answer = this.last.then(() => this.judge(candidate));
    this.last = answer;
    return answer;
  }

  /** A candidate that ends the process, or exceeds the time limit, is not interesting. */
  private judge(candidate: Candidate): Promise<boolean> {
    const child = this.child ?? this.start();
    return new Promise((resolve) => {
      const end = (holds: boolean): void => {
        clearTimeout(timer);
        child.off("message", end);
        child.off("exit", die);
        resolve(holds);
      };
      const die = (): void => {
        this.child = null;
        end(false);
      };
      const timer = setTimeout(() => child.kill("SIGKILL"), CANDIDATE_MS_MAX);
      child.on("message", end);
      child.on("exit", die);
      child.send(candidateMessage(candidate), () => {});
    });
  }

  private start(): ChildProcess {
    const child = fork(programFile(WORKER), [], {
      serialization: "advanced", // settings contain sets and BigInts
      execArgv: boundToThisProcess(),
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.send(this.charge, () => {});
    this.child = child;
    return child;
  }

  close(): void {
    this.child?.kill("SIGKILL");
    this.child = null;
  }
}

export class CandidateProcesses implements CandidateJudge {
  private readonly jurors: readonly JudgeProcess[];

  constructor(charge: JudgeTask, width: number) {
    this.jurors = Array.from({ length: width }, () => new JudgeProcess(charge));
  }

  get width(): number {
    return this.jurors.length;
  }

  firstOf(batch: readonly Candidate[]): Promise<number> {
    return firstTrue(batch.map((candidate, c) => this.jurors[c].ask(candidate)));
  }

  close(): void {
    for (const juror of this.jurors) juror.close();
  }
}

/** Limits of the interest test. */
interface CommandLimits {
  /** Ends commands that would outlive this process. */
  readonly scratch: ScratchFolder;
  /** Time limit for a candidate; a candidate that takes longer is not interesting. */
  readonly seconds: number;
}

interface CommandResult {
  readonly status: number | null;
  readonly isStopped: boolean;
  /** The last line of standard error. */
  readonly says: string;
}

/** The statuses with which a shell reports that it cannot run a command. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const EVIDENCE_MAX = 2000;

/** Judges candidates by a command of the user. Status 0 means interesting, as for creduce. */
export class CommandJudge implements CandidateJudge {
  readonly width: number;
  private readonly command: string;
  private readonly print: (candidate: Candidate) => string;
  private readonly limits: CommandLimits;
  private readonly folder = mkdtempSync(join(tmpdir(), "touchstone-reduce-"));
  private count = 0;
  private stopped = 0;
  private readonly running = new Set<ChildProcess>();

  /** @param print converts a candidate to the command's input */
  constructor(
    command: string,
    width: number,
    print: (candidate: Candidate) => string,
    limits: CommandLimits,
  ) {
    this.command = command;
    this.width = width;
    this.print = print;
    this.limits = limits;
  }

  /** Describes how many candidates the time limit stopped; null if there are none. */
  get slow(): string | null {
    const { stopped, limits } = this;
    if (stopped === 0) return null;
    return `the command was stopped after ${limits.seconds} s on ${stopped} candidates, which count as not interesting (--test-seconds N)`;
  }

  firstOf(batch: readonly Candidate[]): Promise<number> {
    return firstTrue(batch.map((candidate) => this.ask(candidate)));
  }

  private async ask(candidate: Candidate): Promise<boolean> {
    const isFirst = this.count === 0;
    const file = join(this.folder, `candidate-${this.count++}.ir`);
    writeFileSync(file, this.print(candidate));
    const ended = await this.run(file);
    rmSync(file, { force: true });
    if (ended.isStopped) this.stopped++;
    // The initial program shows whether the command can run.
    const fault = isFirst ? this.faultOf(ended) : null;
    if (fault !== null) throw usageError(`--test ${this.command}: ${fault}`);
    return ended.status === 0;
  }

  private faultOf({ status, isStopped, says }: CommandResult): string | null {
    if (isStopped) {
      const { seconds } = this.limits;
      return `it takes more than ${seconds} s for the initial program: --test-seconds N allows more`;
    }
    if (status !== NOT_EXECUTABLE && status !== NOT_FOUND) return null;
    return `the command cannot run (status ${status})${says === "" ? "" : `: ${says}`}`;
  }

  private run(file: string): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      // This process chooses the file name, and the shell receives it as an argument, not as text.
      const child = spawn("sh", ["-c", `${this.command} "$1"`, "fuzz reduce", file], {
        stdio: ["ignore", "ignore", "pipe"],
        env: userEnvironment(),
        detached: true, // the command and its descendants form one process group
      });
      this.running.add(child);
      this.limits.scratch.enlist(child);
      let [says, isStopped] = ["", false];
      const timer = setTimeout(() => {
        isStopped = true;
        endGroup(child);
      }, this.limits.seconds * 1000);
      child.stderr.on("data", (bytes: Buffer) => {
        says = (says + bytes.toString()).slice(-EVIDENCE_MAX);
      });
      child.on("error", (error) => reject(new InternalError(`sh cannot run: ${error.message}`)));
      // Waits for the exit, not for the end of the output: descendants of the command may hold its
      // pipe open.
      child.on("exit", (status) => {
        clearTimeout(timer);
        this.running.delete(child);
        setImmediate(() => {
          child.stderr.destroy();
          resolve({ status, isStopped, says: says.trim().split("\n").at(-1) ?? "" });
        });
      });
    });
  }

  close(): void {
    for (const child of this.running) endGroup(child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {} // it has ended already
}

/** Returns the index of the first true answer as soon as all earlier answers are false. */
async function firstTrue(answers: readonly Promise<boolean>[]): Promise<number> {
  for (let a = 0; a < answers.length; a++) if (await answers[a]) return a;
  return NONE;
}
