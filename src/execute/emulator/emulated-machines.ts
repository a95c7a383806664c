// Describes the two machines in Unicorn: the numbers of registers, the meaning of interrupts, and
// the code that enters user mode.

import type { FaultKind } from "../../ir/outcome.js";
import type { Architecture } from "../machine/guest.js";
import { UC_ARM64_REGISTER, UC_X86_REGISTER } from "./unicorn.js";

/**
 * The meaning of an interrupt number, and the distance of the PC after the instruction, in bytes.
 */
interface InterruptMeaning {
  readonly fault: FaultKind;
  readonly size: number;
}

/** The differences between the two machines for the emulator. */
export interface EmulatedMachine {
  /** Unicorn's number of each register, in the order of RegisterLayout, without vectors. */
  readonly numbers: readonly number[];
  readonly pcNumber: number;
  readonly vectorNumber: number;
  /** Registers that a saved context must hold, in addition to those that Unicorn sets. */
  readonly initial: readonly (readonly [register: number, value: number])[];
  readonly interrupts: { readonly [number: number]: InterruptMeaning };
  readonly otherInterrupt: InterruptMeaning;
  /** Code that enters user mode and ends after its last instruction. Its stack is above it. */
  readonly enterUserMode: readonly number[];
  readonly stackPointerNumber: number;
}

const general = UC_X86_REGISTER.general;
const x = UC_ARM64_REGISTER;
const xRegisters = Array.from({ length: 29 }, (_, i) => x.x0 + i);

export const EMULATED_MACHINES: { readonly [A in Architecture]: EmulatedMachine } = {
  x64: {
    numbers: [...general, UC_X86_REGISTER.pc, UC_X86_REGISTER.flags, UC_X86_REGISTER.mxcsr],
    pcNumber: UC_X86_REGISTER.pc,
    vectorNumber: UC_X86_REGISTER.xmm0,
    // Both are 0 after uc_open, which unmasks every floating-point exception.
    initial: [
      [UC_X86_REGISTER.mxcsr, 0x1f80],
      [UC_X86_REGISTER.fpcw, 0x37f],
    ],
    interrupts: {
      0: { fault: "divide", size: 0 },
      1: { fault: "exception", size: 0 }, // debug
      3: { fault: "breakpoint", size: 1 },
      13: { fault: "privileged", size: 0 }, // general protection
      16: { fault: "exception", size: 0 }, // x87
    },
    otherInterrupt: { fault: "system-call", size: 2 }, // `int n`
    // biome-ignore format: a listing
    enterUserMode: [
      0x48, 0x89, 0xe0,                         //    mov  rax, rsp
      0x6a, 0x23,                               //    push 0x23 (the data segment: entry 4, ring 3)
      0x50,                                     //    push rax
      0x68, 0x02, 0x02, 0x00, 0x00,             //    push 0x202
      0x6a, 0x2b,                               //    push 0x2b (the code segment: entry 5, ring 3)
      0x48, 0x8d, 0x05, 0x03, 0x00, 0x00, 0x00, //    lea  rax, [rip + 1f]
      0x50,                                     //    push rax
      0x48, 0xcf,                               //    iretq
      0x90,                                     // 1: nop
    ],
    stackPointerNumber: general[4],
  },
  arm64: {
    numbers: [...xRegisters, x.x29, x.x30, x.sp, x.pc, x.flags, x.fpcr],
    pcNumber: x.pc,
    vectorNumber: x.q0,
    initial: [[x.fpcr, 0]],
    interrupts: {
      1: { fault: "invalid-instruction", size: 0 },
      2: { fault: "system-call", size: 4 },
      7: { fault: "breakpoint", size: 0 },
    },
    otherInterrupt: { fault: "exception", size: 0 },
    // biome-ignore format: a listing
    enterUserMode: [
      0x00, 0x00, 0x80, 0xd2, //    mov  x0, #0 (EL0, nothing masked)
      0x00, 0x40, 0x18, 0xd5, //    msr  spsr_el1, x0
      0x61, 0x00, 0x00, 0x10, //    adr  x1, 1f
      0x21, 0x40, 0x18, 0xd5, //    msr  elr_el1, x1
      0xe0, 0x03, 0x9f, 0xd6, //    eret
      0x1f, 0x20, 0x03, 0xd5, // 1: nop
    ],
    stackPointerNumber: x.sp,
  },
};
