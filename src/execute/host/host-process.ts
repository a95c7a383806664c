// Manages the child process that runs native code: the shared memory, and exchanges that wait for
// the answer. One child serves all subjects of a process. It is started on first use, and again
// after any anomaly, because wrong code may have left it in any state.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, mkdtempSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import { assert, InternalError } from "../../support/assert.js";
import {
  addressAt,
  GUEST_CODE,
  HOST_CALL_COUNT,
  IMAGE_SIZE_MAX,
  LAYOUT,
  PAGE_SIZE,
  REGISTERS,
  setAddress,
} from "../machine/guest.js";
import { elfImage } from "./host-image.js";
import {
  BLOCK,
  CHILD_FD,
  LEFT,
  MAIL,
  type MemorySegment,
  PRIVATE_CHOICES,
  PRIVATE_FIRST,
  type PrivateAddresses,
  privatePlaces,
  RET_ADDRESS,
  SEGMENTS,
  SHARED_SIZE,
} from "./host-layout.js";
import {
  CLOSE_ON_EXEC,
  checkCall,
  EXECUTABLE,
  type LibcCalls,
  loadLibc,
  MAP,
  POLL,
  PROTECTION,
  processorSet,
  WRITABLE,
} from "./host-libc.js";
import { RunRecords } from "./host-runs.js";
import { type HostStart, hostStart, NAMESPACE_LEVELS } from "./host-start.js";
import { STEP_SIZE, StepWriter } from "./host-steps.js";
import { CALL, systemCallNamed } from "./system-calls.js";

/** The path in the process that executes it. */
const PROGRAM_PATH = `/proc/self/fd/${CHILD_FD.program}`;
/** The child draws its own addresses, and rarely one of them is in use. */
const STARTS_MAX = 2;
/** Returns the limit of real time for a limit of CPU time: a machine may be busy. */
const realTimeFor = (milliseconds: number): number => 60_000 + 10 * milliseconds;
const START_MILLISECONDS = 60_000;
const END_MILLISECONDS = 1000;
/** The number of bytes of the code that are written at once; CODE_SIZE_MAX is a multiple of it. */
const TRAPS_SIZE = 1 << 16;

/** Native code cannot run here; the message is one line with the reason. */
class HostRefused extends Error {
  override readonly name = "HostRefused";
}

interface HostMemory {
  readonly block: Int32Array;
  readonly runs: RunRecords;
  readonly code: Uint8Array;
  readonly stack: Uint8Array;
  readonly heap: Uint8Array;
}

/** The isolation of the child, besides the filter that it always has. */
export interface Confinement {
  /** The namespaces that it does not share. */
  readonly namespaces: readonly string[];
  /** True if it has a capability of the kernel. */
  readonly isPrivileged: boolean;
}

/** The result of a request. The child is replaced unless it is `answered`. */
type ExchangeResult = "answered" | "died" | "late" | "refused";

/** The guest has called a host function. Both numbers may be forged, but the function exists. */
interface HostCallRequest {
  /** The address of the step that has entered the guest. */
  readonly step: number;
  readonly index: number;
}

interface RunningChild {
  /** The process that waits for the child, and ends with it. */
  readonly child: ChildProcess;
  readonly places: PrivateAddresses;
  readonly start: HostStart;
  readonly steps: StepWriter;
  readonly requestFd: number;
  readonly answerFd: number;
  readonly confinement: Confinement;
  /** The number of the child's process in this process's namespace. */
  readonly pid: number;
}

export class HostProcess {
  readonly memory: HostMemory;
  /** The Cpu whose image is loaded: several share this process. */
  private holder: object | null = null;
  private imageSize = 0;
  private readonly libc: LibcCalls;
  private readonly memoryFd: number;
  private readonly mail: Int32Array;
  private readonly requests: Int32Array;
  private readonly byte = new Uint8Array(1);
  /** The part of the heap that the child can use, in bytes. */
  private heapSize = 0;
  /** The processors that this process may use, and the one that it used last. */
  private readonly processors = processorSet(null);
  private readonly canChoose: boolean;
  private processor = -1;
  private oneProcessor = this.processors;
  private running: RunningChild | null = null;
  /** The child has answered a request, so a run may have changed it. */
  private isUsed = false;
  private readonly pollSet = new Int32Array(2);
  /** An index of NAMESPACE_LEVELS: the first that the kernel has granted. */
  private level = 0;

  /** Throws if the kernel refuses. `start` starts the child. */
  constructor() {
    const libc = loadLibc();
    this.libc = libc;
    this.memoryFd = libc.createMemory("touchstone", CLOSE_ON_EXEC.memory);
    checkCall(this.memoryFd, "memfd_create");
    checkCall(libc.resize(this.memoryFd, SHARED_SIZE), "ftruncate");
    fillWithTraps(this.memoryFd);
    this.canChoose = libc.getAffinity(0, this.processors.length, this.processors) >= 0;
    const at = libc.map(0, SHARED_SIZE, WRITABLE, MAP.shared, this.memoryFd, 0);
    checkCall(at, "mmap");
    const buffer = koffi.view(at, SHARED_SIZE);
    const bytes = ({ offset, size }: MemorySegment) => new Uint8Array(buffer, offset, size);
    const words = ({ offset, size }: MemorySegment) => new Int32Array(buffer, offset, size / 4);
    this.mail = words(SEGMENTS.mailbox);
    this.requests = words(SEGMENTS.steps);
    this.memory = {
      block: words(SEGMENTS.block),
      runs: new RunRecords(buffer, SEGMENTS.runs.offset, SEGMENTS.runs.size),
      code: bytes(SEGMENTS.code),
      stack: bytes(SEGMENTS.stack),
      heap: bytes(SEGMENTS.heap),
    };
  }

  /** The number of the child's process; 0 if there is none. */
  get pid(): number {
    return this.running?.pid ?? 0;
  }

  /** Returns true if no run has used the child of the next run. */
  get isFresh(): boolean {
    return this.running === null || !this.isUsed;
  }

  /** The confinement of the child; null if there is none. */
  get confinement(): Confinement | null {
    return this.running?.confinement ?? null;
  }

  /** Starts a child unless one runs. Throws HostRefused if none can be started. */
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

  /** Loads `image` as the code, unless `holder` loaded it last; the rest of the code area traps. */
  place(holder: object, image: Uint8Array): void {
    if (this.holder === holder) return;
    const { code } = this.memory;
    // The last page remains a trap, so that code cannot run past its end.
    assert(
      image.length <= IMAGE_SIZE_MAX,
      () => `the image has ${image.length} bytes, more than the code area`,
    );
    code.set(image);
    if (image.length < this.imageSize) code.fill(GUEST_CODE.x64.trap, image.length, this.imageSize);
    this.imageSize = image.length;
    this.holder = holder;
  }

  /** Changes bytes of the image of `holder`, if it is loaded. */
  patch(holder: object, bytes: Uint8Array, begin: number): void {
    if (this.holder === holder) this.memory.code.set(bytes, begin);
  }

  /** Discards the image of `holder`, if it is loaded. */
  forget(holder: object): void {
    if (this.holder === holder) this.holder = null;
  }

  /** The child's own addresses. This and the methods below require a started child. */
  get places(): PrivateAddresses {
    return this.live().places;
  }

  /**
   * Returns the steps of a request. They begin with steps that give the guest a heap of that size.
   */
  request(heapSize: number): StepWriter {
    const { steps } = this.live();
    steps.restart(1);
    if (heapSize !== this.heapSize) {
      const { heap } = LAYOUT;
      const rest = SEGMENTS.heap.size - heapSize;
      steps.call(CALL.mprotect, [heap, heapSize, WRITABLE]);
      steps.call(CALL.mprotect, [heap + heapSize, rest, PROTECTION.none]);
      this.heapSize = heapSize;
    }
    return steps;
  }

  /**
   * Lets the child execute the request. `answer` performs the host functions that the guest calls,
   * and returns false to end the request.
   */
  converse(milliseconds: number, answer: (call: HostCallRequest) => boolean): ExchangeResult {
    const running = this.live();
    this.isUsed = true;
    const { block } = this.memory;
    running.steps.jump(running.start.serve);
    const exchange = this.onOneProcessor(running.pid, () => {
      for (let step = running.places.steps + STEP_SIZE; ; step = addressAt(block, BLOCK.step / 4)) {
        const answered = this.ask(running, step, realTimeFor(milliseconds));
        if (answered !== "answered") return answered;
        if (block[BLOCK.left / 4] !== LEFT.byHostCall) return "answered";
        const call = { step: addressAt(block, BLOCK.step / 4), index: block[BLOCK.hostCall / 4] };
        if (!(call.index >= 0 && call.index < HOST_CALL_COUNT && answer(call))) return "refused";
        setAddress(block, REGISTERS.x64.pc, RET_ADDRESS);
      }
    });
    if (exchange === "answered") return exchange;
    const failure = this.failure(running);
    this.stop();
    if (failure !== null) throw new InternalError(`native child: ${failure}`);
    return exchange;
  }

  /** Ends the child, if there is one; the memory keeps its contents. */
  stop(): void {
    const { running } = this;
    this.running = null;
    this.isUsed = false;
    if (running === null) return;
    running.child.kill("SIGKILL");
    closeSync(running.requestFd);
    // The end of the child closes the pipe; until then it may still write to the memory.
    while (this.readAnswer(running.answerFd, END_MILLISECONDS) === "answered");
    closeSync(running.answerFd);
  }

  private live(): RunningChild {
    const { running } = this;
    if (running === null) throw new InternalError("no native child is running");
    return running;
  }

  // The two sides never run at the same time. On one processor an exchange takes 10 us; another
  // processor must first be woken, which takes 50 us in a virtual machine. If the kernel refuses
  // the affinity, exchanges are only slower.
  private onOneProcessor<T>(pid: number, exchange: () => T): T {
    const { libc, processors } = this;
    if (!this.canChoose) return exchange();
    const processor = libc.currentCpu();
    if (processor !== this.processor) {
      this.processor = processor;
      this.oneProcessor = processorSet(processor);
      libc.setAffinity(pid, processors.length, this.oneProcessor);
    }
    libc.setAffinity(0, processors.length, this.oneProcessor);
    try {
      return exchange();
    } finally {
      libc.setAffinity(0, processors.length, processors);
    }
  }

  /** Lets the child continue with that step. */
  private ask(
    { requestFd, answerFd, steps }: RunningChild,
    step: number,
    milliseconds: number,
  ): ExchangeResult {
    steps.restart(0);
    steps.jump(step);
    try {
      writeSync(requestFd, this.byte, 0, 1);
    } catch {
      return "died"; // the child died after its last answer
    }
    return this.readAnswer(answerFd, milliseconds);
  }

  private readAnswer(answerFd: number, milliseconds: number): ExchangeResult {
    if (!this.waitsFor(answerFd, milliseconds)) return "late";
    return readSync(answerFd, this.byte, 0, 1, null) === 0 ? "died" : "answered";
  }

  /** Returns the call that the kernel has refused, if a step has failed; null if none has. */
  private failure({ start, steps }: RunningChild): string | null {
    const [error, failed] = [this.mail[MAIL.error], this.mail[MAIL.failed]];
    if (error === 0) return null;
    const number = start.steps.numberAt(failed) ?? steps.numberAt(failed) ?? -1;
    return `the kernel refuses ${systemCallNamed(number)} (errno ${-error})`;
  }

  /** Waits here and not by a timer of the child, which guest code could stop. */
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

  /** Returns a file without a name that can be executed. */
  private fileOf(program: Uint8Array): number {
    const { libc } = this;
    const name = "touchstone-child";
    let fd = libc.createMemory(name, CLOSE_ON_EXEC.memory | EXECUTABLE);
    if (fd < 0) fd = libc.createMemory(name, CLOSE_ON_EXEC.memory);
    checkCall(fd, "memfd_create");
    writeSync(fd, program);
    return fd;
  }

  /** Returns null if the child has started, else the reason. */
  private tryStart(): string | null {
    const { libc, memoryFd, mail } = this;
    const namespaces = NAMESPACE_LEVELS[this.level];
    const places = privatePlaces(PRIVATE_FIRST + PAGE_SIZE * randomInt(PRIVATE_CHOICES));
    const start = hostStart(places, namespaces);
    const programFd = this.fileOf(elfImage(start.gates, start.program, places.program));
    const requests = new Int32Array(2);
    const answers = new Int32Array(2);
    checkCall(libc.pipe(requests, CLOSE_ON_EXEC.pipe), "pipe2");
    checkCall(libc.pipe(answers, CLOSE_ON_EXEC.pipe), "pipe2");
    const folder = mkdtempSync(join(tmpdir(), "touchstone-host-"));
    mail.fill(0);
    const child = spawn(PROGRAM_PATH, [], {
      cwd: folder,
      env: {},
      detached: true, // an interrupt of this process from the terminal must not be a fault in the child
      stdio: ["ignore", "ignore", "ignore", requests[0], answers[1], memoryFd, programFd],
    });
    // It must neither keep this process alive nor end it; if it ends, an answer is missing.
    child.unref();
    child.on("error", () => {});
    for (const fd of [requests[0], answers[1], programFd]) closeSync(fd);
    const steps = new StepWriter(this.requests, places.steps, start.code.steps);
    const ends = { child, places, start, steps, requestFd: requests[1], answerFd: answers[0] };
    const answer = this.readAnswer(ends.answerFd, START_MILLISECONDS);
    const pid = mail[MAIL.pid];
    const isPrivileged = answer === "answered" && isPrivilegedProcess(pid, namespaces);
    this.running = { ...ends, pid, confinement: { namespaces, isPrivileged } };
    this.heapSize = SEGMENTS.heap.size;
    this.processor = -1;
    // The child stays in the folder, which no longer has a name: nothing can be created in it.
    rmSync(folder, { recursive: true });
    if (answer === "answered") return null;
    const failure = this.failure(this.running);
    this.stop();
    return failure ?? "the child process ends at once";
  }
}

/**
 * Fills the code area by system calls: writes to the mapped memory would take a thousand page
 * faults.
 */
function fillWithTraps(memoryFd: number): void {
  const traps = new Uint8Array(TRAPS_SIZE).fill(GUEST_CODE.x64.trap);
  const { offset, size } = SEGMENTS.code;
  for (let at = 0; at < size; at += TRAPS_SIZE) {
    const written = writeSync(memoryFd, traps, 0, TRAPS_SIZE, offset + at);
    assert(
      written === TRAPS_SIZE,
      () => `only ${written} of ${TRAPS_SIZE} bytes of traps were written`,
    );
  }
}

/** Returns true if the process has a capability, or is root, or its state cannot be read. */
function isPrivilegedProcess(pid: number, namespaces: readonly string[]): boolean {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return true;
  }
  const isRoot = !namespaces.includes("user") && /^Uid:\t\d+\t0\t/m.test(status);
  return isRoot || !/^CapEff:\s*0+$/m.test(status);
}

let shared: HostProcess | null = null;

/** Returns the only host process of this process, with a child. Throws if the machine refuses. */
export function sharedHostProcess(): HostProcess {
  shared ??= new HostProcess();
  shared.start();
  return shared;
}
