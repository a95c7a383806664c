// Builds the machine code of the native child. It executes steps, enters the guest, implements the
// addresses that the guest calls or jumps to, and handles its faults.
// It is written as bytes, without the compiler's assembler, so that the harness does not depend on
// the code under test. All data is in the block, addressed relative to rip, so that no register is
// lost before it is saved, and no stack is touched. Compiled code contains the addresses of the
// gates. All other code is at an address that each child draws.
// 1. rbx is the address of the present step. A step jumps to the code for its action, which jumps
//    to the next step. There are two `syscall` instructions: that of a step, with the step's
//    arguments, and the one that ends the process.
// 2. To enter the guest, the code loads all registers from the block and uses `iretq`. It loads
//    stack pointer, flags and program counter at once, and is serializing, so code that another
//    process has just written takes effect (Intel SDM 3A, 9.1.3).
// 3. The return address, the exit address and every host function are gates. Each records its
//    identity, saves all registers, and continues with the next step. After a call of a host
//    function it continues with the step that notifies the harness. The harness performs the
//    function and lets the guest resume at a `ret`. Traps fill the space without gates.
// 4. A signal handler records the signal and its context, and ends the process. A child that has
//    faulted may be in any state, so its answer is worthless.

import { assert } from "../../support/assert.js";
import {
  exitAddress,
  HOST_CALL_COUNT,
  HOST_CALL_STRIDE,
  hostCallAddress,
  LAYOUT,
  REGISTERS,
} from "../machine/guest.js";
import {
  BLOCK,
  GATES_ADDRESS,
  GATES_SIZE,
  LEFT,
  MAIL,
  type PrivateAddresses,
  RET_ADDRESS,
} from "./host-layout.js";
import { STEP, STEP_SIZE, type StepCode } from "./host-steps.js";

export interface HostCode {
  /** The bytes at GATES_ADDRESS. */
  readonly gates: Uint8Array;
  /** The bytes at the address of the program; the first byte is its entry. */
  readonly code: Uint8Array;
  /** Addresses in it. */
  readonly steps: StepCode;
  readonly handleSignal: number;
  /**
   * The addresses after the two instructions that call the kernel: of a step, and to end the
   * process.
   */
  readonly afterCall: number;
  readonly afterExit: number;
}

/** The registers for the arguments of a step's system call, in order. */
const ARGUMENT_REGISTERS = [7, 6, 2, 10, 8, 9]; // rdi, rsi, rdx, r10, r8, r9
export const CODE_SIZE = 2048;

const TRAP = 0xcc; // int3
const RSP = 4;
const RAX = 0;
const RBX = 3;
const [RDI, RSI, RCX] = [7, 6, 1];
const EXIT_GROUP = 231;
const SYSCALL = [0x0f, 0x05];
/** `push 0x202; popfq`: clears all flags that the guest has set. */
const RESET_FLAGS = [0x68, 0x02, 0x02, 0, 0, 0x9d];
const TEST_RAX = [0x48, 0x85, 0xc0];
/** Condition codes of jumps. */
const [EQUAL, NOT_EQUAL, NEGATIVE, NOT_NEGATIVE, NOT_POSITIVE] = [4, 5, 8, 9, 14];

// Offsets in a signal handler's third argument, a ucontext_t. The general registers begin at byte
// 40; these are numbers 16, 19 and 20 (Linux, sys/ucontext.h).
const CONTEXT_PC = 40 + 8 * 16;
const CONTEXT_ERROR = 40 + 8 * 19;
const CONTEXT_TRAP = 40 + 8 * 20;
/** An offset in its second argument, a siginfo_t. */
const INFO_ADDRESS = 16;

/**
 * @param first address of the step that the child begins with
 * @param serve address of the step by which it notifies the harness that it waits
 */
export function buildCode(places: PrivateAddresses, first: number, serve: number): HostCode {
  const { program, block, mailbox } = places;
  const code = new Uint8Array(CODE_SIZE).fill(TRAP);
  const writer = new GateWriter(code, program, block);
  goTo(writer, first);

  const next = writer.address();
  writer.bytes(0x48, 0x83, 0xc3, STEP_SIZE); // add rbx, STEP_SIZE
  writer.bytes(0xff, 0x23); // jmp [rbx]

  const jump = writer.address();
  writer.loadFrom(RBX, STEP.target);
  writer.bytes(0xff, 0x23);

  const handleSignal = writer.address();
  writeSignalHandler(writer);
  const exit = writer.address();
  writer.bytes(0xb8, EXIT_GROUP, 0, 0, 0, 0xbf, 1, 0, 0, 0, ...SYSCALL); // mov eax, 231; mov edi, 1; syscall
  const afterExit = writer.address();
  writer.bytes(TRAP, TRAP);

  const failed = writer.address();
  writer.relative([0x89], RAX, mailbox + 4 * MAIL.error - block, 0); // mov [error], eax
  writer.relative([0x89], RBX, mailbox + 4 * MAIL.failed - block, 0);
  writer.jump(exit);

  const call = writer.address();
  writer.loadFrom(RAX, STEP.number);
  ARGUMENT_REGISTERS.forEach((register, i) => writer.loadFrom(register, STEP.args + 8 * i));
  writer.bytes(...SYSCALL);
  const afterCall = writer.address();
  writer.bytes(0xff, 0x63, STEP.after); // jmp [rbx + after]

  const check = writer.address();
  writer.bytes(...TEST_RAX);
  writer.jumpIf(NOT_NEGATIVE, next);
  writer.jump(failed);

  const fork = writer.address();
  writer.bytes(...TEST_RAX);
  writer.jumpIf(NEGATIVE, failed);
  writer.jumpIf(EQUAL, next);
  writer.jump(jump);

  const serveRequest = writer.address();
  writer.bytes(...TEST_RAX);
  writer.jumpIf(NOT_POSITIVE, exit);
  writer.jump(jump);

  const copy = writer.address();
  [RDI, RSI, RCX].forEach((register, i) => writer.loadFrom(register, STEP.args + 8 * i));
  writer.bytes(0xf3, 0xa4); // rep movsb
  writer.jump(next);

  const enter = writer.address();
  writeEnter(writer);
  const leave = writer.address();
  writeLeave(writer);
  // cmp dword ptr [left], byHostCall
  writer.relative([0x83], 7, BLOCK.left, 1);
  writer.bytes(LEFT.byHostCall);
  writer.load(RBX, BLOCK.step);
  writer.jumpIf(NOT_EQUAL, next);
  goTo(writer, serve);
  const leaveByHostCall = writer.address();
  writer.storeWord(BLOCK.left, LEFT.byHostCall);
  writer.jump(leave);

  const steps = { call, copy, enter, jump, check, ignore: next, fork, serve: serveRequest };
  const gates = buildGates(block, leave, leaveByHostCall);
  return { gates, code, steps, handleSignal, afterCall, afterExit };
}

/** Writes `movabs rbx, step; jmp [rbx]`. */
function goTo(writer: GateWriter, step: number): void {
  writer.bytes(0x48, 0xbb, ...new Uint8Array(new BigUint64Array([BigInt(step)]).buffer));
  writer.bytes(0xff, 0x23);
}

function buildGates(block: number, leave: number, leaveByHostCall: number): Uint8Array {
  const gates = new Uint8Array(GATES_SIZE).fill(TRAP);
  const gate = new GateWriter(gates, GATES_ADDRESS, block);
  gate.storeWord(BLOCK.left, LEFT.byReturn);
  gate.jump(leave);
  gate.at = exitAddress(LAYOUT) - GATES_ADDRESS;
  gate.storeWord(BLOCK.left, LEFT.byExit);
  gate.jump(leave);
  gate.at = RET_ADDRESS - GATES_ADDRESS;
  gate.bytes(0xc3);
  // 15 bytes each, which must fit their stride.
  assert(HOST_CALL_STRIDE >= 15, () => "the code of a gate does not fit its area");
  for (let index = 0; index < HOST_CALL_COUNT; index++) {
    gate.at = hostCallAddress(LAYOUT, index) - GATES_ADDRESS;
    gate.storeWord(BLOCK.hostCall, index);
    gate.jump(leaveByHostCall);
  }
  return gates;
}

function writeEnter(writer: GateWriter): void {
  const { generalCount, vectorCount, vectors, pc, flags, control, stackPointer } = REGISTERS.x64;
  writer.store(RBX, BLOCK.step);
  writer.storeWord(BLOCK.left, LEFT.nowhere);
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

// `mov` and `lea` change no flags, so they precede the saving of the flags.
function writeLeave(writer: GateWriter): void {
  const { generalCount, vectorCount, vectors, flags, control } = REGISTERS.x64;
  for (let r = 0; r < generalCount; r++) writer.store(r, 8 * r);
  writer.loadAddress(RSP, BLOCK.scratchStackEnd);
  writer.bytes(0x9c, 0x58); // pushfq; pop rax
  writer.store(RAX, 4 * flags);
  writer.bytes(...RESET_FLAGS);
  for (let v = 0; v < vectorCount; v++) writer.storeVector(v, 4 * (vectors + 4 * v));
  writer.storeControl(4 * control);
}

function writeSignalHandler(writer: GateWriter): void {
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
  writer.relative([0x89], RDI, BLOCK.signal, 0); // mov [signal], edi
}

/** Writes the few instructions that gates consist of; memory operands are fields of the block. */
class GateWriter {
  at = 0;
  private readonly code: Uint8Array;
  private readonly view: DataView;
  private readonly base: number;
  private readonly block: number;

  /** @param base address of the code at run time */
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

  /** Writes `mov register, [rbx + offset]`. */
  loadFrom(register: number, offset: number): void {
    this.bytes(wide(register), 0x8b, 0x43 | ((register & 7) << 3), offset);
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

  /** Writes `movups`. */
  loadVector(register: number, field: number): void {
    this.relative([narrow(register), 0x0f, 0x10], register, field, 0);
  }

  storeVector(register: number, field: number): void {
    this.relative([narrow(register), 0x0f, 0x11], register, field, 0);
  }

  /** Writes `ldmxcsr`. */
  loadControl(field: number): void {
    this.relative([0x0f, 0xae], 2, field, 0);
  }

  storeControl(field: number): void {
    this.relative([0x0f, 0xae], 3, field, 0);
  }

  /** Writes `mov dword ptr [field], value`. */
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

  jumpIf(condition: number, target: number): void {
    this.bytes(0x0f, 0x80 | condition);
    this.at += 4;
    this.view.setInt32(this.at - 4, target - this.address(), true);
  }

  /** Writes an instruction whose operand is [rip + distance to `field`]; `tail` bytes follow it. */
  relative(opcode: readonly number[], register: number, field: number, tail: number): void {
    this.bytes(...opcode, 0x05 | ((register & 7) << 3));
    this.at += 4;
    this.view.setInt32(this.at - 4, this.block + field - this.address() - tail, true);
  }
}

/** REX prefixes: for a 64-bit operand, and for other operands, where it may also be missing. */
const wide = (register: number): number => 0x48 | ((register >> 3) << 2);
const narrow = (register: number): number => 0x40 | ((register >> 3) << 2);
