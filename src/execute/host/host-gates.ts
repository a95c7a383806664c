// The machine code around natively run x86-64 code: entering it, the addresses that it calls or
// jumps to, and the handler of its faults.
//
// It is written as bytes, without the compiler's assembler: the harness does not depend on what it
// tests. Everything that it needs is in the block, addressed relative to rip, so that no register is
// lost before it is saved, and the guest's stack is not touched. Compiled code knows where the
// gates are; all else is at an address that each child draws.
//
// 1. `enter` is a C function without arguments. It takes all registers from the block and goes to
//    the guest by `iretq`, which loads stack pointer, flags and program counter at once, and is
//    serializing: code that another process has just written is seen (Intel SDM 3A, 9.1.3).
// 2. The return address, the exit address and every host function are gates: each notes which it is
//    and leaves the guest, which is to return from `enter`. A host function is answered there, and
//    left by entering at a `ret`. Where no gate is, there are traps.
// 3. A signal handler notes what it knows and ends the process: a child that has faulted may hold
//    anything, so its answer is worthless. Nothing executable follows its `syscall`, so
//    that code which jumps there does not come back.

import { assert } from "../../support/assert.js";
import {
  exitAddress,
  HOST_CALL_COUNT,
  HOST_CALL_STRIDE,
  hostCallAddress,
  LAYOUT,
  REGISTERS,
} from "../machine/guest.js";
import { BLOCK, GATES_ADDRESS, GATES_SIZE, LEFT, PRIVATE, RET_ADDRESS } from "./host-layout.js";

export interface Gates {
  /** What is at GATES_ADDRESS. */
  readonly gates: Uint8Array;
  /** What is at the address that was drawn. */
  readonly code: Uint8Array;
  /** Addresses in it. */
  readonly enter: number;
  readonly handleSignal: number;
}

const TRAP = 0xcc; // int3
const RSP = 4;
const RAX = 0;
const RBX = 3;
const RBP = 5;
const SAVED_BY_CALLEES = [RBX, RBP, 12, 13, 14, 15];

/** `mov eax, 231; mov edi, 1; syscall`: exit_group(1). */
const EXIT_PROCESS = [0xb8, 0xe7, 0, 0, 0, 0xbf, 1, 0, 0, 0, 0x0f, 0x05, TRAP, TRAP];
/** `push 0x202; popfq`: the flags that C code finds. */
const RESET_FLAGS = [0x68, 0x02, 0x02, 0, 0, 0x9d];

// Where a signal handler's third argument, a ucontext_t, has what we want: after 40 bytes the
// general registers, of which these are numbers 16, 19 and 20 (Linux, sys/ucontext.h).
const CONTEXT_PC = 40 + 8 * 16;
const CONTEXT_ERROR = 40 + 8 * 19;
const CONTEXT_TRAP = 40 + 8 * 20;
/** In its second, a siginfo_t. */
const INFO_ADDRESS = 16;

/** @param base where the private part of the child begins */
export function buildGates(base: number): Gates {
  const code = new Uint8Array(PRIVATE.codeSize).fill(TRAP);
  const block = base + PRIVATE.block;
  const writer = new Writer(code, base + PRIVATE.code, block);
  const enter = writer.address();
  writeEnter(writer);
  const leave = writer.address();
  writeLeave(writer);
  const leaveByHostCall = writer.address();
  writer.storeWord(BLOCK.left, LEFT.byHostCall);
  writer.jump(leave);
  const handleSignal = writer.address();
  writeSignalHandler(writer);

  const gates = new Uint8Array(GATES_SIZE).fill(TRAP);
  const gate = new Writer(gates, GATES_ADDRESS, block);
  gate.storeWord(BLOCK.left, LEFT.byReturn);
  gate.jump(leave);
  gate.at = exitAddress(LAYOUT) - GATES_ADDRESS;
  gate.storeWord(BLOCK.left, LEFT.byExit);
  gate.jump(leave);
  gate.at = RET_ADDRESS - GATES_ADDRESS;
  gate.bytes(0xc3);
  // 15 bytes each, so that they fit their stride.
  assert(HOST_CALL_STRIDE >= 15, () => "a gate does not fit");
  for (let index = 0; index < HOST_CALL_COUNT; index++) {
    gate.at = hostCallAddress(LAYOUT, index) - GATES_ADDRESS;
    gate.storeWord(BLOCK.hostCall, index);
    gate.jump(leaveByHostCall);
  }
  return { gates, code, enter, handleSignal };
}

function writeEnter(writer: Writer): void {
  const { generalCount, vectorCount, vectors, pc, flags, control, stackPointer } = REGISTERS.x64;
  for (const register of SAVED_BY_CALLEES) writer.push(register);
  writer.store(RSP, BLOCK.callerStack);
  writer.storeControl(BLOCK.callerControl);
  writer.bytes(0x8c, 0xc8); // mov eax, cs
  writer.store(RAX, BLOCK.frame + 8);
  writer.bytes(0x8c, 0xd0); // mov eax, ss
  writer.store(RAX, BLOCK.frame + 32);
  [pc, flags, stackPointer].forEach((word, i) => {
    writer.load(RAX, 4 * word);
    writer.store(RAX, BLOCK.frame + [0, 16, 24][i]);
  });
  writer.loadControl(4 * control);
  for (let v = 0; v < vectorCount; v++) writer.loadVector(v, 4 * (vectors + 4 * v));
  for (let r = 0; r < generalCount; r++) if (r !== RSP) writer.load(r, 8 * r);
  writer.loadAddress(RSP, BLOCK.frame);
  writer.bytes(0x48, 0xcf); // iretq
}

// `mov` and `lea` change no flags, so they come before the flags are saved.
function writeLeave(writer: Writer): void {
  const { generalCount, vectorCount, vectors, flags, control } = REGISTERS.x64;
  for (let r = 0; r < generalCount; r++) writer.store(r, 8 * r);
  writer.loadAddress(RSP, BLOCK.scratchStackEnd);
  writer.bytes(0x9c); // pushfq
  writer.pop(RAX);
  writer.store(RAX, 4 * flags);
  writer.bytes(...RESET_FLAGS);
  for (let v = 0; v < vectorCount; v++) writer.storeVector(v, 4 * (vectors + 4 * v));
  writer.storeControl(4 * control);
  writer.loadControl(BLOCK.callerControl);
  writer.load(RSP, BLOCK.callerStack);
  for (const register of [...SAVED_BY_CALLEES].reverse()) writer.pop(register);
  writer.bytes(0xc3); // ret
}

function writeSignalHandler(writer: Writer): void {
  const fields = [
    [0x86, INFO_ADDRESS, BLOCK.faultAddress], // from [rsi]
    [0x82, CONTEXT_PC, BLOCK.faultPc], // from [rdx]
    [0x82, CONTEXT_ERROR, BLOCK.faultError],
    [0x82, CONTEXT_TRAP, BLOCK.faultTrap],
  ];
  for (const [modRm, displacement, to] of fields) {
    writer.bytes(0x48, 0x8b, modRm, displacement & 0xff, displacement >> 8, 0, 0);
    writer.store(RAX, to);
  }
  writer.relative([0x89], 7, BLOCK.signal, 0); // mov [signal], edi
  writer.bytes(...EXIT_PROCESS);
}

/** Writes the few instructions that gates consist of; memory operands are fields of the block. */
class Writer {
  at = 0;
  private readonly code: Uint8Array;
  private readonly view: DataView;
  private readonly base: number;
  private readonly block: number;

  /** Of code that will be at `base`. */
  constructor(code: Uint8Array, base: number, block: number) {
    this.code = code;
    this.view = new DataView(code.buffer);
    this.base = base;
    this.block = block;
  }

  address(): number {
    return this.base + this.at;
  }

  bytes(...bytes: readonly number[]): void {
    this.code.set(bytes, this.at);
    this.at += bytes.length;
  }

  push(register: number): void {
    if (register > 7) this.bytes(0x41);
    this.bytes(0x50 | (register & 7));
  }

  pop(register: number): void {
    if (register > 7) this.bytes(0x41);
    this.bytes(0x58 | (register & 7));
  }

  load(register: number, field: number): void {
    this.relative([wide(register), 0x8b], register, field, 0);
  }

  store(register: number, field: number): void {
    this.relative([wide(register), 0x89], register, field, 0);
  }

  loadAddress(register: number, field: number): void {
    this.relative([wide(register), 0x8d], register, field, 0);
  }

  /** `movups` */
  loadVector(register: number, field: number): void {
    this.relative([narrow(register), 0x0f, 0x10], register, field, 0);
  }

  storeVector(register: number, field: number): void {
    this.relative([narrow(register), 0x0f, 0x11], register, field, 0);
  }

  /** `ldmxcsr` */
  loadControl(field: number): void {
    this.relative([0x0f, 0xae], 2, field, 0);
  }

  storeControl(field: number): void {
    this.relative([0x0f, 0xae], 3, field, 0);
  }

  /** `mov dword ptr [field], value` */
  storeWord(field: number, value: number): void {
    this.relative([0xc7], 0, field, 4);
    this.view.setInt32(this.at, value, true);
    this.at += 4;
  }

  jump(target: number): void {
    this.bytes(0xe9);
    this.at += 4;
    this.view.setInt32(this.at - 4, target - this.address(), true);
  }

  /** An instruction whose operand is [rip + distance to `field`]; `tail` bytes follow it. */
  relative(opcode: readonly number[], register: number, field: number, tail: number): void {
    this.bytes(...opcode, 0x05 | ((register & 7) << 3));
    this.at += 4;
    this.view.setInt32(this.at - 4, this.block + field - this.address() - tail, true);
  }
}

/** REX prefixes: of a 64-bit operand, and of the others, where it may also be missing. */
const wide = (register: number): number => 0x48 | ((register >> 3) << 2);
const narrow = (register: number): number => 0x40 | ((register >> 3) << 2);
