// Uses the processor of this machine as a Cpu: code runs natively, in a child process.

import { KEPT_PLACES } from "../../ir/host-functions.js";
import type { FaultKind, HostEvent } from "../../ir/outcome.js";
import { wideBits } from "../../ir/words.js";
import type { Cpu, MachineEnding, RunBatch } from "../machine/cpu.js";
import {
  addressAt,
  GUEST_CODE,
  LAYOUT,
  PAGE_SIZE,
  REGISTERS,
  setAddress,
} from "../machine/guest.js";
import { HostCalls } from "../machine/host-calls.js";
import type { JunkRun } from "../machine/junk.js";
import { endingBy, HostBatch, millisecondsFor, writeTimer } from "./host-batch.js";
import { BLOCK, RET_ADDRESS, SIGNAL } from "./host-layout.js";
import { type HostProcess, sharedHostProcess } from "./host-process.js";

const MXCSR_CLEAN = 0x1f80;

const PAGE_FAULT = 14;
const PAGE_FAULT_PRESENT = 1;
const PAGE_FAULT_WRITE = 2;
const PAGE_FAULT_FETCH = 16;

const RUNAWAY: MachineEnding = { kind: "runaway" };
/** The record of how the guest was left is invalid. */
const FORGED: MachineEnding = { kind: "escaped", pc: 0n };

/** For each signal, its fault and the distance of the PC after the instruction. */
const FAULTS: { readonly [signal: number]: { readonly fault: FaultKind; readonly size: number } } =
  {
    [SIGNAL.illegal]: { fault: "invalid-instruction", size: 0 },
    [SIGNAL.arithmetic]: { fault: "divide", size: 0 }, // floating-point exceptions are masked
    [SIGNAL.trap]: { fault: "breakpoint", size: 1 },
    [SIGNAL.systemCall]: { fault: "system-call", size: 2 },
  };

/** A Cpu that shares the child, and so the memory, with the others of this process. */
export class HostCpu implements Cpu {
  readonly batch: RunBatch;
  readonly architecture = "x64";
  readonly layout = LAYOUT;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  readonly calls = new HostCalls("x64", this);
  code: Uint8Array | null = null;
  private readonly host: HostProcess;
  private readonly stackView: DataView;
  private image = new Uint8Array(0);
  private heapView: Uint8Array;

  /** Throws HostRefused if native code cannot run. */
  constructor() {
    const host = sharedHostProcess();
    const { block, stack, heap } = host.memory;
    this.host = host;
    this.registers = block.subarray(0, REGISTERS.x64.wordCount);
    this.stack = stack;
    this.stackView = new DataView(stack.buffer, stack.byteOffset, stack.length);
    this.heapView = heap.subarray(0, PAGE_SIZE);
    this.batch = new HostBatch(host, this);
  }

  get heap(): Uint8Array {
    return this.heapView;
  }

  get events(): readonly HostEvent[] {
    return this.calls.events;
  }

  /**
   * The addresses that host functions keep for the last run that was made or shown: a word for each
   * place.
   */
  get kept(): Int32Array {
    const words = new Int32Array(KEPT_PLACES);
    this.calls.kept.save(words);
    return words;
  }

  load(code: Uint8Array, heapSize: number): void {
    this.code = code;
    this.image = code.slice();
    this.heapView = this.host.memory.heap.subarray(0, heapSize);
    this.host.forget(this);
  }

  patch(begin: number, end: number): void {
    if (this.code === null) return;
    const bytes = this.code.subarray(begin, end);
    this.image.set(bytes, begin);
    this.host.patch(this, bytes, begin);
  }

  run(poison: JunkRun, instructionsMax: number, entry = 0): MachineEnding {
    this.place();
    this.prepareCall();
    this.calls.begin(poison);
    return this.resume(entry, instructionsMax);
  }

  resume(offset: number, instructionsMax: number): MachineEnding {
    const { host, calls, registers } = this;
    const { block } = host.memory;
    this.cleanControl();
    setAddress(registers, REGISTERS.x64.pc, LAYOUT.code + offset);
    block.fill(0, BLOCK.signal / 4, BLOCK.faultTrap / 4 + 2);
    const milliseconds = millisecondsFor(instructionsMax);
    const steps = host.request(this.heapView.length);
    writeTimer(steps, milliseconds);
    const entry = steps.enter();
    let callCount = 0;
    const exchange = host.converse(milliseconds, ({ step, index }) => {
      // Each call takes at least one instruction.
      if (step !== entry || ++callCount > instructionsMax) return false;
      calls.answer(index);
      return true;
    });
    if (exchange === "late" || callCount > instructionsMax) return RUNAWAY;
    if (exchange === "died") return this.ending();
    return endingBy(block[BLOCK.left / 4]) ?? FORGED;
  }

  /** Returns true if no run has used the child of the next run. */
  get isFresh(): boolean {
    return this.host.isFresh;
  }

  /**
   * Stops the child, so that the next run starts another one: wrong code may have changed this one.
   */
  discardChild(): void {
    this.host.stop();
  }

  /** Releases the image; the child remains for others. */
  close(): void {
    this.host.forget(this);
  }

  /** Starts the child if necessary, and loads the image. */
  place(): void {
    const { host } = this;
    host.start();
    host.place(this, this.image);
  }

  /** Sets stack and registers to their state after the call of the image's start. */
  prepareCall(): void {
    this.placeReturnAddress();
    this.cleanControl();
    setAddress(this.registers, REGISTERS.x64.pc, LAYOUT.code);
  }

  private cleanControl(): void {
    const { registers } = this;
    const { flags, control } = REGISTERS.x64;
    const { flagsMask, flagsClean } = GUEST_CODE.x64;
    registers[flags] = (registers[flags] & flagsMask) | flagsClean;
    registers[flags + 1] = 0;
    registers[control] = MXCSR_CLEAN;
  }

  private placeReturnAddress(): void {
    const { registers, stackView } = this;
    const { stackPointer } = REGISTERS.x64;
    const top = addressAt(registers, stackPointer) - 8;
    setAddress(registers, stackPointer, top);
    stackView.setBigUint64(top - LAYOUT.stack, BigInt(LAYOUT.host), true);
  }

  // Returns the ending of a child that has died, from the block that its signal handler has
  // written.
  private ending(): MachineEnding {
    const { block } = this.host.memory;
    const signal = block[BLOCK.signal / 4];
    const pc = wordAt(block, BLOCK.faultPc);
    if (signal === SIGNAL.cpuTimer) return RUNAWAY;
    if (signal === SIGNAL.segmentation) return this.memoryFault(pc);
    const { fault, size } = FAULTS[signal] ?? { fault: "exception", size: 0 };
    return this.faultAt(fault, 0n, pc - BigInt(size));
  }

  private memoryFault(pc: bigint): MachineEnding {
    const { block } = this.host.memory;
    const error = block[BLOCK.faultError / 4];
    // General protection: not canonical, not aligned, or privileged; there is no address.
    if (block[BLOCK.faultTrap / 4] !== PAGE_FAULT) return this.faultAt("exception", 0n, pc);
    if ((error & PAGE_FAULT_FETCH) !== 0) return { kind: "escaped", pc };
    const isProtected = (error & PAGE_FAULT_PRESENT) !== 0;
    const isWrite = (error & PAGE_FAULT_WRITE) !== 0;
    const fault =
      `${isWrite ? "write" : "read"}-${isProtected ? "protected" : "unmapped"}` as const;
    return this.faultAt(fault, wordAt(block, BLOCK.faultAddress), pc);
  }

  private faultAt(fault: FaultKind, address: bigint, pc: bigint): MachineEnding {
    const inCode = pc - BigInt(LAYOUT.code);
    const isCode = inCode >= 0n && inCode < BigInt(this.image.length);
    // A fault in a host function's `ret` is due to a wrong stack pointer.
    if (!isCode && pc !== BigInt(RET_ADDRESS)) return { kind: "escaped", pc };
    return { kind: "fault", fault, address, pc };
  }
}

function wordAt(block: Int32Array, offset: number): bigint {
  const word = offset / 4;
  return BigInt.asUintN(64, wideBits(block[word], block[word + 1]));
}
