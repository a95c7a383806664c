// The child process that runs x86-64 code natively. It executes the request in the mailbox, one byte on a
// pipe for each run, and answers the host functions that the run calls.
//
// It has nothing that it does not need: no environment, an empty directory, two files of ours, no
// more address space, no new file, no privilege, and the system calls of host-filter.ts. A run has
// a limit of CPU time here, and a larger one of real time in the harness. README.md states what is
// promised and what is not.

import { closeSync, readdirSync, readFileSync, readlinkSync, readSync, writeSync } from "node:fs";
import koffi from "koffi";
import { hostFunctionNamed, KEPT_PLACES } from "../../ir/host-functions.js";
import { assert } from "../../support/assert.js";
import type { GuestState } from "../machine/cpu.js";
import { HOST_CALL_COUNT, LAYOUT, PAGE_SIZE, REGISTERS } from "../machine/guest.js";
import { HostCalls } from "../machine/host-calls.js";
import { systemCallFilter } from "./host-filter.js";
import { buildGates, type Gates } from "./host-gates.js";
import {
  ANSWER_DONE,
  BLOCK,
  CHILD_FD,
  GATES_ADDRESS,
  GATES_SIZE,
  LEFT,
  MAIL,
  PRIVATE,
  PRIVATE_CHOICES,
  PRIVATE_FIRST,
  RET_ADDRESS,
  SEGMENTS,
  type Segment,
  SIGNAL,
} from "./host-layout.js";
import {
  checkCall,
  LIMIT,
  type Libc,
  loadLibc,
  MAP,
  PRCTL,
  PROTECTION,
  processorSet,
  SECCOMP,
  TIMER,
} from "./host-libc.js";
import { RUN, RunRecords } from "./host-runs.js";

const { read, write, execute } = PROTECTION;
/** Around each area of the guest nothing else is mapped. */
const GUARD_SIZE = 16 << 20;
/** What the child may need beyond what it has when it begins. */
const MORE_ADDRESS_SPACE = 1 << 30;
/** An event takes at most 64 words of its segment. */
const EVENTS_MAX = SEGMENTS.events.size / 4 / 64;
const NOBODY = 65_534;
const SIGKILL = 9;
const SA_SIGINFO = 4;
const SA_ONSTACK = 0x0800_0000;

class Child implements GuestState {
  readonly layout = LAYOUT;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  heap: Uint8Array;
  private readonly libc: Libc = loadLibc();
  private readonly base: number;
  private readonly gates: Gates;
  private readonly mail: Int32Array;
  private readonly block: Int32Array;
  private readonly log: Int32Array;
  private readonly records: RunRecords;
  private readonly heapBuffer: ArrayBuffer;
  private readonly calls: HostCalls;
  private readonly enter: () => void;
  private processor = -1;
  private readonly timer = new BigInt64Array(4);

  constructor() {
    this.base = this.drawBase();
    this.gates = buildGates(this.base);
    this.mail = new Int32Array(this.map(SEGMENTS.mailbox, read | write));
    this.log = new Int32Array(this.map(SEGMENTS.events, read | write));
    this.records = new RunRecords(this.map(SEGMENTS.runs, read | write), 0, SEGMENTS.runs.size);
    this.mapGates();
    const block = { ...SEGMENTS.block, address: this.base + PRIVATE.block };
    this.block = new Int32Array(this.map(block, read | write, true));
    this.map(SEGMENTS.code, read | execute);
    this.stack = new Uint8Array(this.map(SEGMENTS.stack, read | write));
    this.heapBuffer = this.map(SEGMENTS.heap, read | write);
    this.heap = new Uint8Array(this.heapBuffer);
    this.registers = this.block.subarray(0, REGISTERS.x64.wordCount);
    this.calls = new HostCalls("x64", this);
    this.enter = koffi.decode(BigInt(this.gates.enter), koffi.proto("void()"));
    this.handleSignals();
    this.confine();
  }

  /** Until the harness closes the pipe. */
  serve(): void {
    const byte = new Uint8Array(1);
    for (;;) {
      if (readSync(CHILD_FD.request, byte, 0, 1, null) === 0) return;
      this.followProcessor();
      if (this.mail[MAIL.runs] === 0) this.run();
      else this.runAll();
      byte[0] = ANSWER_DONE;
      writeSync(CHILD_FD.answer, byte);
    }
  }

  /** Without what Node does at its end, for which it would need more. */
  end(): void {
    this.libc.exit(0);
  }

  /** See HostProcess. */
  private followProcessor(): void {
    const processor = this.mail[MAIL.processor];
    if (processor === this.processor || processor < 0) return;
    this.processor = processor;
    const mask = processorSet(processor);
    this.libc.setAffinity(0, mask.length, mask); // where it is refused we are only slower
  }

  private run(): void {
    const { mail, block, calls } = this;
    if (mail[MAIL.goOn] === 0) this.begin();
    else calls.events.length = 0;
    const kept = mail.subarray(MAIL.kept, MAIL.kept + KEPT_PLACES);
    calls.kept.restore(kept);
    this.enterUntil(EVENTS_MAX);
    calls.kept.save(kept);
    mail[MAIL.left] = block[BLOCK.left / 4];
    mail[MAIL.eventWords] = this.logEvents(0);
  }

  /** Ends before a run for whose events there is no room: the harness repeats it by itself. */
  private runAll(): void {
    const { mail, block, calls, records } = this;
    const count = mail[MAIL.runs];
    records.shape(mail[MAIL.stackBegin], mail[MAIL.heapSize]);
    mail[MAIL.runsDone] = 0;
    let room = EVENTS_MAX;
    let eventsEnd = 0;
    for (let run = 0; run < count; run++) {
      mail[MAIL.poison] = records.head(run, RUN.poison);
      mail[MAIL.milliseconds] = records.head(run, RUN.milliseconds);
      this.begin();
      records.restore(run, this);
      this.setEntry(LAYOUT.code);
      this.enterUntil(room);
      room -= calls.events.length;
      if (room <= 0) return;
      eventsEnd = this.logEvents(eventsEnd);
      records.save(run, this);
      calls.kept.save(records.kept(run));
      records.setHead(run, RUN.left, block[BLOCK.left / 4]);
      records.setHead(run, RUN.eventsEnd, eventsEnd);
      mail[MAIL.runsDone] = run + 1;
    }
  }

  /** Runs until the guest leaves for good, or has called that many host functions. */
  private enterUntil(eventsMax: number): void {
    const { block, calls } = this;
    for (;;) {
      block[BLOCK.left / 4] = LEFT.nowhere;
      this.enter();
      if (block[BLOCK.left / 4] !== LEFT.byHostCall) break;
      const index = block[BLOCK.hostCall / 4];
      // No gate gives another: the guest has bypassed the gates, so its answer is worthless.
      if (!(index >= 0 && index < HOST_CALL_COUNT)) this.libc.exit(1);
      calls.answer(index);
      this.setEntry(RET_ADDRESS);
      if (calls.events.length >= eventsMax) break;
    }
  }

  private begin(): void {
    const { mail, calls, libc } = this;
    const heapSize = mail[MAIL.heapSize];
    if (heapSize !== this.heap.length) {
      const { heap } = LAYOUT;
      checkCall(libc.protect(heap, heapSize, read | write), "mprotect");
      const rest = SEGMENTS.heap.size - heapSize;
      checkCall(libc.protect(heap + heapSize, rest, PROTECTION.none), "mprotect");
      this.heap = new Uint8Array(this.heapBuffer, 0, heapSize);
    }
    calls.begin(mail[MAIL.poison] === 0 ? 0 : 1);
    this.setEntry(LAYOUT.code + mail[MAIL.entry]);
    this.setTimer(mail[MAIL.milliseconds]);
  }

  private setEntry(address: number): void {
    const { pc } = REGISTERS.x64;
    this.block[pc] = address | 0;
    this.block[pc + 1] = Math.floor(address / 2 ** 32);
  }

  private setTimer(milliseconds: number): void {
    this.timer[2] = BigInt(Math.floor(milliseconds / 1000));
    this.timer[3] = BigInt((milliseconds % 1000) * 1000);
    checkCall(this.libc.setTimer(TIMER.cpu, this.timer, null), "setitimer");
  }

  /** Writes the events from that word on, and gives the word after them. */
  private logEvents(from: number): number {
    const { log } = this;
    let at = from;
    for (const { name, args } of this.calls.events) {
      log[at++] = hostFunctionNamed(name)?.index ?? -1;
      for (const { lo, hi } of args) {
        log[at++] = lo;
        log[at++] = hi;
      }
    }
    return at;
  }

  private map(
    { offset, size, address }: Segment,
    protection: number,
    isReserved = false,
  ): ArrayBuffer {
    const { libc } = this;
    if (address !== null && !isReserved) this.reserve(address, size);
    const fixed = address === null ? 0 : MAP.fixed;
    const flags = MAP.shared | fixed;
    const at = libc.map(address ?? 0, size, protection, flags, CHILD_FD.memory, offset);
    checkCall(at, "mmap of shared memory");
    return koffi.view(at, size);
  }

  // The address of the way back is random: guest code should not know it in advance.
  private drawBase(): number {
    const bytes = new Uint8Array(4);
    checkCall(this.libc.random(bytes, bytes.length, 0), "getrandom");
    const drawn = new DataView(bytes.buffer).getUint32(0, true);
    return PRIVATE_FIRST + PAGE_SIZE * (drawn % PRIVATE_CHOICES);
  }

  private mapGates(): void {
    const { base, gates } = this;
    this.reserve(GATES_ADDRESS, GATES_SIZE);
    this.reserve(base, PRIVATE.size);
    this.mapPages(GATES_ADDRESS, GATES_SIZE, gates.gates);
    this.mapPages(base + PRIVATE.code, PRIVATE.codeSize, gates.code);
    this.mapPages(base + PRIVATE.signalStack, PRIVATE.signalStackSize, null);
  }

  /** Pages of this process alone: of code, or to be written. */
  private mapPages(address: number, size: number, code: Uint8Array | null): void {
    const { libc } = this;
    const flags = MAP.private | MAP.anonymous | MAP.fixed;
    checkCall(libc.map(address, size, read | write, flags, -1, 0), "mmap");
    if (code === null) return;
    new Uint8Array(koffi.view(BigInt(address), size)).set(code);
    checkCall(libc.protect(address, size, read | execute), "mprotect");
  }

  /** Fails if anything is there. */
  private reserve(address: number, size: number): void {
    const flags = MAP.private | MAP.anonymous | MAP.noReplace;
    const all = size + 2 * GUARD_SIZE;
    const at = this.libc.map(address - GUARD_SIZE, all, PROTECTION.none, flags, -1, 0);
    checkCall(at, `mmap at 0x${address.toString(16)}`);
  }

  private handleSignals(): void {
    const { libc, gates, base } = this;
    const { signalStack, signalStackSize } = PRIVATE;
    const stack = new BigUint64Array([BigInt(base + signalStack), 0n, BigInt(signalStackSize)]);
    checkCall(libc.setSignalStack(stack, null), "sigaltstack");
    // struct sigaction: handler, 128 bytes of mask, flags, restorer
    const action = new Uint8Array(152);
    const view = new DataView(action.buffer);
    view.setBigUint64(0, BigInt(gates.handleSignal), true);
    view.setInt32(136, SA_SIGINFO | SA_ONSTACK, true);
    for (const signal of Object.values(SIGNAL)) {
      checkCall(libc.handleSignal(signal, action, null), "sigaction");
    }
  }

  private confine(): void {
    const { libc, mail } = this;
    leavePrivileges();
    // After that, because a change of user forgets it. One that has died before closes the pipe.
    checkCall(libc.control(PRCTL.setParentDeath, SIGKILL, 0, 0, 0), "prctl");
    checkCall(libc.control(PRCTL.setNoNewPrivileges, 1, 0, 0, 0), "prctl");
    mail[MAIL.pid] = Number(readlinkSync("/proc/self")); // as the other side numbers it
    mail[MAIL.isPrivileged] = hasCapabilities() ? 1 : 0;
    closeSync(CHILD_FD.memory); // it is mapped
    const filter = systemCallFilter({
      request: CHILD_FD.request,
      answer: CHILD_FD.answer,
      events: eventFiles(),
    });
    const pages = Number(readFileSync("/proc/self/statm", "latin1").split(" ")[0]);
    const limits = [
      [LIMIT.core, 0],
      [LIMIT.fileSize, 0],
      [LIMIT.processes, 0],
      [LIMIT.lockedMemory, 0],
      [LIMIT.pendingSignals, 0],
      [LIMIT.messageQueues, 0],
      [LIMIT.addressSpace, pages * PAGE_SIZE + MORE_ADDRESS_SPACE],
      [LIMIT.openFiles, 0],
    ];
    for (const [resource, limit] of limits) {
      const both = new BigUint64Array([BigInt(limit), BigInt(limit)]);
      checkCall(libc.setLimit(resource, both), "setrlimit");
    }
    checkCall(libc.control(PRCTL.setDumpable, 0, 0, 0, 0), "prctl");
    const program = new BigUint64Array([BigInt(filter.length / 2), koffi.address(filter.buffer)]);
    const { call, setFilter, allThreads } = SECCOMP;
    // A positive number is that of a thread that has another filter.
    const result = libc.setFilter(call, setFilter, allThreads, program);
    checkCall(result === 0 ? 0 : -1, "a seccomp filter for all threads");
  }
}

/** Of root, where there was no new user namespace: all its threads become an ordinary user. */
function leavePrivileges(): void {
  if (process.geteuid?.() !== 0) return;
  try {
    process.setgroups?.([]);
    process.setgid?.(NOBODY);
    process.setuid?.(NOBODY);
  } catch {
    // A container may have no such user. What is left shows in the capabilities.
  }
}

const hasCapabilities = (): boolean =>
  !/^CapEff:\s*0+$/m.test(readFileSync("/proc/self/status", "latin1"));

/** The eventfds of Node, by which its threads wake each other. */
function eventFiles(): number[] {
  const folder = "/proc/self/fd";
  return readdirSync(folder)
    .map(Number)
    .filter((fd) => fd > CHILD_FD.launcher && linkOf(`${folder}/${fd}`).endsWith("[eventfd]"));
}

/** Empty for the file by which the folder is being read, which is gone by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

try {
  const child = new Child();
  writeSync(CHILD_FD.answer, new Uint8Array([ANSWER_DONE]));
  child.serve();
  child.end();
} catch (error) {
  assert(error instanceof Error, () => `thrown: ${String(error)}`);
  writeSync(CHILD_FD.answer, error.message);
  process.exit(1);
}
