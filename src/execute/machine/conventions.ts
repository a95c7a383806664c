// Defines the calling conventions for the harness. They are independent of the compiler's tables,
// so that a mistake there is found. Register numbers are those of the machine's encodings.

import { isFloating, type Type } from "../../ir/types.js";
import { type Architecture, REGISTERS } from "./guest.js";

export interface CallingConvention {
  readonly integerArguments: readonly number[];
  readonly floatArguments: readonly number[];
  /** The registers that patchpoints name %g0 to %g5. */
  readonly otherGeneral: readonly number[];
  /** The registers of results, for each bank in order. */
  readonly integerResults: readonly number[];
  readonly floatResults: readonly number[];
  /**
   * A host function leaves zero in this register unless it requests that its caller leaves; 32
   * bits.
   */
  readonly leaveRequest: number;
  /** The general registers that a callee preserves, without the stack pointer. */
  readonly calleeSaved: readonly number[];
  /** The vector registers whose low 64 bits a callee preserves. */
  readonly calleeSavedVectors: readonly number[];
  readonly framePointer: number;
  /** The distance from the stack pointer at entry down to the frame pointer, in bytes. */
  readonly entryToFramePointer: number;
  /**
   * The distance from the stack pointer at entry up to the stack pointer after the return, in
   * bytes.
   */
  readonly poppedByReturn: number;
  /** The save area of an exit stub, from the stack pointer upward; see the targets' frame.ts. */
  readonly saveArea: {
    readonly general: number;
    readonly vector: number;
    readonly index: number;
    /** The distance from the start of the area to the stack pointer at the guard. */
    readonly size: number;
  };
}

/**
 * Returns the location of each argument: the word of a register in `Emulator.registers`, or -1 - k
 * for the k-th argument on the stack. Each argument on the stack takes 8 bytes, from the stack
 * pointer before the call upward.
 */
export function placesOf(architecture: Architecture, types: readonly Type[]): number[] {
  const { integerArguments, floatArguments } = CONVENTIONS[architecture];
  const { vectors } = REGISTERS[architecture];
  let integers = 0;
  let floats = 0;
  let onStack = 0;
  return types.map((type) => {
    if (isFloating(type)) {
      return floats < floatArguments.length
        ? vectors + 4 * floatArguments[floats++]
        : -1 - onStack++;
    }
    return integers < integerArguments.length ? 2 * integerArguments[integers++] : -1 - onStack++;
  });
}

/** Returns the location of each result: the word of a register in `Emulator.registers`. */
export function resultPlacesOf(architecture: Architecture, types: readonly Type[]): number[] {
  const { integerResults, floatResults } = CONVENTIONS[architecture];
  const { vectors } = REGISTERS[architecture];
  let integers = 0;
  let floats = 0;
  return types.map((type) =>
    isFloating(type) ? vectors + 4 * floatResults[floats++] : 2 * integerResults[integers++],
  );
}

/** Returns the bytes of the arguments on the stack, which is aligned to 16 before a call. */
export const stackBytesOf = (places: readonly number[]): number =>
  (8 * places.filter((place) => place < 0).length + 15) & ~15;

const range = (begin: number, end: number): number[] =>
  Array.from({ length: end - begin }, (_, i) => begin + i);

export const CONVENTIONS: { readonly [A in Architecture]: CallingConvention } = {
  // System V AMD64 psABI, 3.2.
  x64: {
    integerArguments: [7, 6, 2, 1, 8, 9], // rdi rsi rdx rcx r8 r9
    floatArguments: range(0, 8),
    otherGeneral: [10, 3, 12, 13, 14, 15], // r10 rbx r12..r15
    integerResults: [0, 1, 6], // rax rcx rsi: the project chooses the further ones
    floatResults: range(0, 3),
    leaveRequest: 2, // rdx
    calleeSaved: [3, 5, 12, 13, 14, 15], // rbx rbp r12..r15
    calleeSavedVectors: [],
    framePointer: 5,
    entryToFramePointer: 8,
    poppedByReturn: 8,
    saveArea: { general: 0, vector: 128, index: 256, size: 264 },
  },
  // AAPCS64, 6.1.
  arm64: {
    integerArguments: range(0, 8),
    floatArguments: range(0, 8),
    otherGeneral: [9, 10, 19, 20, 21, 22],
    integerResults: [0, 3, 4],
    floatResults: range(0, 3),
    leaveRequest: 1,
    calleeSaved: range(19, 30),
    calleeSavedVectors: range(8, 16),
    framePointer: 29,
    entryToFramePointer: 16,
    poppedByReturn: 0,
    saveArea: { general: 0, vector: 256, index: 248, size: 512 },
  },
};
