// A worker process as its campaign sees it: it takes one job at a time, and answers, dies or hangs.

import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boundToThisProcess } from "../../support/bound-child.js";
import { checkBuild, pinnedEnvironment } from "../../support/build-id.js";
import { programFile } from "../../support/bundle.js";
import { MachineError, machineErrorOf, namesShortage } from "../../support/machine-error.js";
import { processorSeconds } from "../../support/process-stat.js";
import { withRoomForYoung } from "../../support/young-room.js";
import {
  type JobMessage,
  type OpenMessage,
  POSITION,
  POSITION_BYTES,
  type WorkerMessage,
} from "./jobs.js";

const WORKER = new URL("./worker.js", import.meta.url);
const EVIDENCE_MAX = 2000;

export interface WorkerEvents {
  /** Receives an answer to the open message, or to a job. */
  readonly onMessage: (message: WorkerMessage) => void;
  /** Called once, as the last event. */
  readonly onDeath: (death: WorkerDeath) => void;
}

export interface WorkerDeath {
  readonly how: string;
  /** The end of its standard error. */
  readonly evidence: string;
  /** True if the error output names a resource that the machine lacks. */
  readonly isShortage: boolean;
  /** True if a signal ended the process. */
  readonly isSignal: boolean;
}

export class WorkerProcess {
  /** The receiver of its events. */
  events: WorkerEvents;
  private readonly child: ChildProcess;
  /** The file in which the worker writes its position; see POSITION_FD. */
  private readonly positionFile: number;
  private readonly words = Buffer.alloc(POSITION_BYTES);
  private evidence = "";
  private isDead = false;

  /**
   * Starts a worker process.
   * @throws MachineError if the system refuses it
   */
  constructor(open: OpenMessage, events: WorkerEvents) {
    checkBuild();
    this.events = events;
    this.positionFile = openNameless();
    this.child = fork(programFile(WORKER), [], {
      serialization: "advanced", // seeds are BigInts
      env: pinnedEnvironment(),
      execArgv: [...boundToThisProcess(), ...withRoomForYoung()],
      stdio: ["ignore", "ignore", "pipe", "ipc", this.positionFile],
    });
    const { child } = this;
    child.stderr?.on("data", (bytes: Buffer) => {
      this.evidence = (this.evidence + bytes.toString()).slice(-EVIDENCE_MAX);
    });
    child.on("message", (message: WorkerMessage) => this.events.onMessage(message));
    const die = (how: string, isSignal = false): void => {
      if (this.isDead) return;
      this.isDead = true;
      const evidence = this.evidence.trim();
      const isShortage = namesShortage(`${how} ${evidence}`);
      this.events.onDeath({ how, evidence, isShortage, isSignal });
      closeSync(this.positionFile);
    };
    child.on("error", (error) => die(error.message));
    child.on("close", (status, signal) => die(signal ?? `status ${status}`, signal !== null));
    if (child.pid !== undefined) this.send(open); // else `error` reports the reason
  }

  /** Returns the used processor time in seconds; null if the system does not report it. */
  processorSeconds(): number | null {
    return this.pid === undefined ? null : processorSeconds(this.pid);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Sends a message. Callers send one job at a time. */
  send(message: OpenMessage | JobMessage): void {
    // Errors of sending are ignored: if the process has just died, the event `close` follows.
    this.child.send(message, () => {});
  }

  /**
   * Returns the current seed of the worker, or the last one of a dead worker; 0 before the first.
   */
  currentSeed(): bigint {
    return this.readWord(POSITION.seed);
  }

  /**
   * Returns a number that grows once a second while the worker waits for another process, and with
   * each candidate of a reduction.
   */
  beats(): bigint {
    return this.readWord(POSITION.beats);
  }

  /** Returns the progress of the reduction of its report; 0 values before it begins. */
  reduction(): { readonly values: number; readonly candidates: number } {
    return {
      values: Number(this.readWord(POSITION.values)),
      candidates: Number(this.readWord(POSITION.candidates)),
    };
  }

  private readWord(offset: number): bigint {
    this.words.fill(0);
    readSync(this.positionFile, this.words, 0, POSITION_BYTES, 0);
    return this.words.readBigUInt64LE(offset);
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}

/**
 * Opens a file without a name: it disappears with the processes that have it open, however they
 * end. Its bytes are written at once, so that a full disk cannot refuse them later.
 */
function openNameless(): number {
  try {
    const file = openTemporary();
    writeSync(file, Buffer.alloc(POSITION_BYTES), 0, POSITION_BYTES, 0);
    return file;
  } catch (error) {
    const refusal = machineErrorOf(error);
    if (refusal === null) throw error;
    throw new MachineError(
      `the folder of temporary files ${tmpdir()} cannot be used: ${refusal.message}`,
    );
  }
}

// Linux makes a file that never has a name, if the file system supports it.
function openTemporary(): number {
  const { O_RDWR, O_DIRECTORY } = constants;
  if (process.platform === "linux") {
    try {
      return openSync(tmpdir(), O_TMPFILE_ALONE | O_DIRECTORY | O_RDWR, 0o600);
    } catch (error) {
      if (machineErrorOf(error) !== null) throw error;
    }
  }
  const path = join(tmpdir(), `touchstone-position-${randomUUID()}`);
  const file = openSync(path, "wx+");
  rmSync(path);
  return file;
}

/** In <fcntl.h> of Linux, O_TMPFILE is this value and O_DIRECTORY; Node does not define it. */
const O_TMPFILE_ALONE = 0o20_000_000;
