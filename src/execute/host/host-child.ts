// The child process that runs x86-64 code natively. It does what the mailbox says, a byte on a pipe
// a run, and answers the host functions that are called meanwhile.
//
// It has nothing that it does not need: no environment, an empty directory, three file descriptors
// of ours, no more address space, no new file. A run has a limit of CPU time, and a far one of real
// time. System calls from the guest's code area are trapped.

import { readFileSync, readSync, writeSync } from "node:fs";
import koffi from "koffi";
import { hostFunctionNamed } from "../../ir/host-functions.js";
import { assert } from "../../support/assert.js";
import type { GuestState } from "../machine/cpu.js";
import { LAYOUT, PAGE_SIZE, REGISTERS } from "../machine/guest.js";
import { HostCalls } from "../machine/host-calls.js";
import { buildGates, type Gates } from "./host-gates.js";
import {
  ANSWER_DONE,
  BLOCK,
  CHILD_FD,
  GATES_ADDRESS,
  GATES_SIZE,
  LEFT,
  MAIL,
  SEGMENTS,
  type Segment,
  SIGNAL,
  SIGNAL_STACK_ADDRESS,
  SIGNAL_STACK_SIZE,
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
  TIMER,
} from "./host-libc.js";

const { read, write, execute } = PROTECTION;
/** Around each area of the guest nothing else is mapped. */
const GUARD_SIZE = 16 << 20;
/** What the child may need beyond what it has when it begins. */
const MORE_ADDRESS_SPACE = 1 << 30;
/** An event takes at most 64 words of its segment. */
const EVENTS_MAX = SEGMENTS.events.size / 4 / 64;
const SA_SIGINFO = 4;
const SA_ONSTACK = 0x0800_0000;

class Child implements GuestState {
  readonly layout = LAYOUT;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  heap: Uint8Array;
  private readonly libc: Libc = loadLibc();
  private readonly gates: Gates = buildGates();
  private readonly mail: Int32Array;
  private readonly block: Int32Array;
  private readonly log: Int32Array;
  private readonly heapBuffer: ArrayBuffer;
  private readonly calls: HostCalls;
  private readonly enter: () => void;
  private processor = -1;
  private readonly timer = new BigInt64Array(4);

  constructor() {
    this.mail = new Int32Array(this.map(SEGMENTS.mailbox, read | write));
    this.log = new Int32Array(this.map(SEGMENTS.events, read | write));
    this.mapGates();
    this.block = new Int32Array(this.map(SEGMENTS.block, read | write));
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

  /** Until the other side is gone. */
  serve(): void {
    const byte = new Uint8Array(1);
    for (;;) {
      if (readSync(CHILD_FD.request, byte, 0, 1, null) === 0) return;
      this.followProcessor();
      this.run();
      byte[0] = ANSWER_DONE;
      writeSync(CHILD_FD.answer, byte);
    }
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
    this.setTimer(TIMER.real, 60_000 + 10 * mail[MAIL.milliseconds]);
    for (;;) {
      block[BLOCK.left / 4] = LEFT.nowhere;
      this.enter();
      if (block[BLOCK.left / 4] !== LEFT.byHostCall) break;
      calls.answer(block[BLOCK.hostCall / 4]);
      this.setEntry(this.gates.ret);
      if (calls.events.length >= EVENTS_MAX) break;
    }
    this.setTimer(TIMER.real, 0);
    mail[MAIL.left] = block[BLOCK.left / 4];
    this.logEvents();
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
    this.setTimer(TIMER.cpu, mail[MAIL.milliseconds]);
  }

  private setEntry(address: number): void {
    const { pc } = REGISTERS.x64;
    this.block[pc] = address | 0;
    this.block[pc + 1] = Math.floor(address / 2 ** 32);
  }

  private setTimer(which: number, milliseconds: number): void {
    this.timer[2] = BigInt(Math.floor(milliseconds / 1000));
    this.timer[3] = BigInt((milliseconds % 1000) * 1000);
    checkCall(this.libc.setTimer(which, this.timer, null), "setitimer");
  }

  private logEvents(): void {
    const { log, mail } = this;
    let at = 0;
    for (const { name, args } of this.calls.events) {
      log[at++] = hostFunctionNamed(name)?.index ?? -1;
      for (const { lo, hi } of args) {
        log[at++] = lo;
        log[at++] = hi;
      }
    }
    mail[MAIL.eventWords] = at;
  }

  private map({ offset, size, address }: Segment, protection: number): ArrayBuffer {
    const { libc } = this;
    if (address !== null) this.reserve(address, size);
    const fixed = address === null ? 0 : MAP.fixed;
    const flags = MAP.shared | fixed;
    const at = libc.map(address ?? 0, size, protection, flags, CHILD_FD.memory, offset);
    checkCall(at, "mmap of shared memory");
    return koffi.view(at, size);
  }

  private mapGates(): void {
    const { libc, gates } = this;
    this.reserve(GATES_ADDRESS, SIGNAL_STACK_ADDRESS + SIGNAL_STACK_SIZE - GATES_ADDRESS);
    for (const [address, size] of [
      [GATES_ADDRESS, GATES_SIZE],
      [SIGNAL_STACK_ADDRESS, SIGNAL_STACK_SIZE],
    ]) {
      const flags = MAP.private | MAP.anonymous | MAP.fixed;
      checkCall(libc.map(address, size, read | write, flags, -1, 0), "mmap");
    }
    new Uint8Array(koffi.view(BigInt(GATES_ADDRESS), GATES_SIZE)).set(gates.code);
    checkCall(libc.protect(GATES_ADDRESS, GATES_SIZE, read | execute), "mprotect");
  }

  /** Fails if anything is there. The block is inside what the gates have reserved. */
  private reserve(address: number, size: number): void {
    if (address > GATES_ADDRESS && address < GATES_ADDRESS + GUARD_SIZE) return;
    const flags = MAP.private | MAP.anonymous | MAP.noReplace;
    const all = size + 2 * GUARD_SIZE;
    const at = this.libc.map(address - GUARD_SIZE, all, PROTECTION.none, flags, -1, 0);
    checkCall(at, `mmap at 0x${address.toString(16)}`);
  }

  private handleSignals(): void {
    const { libc, gates } = this;
    const stack = new BigUint64Array([BigInt(SIGNAL_STACK_ADDRESS), 0n, BigInt(SIGNAL_STACK_SIZE)]);
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
    const { libc } = this;
    const pages = Number(readFileSync("/proc/self/statm", "latin1").split(" ")[0]);
    const limits = [
      [LIMIT.core, 0],
      [LIMIT.fileSize, 0],
      [LIMIT.addressSpace, pages * PAGE_SIZE + MORE_ADDRESS_SPACE],
      [LIMIT.openFiles, 0],
    ];
    for (const [resource, limit] of limits) {
      const both = new BigUint64Array([BigInt(limit), BigInt(limit)]);
      checkCall(libc.setLimit(resource, both), "setrlimit");
    }
    this.trapSystemCalls();
  }

  // A BPF program over struct seccomp_data: code, jump if true, jump if false, constant. Only this
  // thread, which is the one that enters the guest.
  private trapSystemCalls(): void {
    const { libc } = this;
    const [load, jumpIfEqual, give, upperHalfOfPc] = [0x20, 0x15, 0x06, 12];
    const [trap, allow] = [0x0003_0000, 0x7fff_0000];
    const filter = new Uint32Array([
      ...[load, upperHalfOfPc],
      ...[jumpIfEqual | (1 << 24), Math.floor(LAYOUT.code / 2 ** 32)],
      ...[give, trap],
      ...[give, allow],
    ]);
    const program = new BigUint64Array([BigInt(filter.length / 2), koffi.address(filter.buffer)]);
    checkCall(libc.control(PRCTL.setNoNewPrivileges, 1, 0, 0, 0), "prctl");
    const { setSeccomp, seccompFilter } = PRCTL;
    const address = koffi.address(program.buffer);
    checkCall(libc.control(setSeccomp, seccompFilter, address, 0, 0), "a seccomp filter");
  }
}

try {
  const child = new Child();
  writeSync(CHILD_FD.answer, new Uint8Array([ANSWER_DONE]));
  child.serve();
  process.exit(0);
} catch (error) {
  assert(error instanceof Error, () => `thrown: ${String(error)}`);
  writeSync(CHILD_FD.answer, error.message);
  process.exit(1);
}
