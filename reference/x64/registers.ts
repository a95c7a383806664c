// The registers of x86-64: their numbers as instructions encode them, their names in listings, and
// their roles in the System V calling convention (AMD64 psABI, 3.2.1 and 3.2.3).

/** Numbers of the general registers, as ModRM and REX encode them (Intel SDM vol. 2, table 2-4). */
// biome-ignore format: a table
export const Gpr = {
  rax: 0, rcx: 1, rdx: 2,  rbx: 3,  rsp: 4,  rbp: 5,  rsi: 6,  rdi: 7,
  r8: 8,  r9: 9,  r10: 10, r11: 11, r12: 12, r13: 13, r14: 14, r15: 15,
} as const;
export type Gpr = (typeof Gpr)[keyof typeof Gpr];

export const REGISTER_COUNT = 16;

/** Names by width and number. With a REX prefix byte registers 4..7 are spl..dil, never ah..bh. */
// biome-ignore format: a table
export const REGISTER_NAMES = {
  r8:  ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil",
        "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"],
  r16: ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
        "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"],
  r32: ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi",
        "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"],
  r64: ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
        "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"],
  x:   ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"],
} as const;
export type RegisterBank = keyof typeof REGISTER_NAMES;

/**
 * System V: the registers of arguments, in order. A variadic call also requires al = number of
 * vector arguments.
 */
export const INTEGER_ARGUMENTS: readonly Gpr[] = [
  Gpr.rdi,
  Gpr.rsi,
  Gpr.rdx,
  Gpr.rcx,
  Gpr.r8,
  Gpr.r9,
];
export const FLOAT_ARGUMENTS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

export const INTEGER_RESULT = Gpr.rax;
/** Further results of procedures. */
export const FURTHER_INTEGERS: readonly Gpr[] = [Gpr.rcx, Gpr.rsi];
export const FURTHER_FLOATS: readonly number[] = [1, 2];
/** The second result of host functions with a deoptimization flag. */
export const ASKED_GPR = Gpr.rdx;
export const FLOAT_RESULT = 0;
/** Allocatable, and neither for arguments nor for the result. */
export const OTHER_GENERAL: readonly Gpr[] = [Gpr.r10, Gpr.rbx, Gpr.r12, Gpr.r13, Gpr.r14, Gpr.r15];

/**
 * Preserved by the callee. rbp is one of them, too, but is always the frame pointer. No xmm is
 * preserved.
 */
export const CALLEE_SAVED: readonly Gpr[] = [Gpr.rbx, Gpr.rbp, Gpr.r12, Gpr.r13, Gpr.r14, Gpr.r15];

/** Never allocated: memory-to-memory moves, move cycles and far addresses need one of each bank. */
export const SCRATCH_GPR = Gpr.r11;
export const SCRATCH_XMM = 15;

/** Everything but rsp, rbp and the scratch register; caller-saved registers come first. */
export const ALLOCATABLE_GPR: readonly Gpr[] = [
  Gpr.rax,
  Gpr.rcx,
  Gpr.rdx,
  Gpr.rsi,
  Gpr.rdi,
  Gpr.r8,
  Gpr.r9,
  Gpr.r10,
  Gpr.rbx,
  Gpr.r12,
  Gpr.r13,
  Gpr.r14,
  Gpr.r15,
];
export const ALLOCATABLE_XMM: readonly number[] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
];
