// What judges the candidates of `fuzz reduce`: processes of our own, one for each core, or a command of
// the user.

import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OptimizeSettings } from "../../src/execute/unit.js";
import type { Input } from "../../src/ir/outcome.js";
import { printModule } from "../../src/ir/text/print.js";
import type { Cause } from "../../src/localize/cause.js";
import type { Candidate } from "../../src/reduce/candidate.js";
import type { Jury } from "../../src/reduce/reduce-together.js";
import { NONE } from "../../src/reduce/schedule.js";
import type { Signature } from "../../src/reduce/signature.js";
import { InternalError } from "../../src/support/assert.js";
import { boundToThisProcess } from "../../src/support/bound-child.js";
import { programFile } from "../../src/support/bundle.js";
import type { ScratchFolder } from "../../src/support/scratch-folder.js";
import { userEnvironment } from "../../src/support/user-environment.js";
import { usageError } from "../support/output.js";

/** What a judge must know, as it travels to its process. */
export interface Charge {
  readonly subject: string;
  /** Where a bug is planted, it is in the parts of the compiler, and travels as a name. */
  readonly canary: string | null;
  readonly settings: Omit<OptimizeSettings, "plant">;
  readonly signature: Signature;
  /** The cause to keep; null: any. */
  readonly cause: Cause | null;
  readonly start: Posted;
}

/** A candidate on its way. */
export interface Posted {
  readonly text: string;
  readonly inputs: readonly Input[];
}

export const posted = ({ module, inputs }: Candidate): Posted => ({
  text: printModule(module),
  inputs,
});

const WORKER = new URL("./reduce-worker.js", import.meta.url);
/** A candidate that takes longer is not interesting. */
const PATIENCE_MS = 30_000;

/** One process, and the one question that it has. */
class Juror {
  private readonly charge: Charge;
  private child: ChildProcess | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(charge: Charge) {
    this.charge = charge;
  }

  /** Asked after all that it was asked before. */
  ask(candidate: Candidate): Promise<boolean> {
    const answer = this.last.then(() => this.judge(candidate));
    this.last = answer;
    return answer;
  }

  /** A process that dies of a candidate, or does not come back, has not found it interesting. */
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
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      child.on("message", end);
      child.on("exit", die);
      child.send(posted(candidate), () => {});
    });
  }

  private start(): ChildProcess {
    const child = fork(programFile(WORKER), [], {
      serialization: "advanced", // settings hold sets and BigInts
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

export class ProcessJury implements Jury {
  private readonly jurors: readonly Juror[];

  constructor(charge: Charge, width: number) {
    this.jurors = Array.from({ length: width }, () => new Juror(charge));
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

/** The limits of a command of the user's. */
interface CommandLimits {
  /** Ends commands that would outlive this process. */
  readonly scratch: ScratchFolder;
  /** For a candidate: one that takes longer is not interesting. */
  readonly seconds: number;
}

/** How a command has ended. */
interface Ended {
  readonly status: number | null;
  readonly isStopped: boolean;
  /** The last line on standard error. */
  readonly says: string;
}

/** Statuses of a shell that cannot run a command. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const EVIDENCE_MAX = 2000;

/** A command of the user's: status 0 for what is interesting, as with creduce. */
export class CommandJury implements Jury {
  readonly width: number;
  private readonly command: string;
  private readonly print: (candidate: Candidate) => string;
  private readonly limits: CommandLimits;
  private readonly folder = mkdtempSync(join(tmpdir(), "touchstone-reduce-"));
  private count = 0;
  private stopped = 0;
  private readonly running = new Set<ChildProcess>();

  /** @param print a candidate as the command reads it */
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

  /** Returns how many candidates the time limit has stopped, in a sentence; null if there are none. */
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
    // The program as it was given shows whether the command runs at all.
    const fault = isFirst ? this.faultOf(ended) : null;
    if (fault !== null) throw usageError(`--test ${this.command}: ${fault}`);
    return ended.status === 0;
  }

  private faultOf({ status, isStopped, says }: Ended): string | null {
    if (isStopped) {
      const { seconds } = this.limits;
      return `it takes more than ${seconds} s for the program as it is: --test-seconds N allows more`;
    }
    if (status !== NOT_EXECUTABLE && status !== NOT_FOUND) return null;
    return `the command cannot run (status ${status})${says === "" ? "" : `: ${says}`}`;
  }

  private run(file: string): Promise<Ended> {
    return new Promise((resolve, reject) => {
      // The file's name is ours; the shell sees it as an argument, not as text.
      const child = spawn("sh", ["-c", `${this.command} "$1"`, "fuzz reduce", file], {
        stdio: ["ignore", "ignore", "pipe"],
        env: userEnvironment(),
        detached: true, // with all that it starts, it is one group
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
      // A process that the command leaves behind may hold its pipe: the exit is what is waited for.
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
  } catch {} // it has just ended
}

/** As soon as it is known: all before the first are false. */
async function firstTrue(answers: readonly Promise<boolean>[]): Promise<number> {
  for (let a = 0; a < answers.length; a++) if (await answers[a]) return a;
  return NONE;
}
