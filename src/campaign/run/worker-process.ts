// A worker as its campaign sees it: takes one job at a time, and answers, dies or hangs.

import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JobMessage, OpenMessage, WorkerMessage } from "./jobs.js";

const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));
const EVIDENCE_MAX = 2000;

export interface WorkerEvents {
  /** An answer to the open message, or to a job. */
  readonly onMessage: (message: WorkerMessage) => void;
  /** Called once; nothing follows. `evidence`: the last that it wrote to standard error. */
  readonly onDeath: (how: string, evidence: string) => void;
}

export class WorkerProcess {
  private readonly child: ChildProcess;
  /** See POSITION_FD. */
  private readonly positionFile: number;
  private readonly word = Buffer.alloc(8);
  private evidence = "";
  private isDead = false;

  constructor(open: OpenMessage, events: WorkerEvents) {
    this.positionFile = openNameless();
    this.child = fork(WORKER, [], {
      serialization: "advanced", // seeds are BigInts
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc", this.positionFile],
    });
    const { child } = this;
    child.stderr?.on("data", (bytes: Buffer) => {
      this.evidence = (this.evidence + bytes.toString()).slice(-EVIDENCE_MAX);
    });
    child.on("message", (message: WorkerMessage) => events.onMessage(message));
    const die = (how: string): void => {
      if (this.isDead) return;
      this.isDead = true;
      events.onDeath(how, this.evidence.trim());
      closeSync(this.positionFile);
    };
    child.on("error", (error) => die(error.message));
    child.on("close", (status, signal) => die(signal ?? `status ${status}`));
    this.send(open);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Callers send one job at a time. */
  send(message: OpenMessage | JobMessage): void {
    // If it has just died, `close` says so.
    this.child.send(message, () => {});
  }

  /** The seed that the worker is at, or was at when it died; 0 before the first. */
  currentSeed(): bigint {
    this.word.fill(0);
    readSync(this.positionFile, this.word, 0, 8, 0);
    return this.word.readBigUInt64LE();
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}

// Without a name it disappears with the processes that hold it, however they end.
function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-"));
  const file = openSync(join(folder, "position"), "w+");
  rmSync(folder, { recursive: true });
  return file;
}
