// The child process that runs native code, as the harness sees it: memory that both share, and an
// exchange that waits for the answer.
//
// One child serves all subjects of a process. It is started when it is first needed, and again
// after any anomaly: code that went wrong may have left it in any state.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import koffi from "koffi";
import { assert, InternalError } from "../../support/assert.js";
import { CODE_SIZE_MAX, GUEST_CODE, IMAGE_SIZE_MAX } from "../machine/guest.js";
import { launcherImage, NAMESPACE_LEVELS } from "./host-launcher.js";
import { ANSWER_DONE, CHILD_FD, MAIL, SEGMENTS, type Segment, SHARED_SIZE } from "./host-layout.js";
import {
  CLOSE_ON_EXEC,
  checkCall,
  type Libc,
  loadLibc,
  MAP,
  POLL,
  PROTECTION,
  processorSet,
} from "./host-libc.js";
import { RunRecords } from "./host-runs.js";

type Namespaces = (typeof NAMESPACE_LEVELS)[number];
/** As the child finds it, between its start and its program. */
const LAUNCHER_PATH = `/proc/self/fd/${CHILD_FD.launcher}`;
const CHILD_PROGRAM = fileURLToPath(new URL("./host-child.js", import.meta.url));
/** The child's own addresses are random: what it needs may be taken, once in a long while. */
const STARTS_MAX = 2;
/** Beyond the CPU time that a run may take, by a factor: a machine may be busy. */
const realTimeFor = (milliseconds: number): number => 60_000 + 10 * milliseconds;
const START_MILLISECONDS = 60_000;
const END_MILLISECONDS = 1000;
const ERROR_SIZE_MAX = 4096;

/** Native code cannot be run here; the message is one line that says why. */
class HostRefused extends Error {
  override readonly name = "HostRefused";
}

interface HostMemory {
  readonly mail: Int32Array;
  readonly block: Int32Array;
  readonly events: Int32Array;
  readonly runs: RunRecords;
  readonly code: Uint8Array;
  readonly stack: Uint8Array;
  readonly heap: Uint8Array;
}

/** How the child is isolated, besides the filter that it always has. */
export interface Confinement {
  /** Namespaces of its own. */
  readonly namespaces: readonly string[];
  /** Whether it has a capability of the kernel's. */
  readonly isPrivileged: boolean;
}

/** Why an exchange failed: the child has died, or gave no answer in time. */
type Exchange = "answered" | "died" | "late";

interface Running {
  /** The launcher, which ends with the child; or the child itself. */
  readonly child: ChildProcess;
  readonly requestFd: number;
  readonly answerFd: number;
  readonly confinement: Confinement;
  /** Of the child, as this process numbers it. */
  readonly pid: number;
}

/** The answer of the child: done, the text of an error, its end, or nothing in time. */
type Answer = { readonly kind: Exchange } | { readonly kind: "error"; readonly message: string };

export class HostProcess {
  readonly memory: HostMemory;
  /** The Cpu whose image is loaded: several share this process. */
  private holder: object | null = null;
  private imageSize = CODE_SIZE_MAX;
  private readonly libc: Libc;
  private readonly memoryFd: number;
  private readonly byte = new Uint8Array(1);
  private readonly answerBytes = new Uint8Array(ERROR_SIZE_MAX);
  /** Those that this process may use, and the one that it has used last. */
  private readonly processors = processorSet(null);
  private readonly canChoose: boolean;
  private processor = -1;
  private oneProcessor = this.processors;
  private running: Running | null = null;
  private readonly pollSet = new Int32Array(2);
  private readonly launchers = new Map<Namespaces, number>();
  /** An index of NAMESPACE_LEVELS: the first that the kernel has granted. */
  private level = 0;

  /** Throws if the kernel refuses. The child is started by `start`. */
  constructor() {
    const libc = loadLibc();
    this.libc = libc;
    this.memoryFd = libc.createMemory("touchstone", CLOSE_ON_EXEC.memory);
    checkCall(this.memoryFd, "memfd_create");
    checkCall(libc.resize(this.memoryFd, SHARED_SIZE), "ftruncate");
    this.canChoose = libc.getAffinity(0, this.processors.length, this.processors) >= 0;
    const protection = PROTECTION.read | PROTECTION.write;
    const at = libc.map(0, SHARED_SIZE, protection, MAP.shared, this.memoryFd, 0);
    checkCall(at, "mmap");
    const buffer = koffi.view(at, SHARED_SIZE);
    const bytes = ({ offset, size }: Segment) => new Uint8Array(buffer, offset, size);
    const words = ({ offset, size }: Segment) => new Int32Array(buffer, offset, size / 4);
    this.memory = {
      mail: words(SEGMENTS.mailbox),
      block: words(SEGMENTS.block),
      events: words(SEGMENTS.events),
      runs: new RunRecords(buffer, SEGMENTS.runs.offset, SEGMENTS.runs.size),
      code: bytes(SEGMENTS.code),
      stack: bytes(SEGMENTS.stack),
      heap: bytes(SEGMENTS.heap),
    };
    this.memory.mail[MAIL.processor] = -1;
  }

  /** Of the child; 0 if there is none. */
  get pid(): number {
    return this.running?.pid ?? 0;
  }

  /** Of the child; null if there is none. */
  get confinement(): Confinement | null {
    return this.running?.confinement ?? null;
  }

  /** Starts a child unless one runs. Throws HostRefused where none can be started. */
  start(): void {
    let message = "the child does not start";
    while (this.running === null && this.level < NAMESPACE_LEVELS.length) {
      for (let count = 0; count < STARTS_MAX && this.running === null; count++) {
        message = this.tryStart() ?? message;
      }
      if (this.running === null) this.level++;
    }
    if (this.running !== null) return;
    this.level = 0;
    throw new HostRefused(message);
  }

  /**
   * Makes `image` the code, unless that is what `holder` has placed last; all else there traps.
   */
  place(holder: object, image: Uint8Array): void {
    if (this.holder === holder) return;
    const { code } = this.memory;
    // The last page stays a trap, so that code cannot run off its end into nothing.
    assert(image.length <= IMAGE_SIZE_MAX, () => `an image of ${image.length} bytes`);
    code.set(image);
    if (image.length < this.imageSize) code.fill(GUEST_CODE.x64.trap, image.length, this.imageSize);
    this.imageSize = image.length;
    this.holder = holder;
  }

  /** The image of `holder`, if it is the one that is placed, is no longer the right one. */
  forget(holder: object): void {
    if (this.holder === holder) this.holder = null;
  }

  /** Has the child execute the request in the mailbox; it must have been started. */
  exchange(): Exchange {
    const { running } = this;
    if (running === null) throw new InternalError("no child to ask");
    const milliseconds = realTimeFor(this.memory.mail[MAIL.milliseconds]);
    const answer = this.onOneProcessor(() => this.ask(running, milliseconds));
    if (answer.kind === "answered") return "answered";
    this.stop();
    if (answer.kind === "error") throw new InternalError(`native child: ${answer.message}`);
    return answer.kind;
  }

  /** Ends the child, if there is one; what it has left in the memory stays. */
  stop(): void {
    const { running } = this;
    this.running = null;
    if (running === null) return;
    running.child.kill("SIGKILL");
    closeSync(running.requestFd);
    // Its end closes the pipe: until then it may still write to the memory.
    while (this.readAnswer(running.answerFd, END_MILLISECONDS).kind === "error");
    closeSync(running.answerFd);
  }

  // The two sides never run at the same time. On one processor an exchange takes 10 us; another
  // one must first be woken, which takes 50 us in a virtual machine. Where the kernel refuses
  // the affinity, exchanges are only slower.
  private onOneProcessor<T>(exchange: () => T): T {
    const { libc, processors } = this;
    if (!this.canChoose) return exchange();
    const processor = libc.currentCpu();
    if (processor !== this.processor) {
      this.processor = processor;
      this.oneProcessor = processorSet(processor);
    }
    this.memory.mail[MAIL.processor] = processor;
    libc.setAffinity(0, processors.length, this.oneProcessor);
    try {
      return exchange();
    } finally {
      libc.setAffinity(0, processors.length, processors);
    }
  }

  private ask({ requestFd, answerFd }: Running, milliseconds: number): Answer {
    try {
      writeSync(requestFd, this.byte, 0, 1);
    } catch {
      return { kind: "died" }; // since its last answer
    }
    return this.readAnswer(answerFd, milliseconds);
  }

  private readAnswer(answerFd: number, milliseconds: number): Answer {
    if (!this.waitsFor(answerFd, milliseconds)) return { kind: "late" };
    const bytes = this.answerBytes;
    const size = readSync(answerFd, bytes, 0, bytes.length, null);
    if (size === 0) return { kind: "died" };
    if (size === 1 && bytes[0] === ANSWER_DONE) return { kind: "answered" };
    return { kind: "error", message: Buffer.from(bytes.subarray(0, size)).toString() };
  }

  /** Not by a timer of the child's, because guest code could stop it. */
  private waitsFor(fd: number, milliseconds: number): boolean {
    const { libc, pollSet } = this;
    for (;;) {
      pollSet[0] = fd;
      pollSet[1] = POLL.readable;
      const count = libc.poll(pollSet, 1, milliseconds);
      if (count >= 0) return count > 0;
      if (koffi.errno() !== POLL.interrupted) checkCall(count, "poll");
    }
  }

  /** Null, or why it has not started. */
  private tryStart(): string | null {
    const { libc, memoryFd, memory } = this;
    const namespaces = NAMESPACE_LEVELS[this.level];
    const requests = new Int32Array(2);
    const answers = new Int32Array(2);
    checkCall(libc.pipe(requests, CLOSE_ON_EXEC.pipe), "pipe2");
    checkCall(libc.pipe(answers, CLOSE_ON_EXEC.pipe), "pipe2");
    const folder = mkdtempSync(join(tmpdir(), "touchstone-host-"));
    const files = [requests[0], answers[1], memoryFd];
    const child = this.spawn(folder, files, namespaces);
    // It must not keep this process alive, nor end it: its end shows where an answer is missing.
    child.unref();
    child.on("error", () => {});
    closeSync(requests[0]);
    closeSync(answers[1]);
    const ends = { child, requestFd: requests[1], answerFd: answers[0] };
    const answer = this.readAnswer(ends.answerFd, START_MILLISECONDS);
    const { mail } = memory;
    const isPrivileged = mail[MAIL.isPrivileged] !== 0;
    this.running = { ...ends, pid: mail[MAIL.pid], confinement: { namespaces, isPrivileged } };
    // The child stays in the folder, which no longer has a name: nothing can be made in it.
    rmSync(folder, { recursive: true });
    if (answer.kind === "answered") return null;
    this.stop();
    return answer.kind === "error" ? answer.message : "the child process ends at once";
  }

  private spawn(folder: string, files: number[], namespaces: Namespaces): ChildProcess {
    const program = [process.execPath, "--max-old-space-size=64", CHILD_PROGRAM];
    const launcher = this.launcherFile(namespaces);
    const [path, ...args] = launcher === null ? program : [LAUNCHER_PATH, ...program];
    return spawn(path, args, {
      cwd: folder,
      env: {},
      detached: true, // what interrupts this process from the terminal is not a fault over there
      stdio: ["ignore", "ignore", "ignore", ...files, ...(launcher === null ? [] : [launcher])],
    });
  }

  /** A file in memory; null where none is needed. */
  private launcherFile(namespaces: Namespaces): number | null {
    const { libc, launchers } = this;
    if (namespaces.length === 0) return null;
    const known = launchers.get(namespaces);
    if (known !== undefined) return known;
    const fd = libc.createMemory("touchstone-launcher", CLOSE_ON_EXEC.memory);
    checkCall(fd, "memfd_create");
    writeSync(fd, launcherImage(namespaces, CHILD_FD.launcher));
    launchers.set(namespaces, fd);
    return fd;
  }
}

let shared: HostProcess | null = null;

/** The one of this process, with a child. Throws if the machine refuses. */
export function sharedHostProcess(): HostProcess {
  shared ??= new HostProcess();
  shared.start();
  return shared;
}
