// The child process that runs native code, as the harness sees it: memory that both share, and an
// exchange that waits for the answer.
//
// One child serves all subjects of a process. It is started when it is first wanted, and again
// after any anomaly: code that has gone wrong once may have left anything behind.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import koffi from "koffi";
import { assert, InternalError } from "../../support/assert.js";
import { CODE_SIZE_MAX, GUEST_CODE, IMAGE_SIZE_MAX } from "../machine/guest.js";
import { ANSWER_DONE, MAIL, SEGMENTS, type Segment, SHARED_SIZE } from "./host-layout.js";
import {
  CLOSE_ON_EXEC,
  checkCall,
  type Libc,
  loadLibc,
  MAP,
  PROTECTION,
  processorSet,
} from "./host-libc.js";

const CHILD_PROGRAM = fileURLToPath(new URL("./host-child.js", import.meta.url));
/** The child's own addresses are random: what it needs may be taken, once in a long while. */
const STARTS_MAX = 3;
const ERROR_SIZE_MAX = 4096;

/** Native code cannot be run here; the message is one line that says why. */
export class HostRefused extends Error {
  override readonly name = "HostRefused";
}

export interface HostMemory {
  readonly mail: Int32Array;
  readonly block: Int32Array;
  readonly events: Int32Array;
  readonly code: Uint8Array;
  readonly stack: Uint8Array;
  readonly heap: Uint8Array;
}

interface Running {
  readonly child: ChildProcess;
  readonly requestFd: number;
  readonly answerFd: number;
}

export class HostProcess {
  readonly memory: HostMemory;
  /** Whose image is loaded: for those who share this process. */
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
      code: bytes(SEGMENTS.code),
      stack: bytes(SEGMENTS.stack),
      heap: bytes(SEGMENTS.heap),
    };
    this.memory.mail[MAIL.processor] = -1;
  }

  /** Of the child; 0 if there is none. */
  get pid(): number {
    return this.running?.child.pid ?? 0;
  }

  /** Makes sure that a child is there. Throws HostRefused where none can be. */
  start(): void {
    let message: string | null = null;
    for (let count = 0; count < STARTS_MAX && this.running === null; count++) {
      message = this.tryStart();
    }
    if (this.running === null) throw new HostRefused(message ?? "the child does not start");
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

  /**
   * Has the child do what the mailbox says; it must have been started.
   * @returns false if it has died of that
   */
  exchange(): boolean {
    const { running } = this;
    if (running === null) throw new InternalError("no child to ask");
    const answer = this.onOneProcessor(() => this.ask(running));
    if (answer === null) return true;
    this.stop();
    if (answer !== "") throw new InternalError(`native child: ${answer}`);
    return false;
  }

  /** Ends the child, if there is one; what it has left in the memory stays. */
  stop(): void {
    const { running } = this;
    this.running = null;
    if (running === null) return;
    running.child.kill("SIGKILL");
    closeSync(running.requestFd);
    closeSync(running.answerFd);
  }

  // The two sides never run at the same time. On one processor they take turns in 10 us; another
  // one must first be woken, which takes 50 us in a virtual machine. Where the kernel refuses to be
  // told, we are only slower.
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

  private ask({ requestFd, answerFd }: Running): string | null {
    try {
      writeSync(requestFd, this.byte, 0, 1);
    } catch {
      return ""; // it has died since its last answer
    }
    return this.readAnswer(answerFd);
  }

  /** Null: done; else the text of an error, empty if there was no answer. */
  private readAnswer(answerFd: number): string | null {
    const bytes = this.answerBytes;
    const size = readSync(answerFd, bytes, 0, bytes.length, null);
    if (size > 0 && bytes[0] === ANSWER_DONE) return null;
    return Buffer.from(bytes.subarray(0, size)).toString();
  }

  private tryStart(): string | null {
    const { libc, memoryFd } = this;
    const requests = new Int32Array(2);
    const answers = new Int32Array(2);
    checkCall(libc.pipe(requests, CLOSE_ON_EXEC.pipe), "pipe2");
    checkCall(libc.pipe(answers, CLOSE_ON_EXEC.pipe), "pipe2");
    const folder = mkdtempSync(join(tmpdir(), "touchstone-host-"));
    const child = spawn(process.execPath, ["--max-old-space-size=64", CHILD_PROGRAM], {
      cwd: folder,
      env: {},
      detached: true, // what interrupts this process from the terminal is not a fault over there
      stdio: ["ignore", "ignore", "ignore", requests[0], answers[1], memoryFd],
    });
    // It must not keep this process alive, nor end it: its end shows where an answer is missing.
    child.unref();
    child.on("error", () => {});
    closeSync(requests[0]);
    closeSync(answers[1]);
    const running: Running = { child, requestFd: requests[1], answerFd: answers[0] };
    this.running = running;
    const answer = this.readAnswer(running.answerFd);
    // The child stays in the folder, which no longer has a name: nothing can be made in it.
    rmSync(folder, { recursive: true });
    if (answer === null) return null;
    this.stop();
    return answer === "" ? "the child process ends at once" : answer;
  }
}

let shared: HostProcess | null = null;

/** The one of this process, with a child. Throws if the machine refuses. */
export function sharedHostProcess(): HostProcess {
  shared ??= new HostProcess();
  shared.start();
  return shared;
}
