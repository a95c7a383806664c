// Registers of ARM64, and their roles in the procedure call standard (AAPCS64, IHI 0055).
//
// Numbers are per bank. The general bank has 33: 31 is the zero register and 32 the stack pointer.
// Instructions encode both as 31. With distinct numbers the encoder can reject one where the other
// is meant.

/** Reads as zero; writes are ignored. */
export const ZR = 31;
/** The stack pointer; encoded as 31 in the rows that allow it. */
export const SP = 32;
/** Frame pointer, set up in every frame. */
export const FP = 29;
/** Link register: the target of `ret`. */
export const LR = 30;

/** Never allocated: veneers, far offsets, memory-to-memory and cyclic moves. */
export const SCRATCH_GENERAL = 16;
/** The second scratch register, for sequences that need two. */
export const SCRATCH_GENERAL_2 = 17;
/** The scratch register v31. */
export const SCRATCH_VECTOR = 31;
/** Reserved by platforms; neither read nor written. */
export const PLATFORM = 18;

/** Integer arguments, first to last; results in the first. */
export const ARGUMENTS_GENERAL: readonly number[] = range(0, 7);
/** Float and Double arguments, first to last; results in the first. */
export const ARGUMENTS_VECTOR: readonly number[] = range(0, 7);
export const RESULT_GENERAL = 0;
/** The second result of host functions with a deoptimization flag. */
export const ASKED_GENERAL = 1;
export const RESULT_VECTOR = 0;
/** Allocatable, and neither for arguments nor for the result. */
export const OTHER_GENERAL: readonly number[] = [9, 10, 19, 20, 21, 22];
/** Further results of procedures. */
export const FURTHER_GENERAL: readonly number[] = [3, 4];
export const FURTHER_VECTOR: readonly number[] = [1, 2];

/** Callee-saved, without FP and LR, which the prologue saves anyway. */
export const CALLEE_SAVED_GENERAL: readonly number[] = range(19, 28);
/** Callee-saved, the low 64 bits only: enough for a Double, never for a whole vector. */
export const CALLEE_SAVED_VECTOR: readonly number[] = range(8, 15);

/** Allocatable registers, caller-saved first: those cost a prologue nothing. */
export const ALLOCATABLE_GENERAL: readonly number[] = [...range(0, 15), ...CALLEE_SAVED_GENERAL];
export const ALLOCATABLE_VECTOR: readonly number[] = [
  ...range(0, 7),
  ...range(16, 30),
  ...CALLEE_SAVED_VECTOR,
];

/**
 * Returns the name of a register as W, X, S, D, B or V (the whole vector, without an arrangement).
 */
export function registerName(view: string, register: number): string {
  if (view !== "W" && view !== "X") return `${view.toLowerCase()}${register}`;
  if (register === SP) return view === "X" ? "sp" : "wsp";
  if (register === ZR) return view === "X" ? "xzr" : "wzr";
  return `${view.toLowerCase()}${register}`;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
