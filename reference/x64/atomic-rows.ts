// LIR rows of x86-64 for atomic operations on memory. Exchange and addition are instructions; the
// others compare and exchange until no other write intervenes. Operands: the definition, the
// operands of the operation, the address; the immediate is the displacement. Uses are late: all are
// read after the definition was written for the first time.

import type { ImmediateClass, OperandForm } from "../target/target.js";
import type { X64Assembler } from "./assembler.js";
import { X64 } from "./encodings.js";
import { Gpr, SCRATCH_GPR } from "./registers.js";
import { row, type X64EmitFunction, type X64Row } from "./row.js";

const DISPLACEMENT: ImmediateClass = { name: "disp32", fits: () => true };

interface AtomicWidth {
  readonly suffix: "b" | "w" | "l" | "q";
  /** The width of operations between registers. */
  readonly registers: "l" | "q";
  readonly load: number;
  readonly exchange: number;
  readonly add: number;
  readonly compare: number;
  /** Extends from the width with zeroes; null if the load has done so. */
  readonly extend: number | null;
}
// biome-ignore format: a table
const WIDTHS: readonly AtomicWidth[] = [
  { suffix: "b", registers: "l", load: X64.movzbl, exchange: X64.xchgbMemory, add: X64.lockXaddb, compare: X64.lockCmpxchgb, extend: X64.movzbl },
  { suffix: "w", registers: "l", load: X64.movzwl, exchange: X64.xchgwMemory, add: X64.lockXaddw, compare: X64.lockCmpxchgw, extend: X64.movzwl },
  { suffix: "l", registers: "l", load: X64.movl,   exchange: X64.xchgl,       add: X64.lockXaddl, compare: X64.lockCmpxchgl, extend: null },
  { suffix: "q", registers: "q", load: X64.movq,   exchange: X64.xchgq,       add: X64.lockXaddq, compare: X64.lockCmpxchgq, extend: null },
];

function extend(asm: X64Assembler, { extend: code }: AtomicWidth, register: number): void {
  if (code !== null) asm.rr(code, register, register);
}

/**
 * Writes one instruction, whose register gets the old value; for a subtraction the operand is
 * negated first.
 */
const exchanged =
  (width: AtomicWidth, code: number, isNegated: boolean): X64EmitFunction =>
  (asm, c, i) => {
    const register = c.register(i, 0);
    if (isNegated) asm.r(X64[`neg${width.registers}`], register);
    asm.rm(code, register, c.register(i, 2), c.lir.immLo[i]);
    extend(asm, width, register);
  };

/**
 * Writes a loop: rax has the value that was read, and the scratch register the result, which is
 * written if memory still contains rax.
 */
const computed =
  (width: AtomicWidth, name: "and" | "or" | "xor"): X64EmitFunction =>
  (asm, c, i) => {
    const [x, address, displacement] = [c.register(i, 1), c.register(i, 2), c.lir.immLo[i]];
    const again = c.code.newLabel();
    asm.rm(width.load, Gpr.rax, address, displacement);
    c.code.bind(again);
    asm.rr(X64[`mov${width.registers}`], SCRATCH_GPR, Gpr.rax);
    asm.rr(X64[`${name}${width.registers}`], SCRATCH_GPR, x);
    asm.rm(width.compare, SCRATCH_GPR, address, displacement);
    asm.jump(X64.jne, again);
  };

const compared =
  (width: AtomicWidth, givesOld: boolean): X64EmitFunction =>
  (asm, c, i) => {
    asm.rm(width.compare, c.register(i, 2), c.register(i, 3), c.lir.immLo[i]);
    if (givesOld) extend(asm, width, Gpr.rax);
    else {
      asm.r(X64.sete, Gpr.rax);
      asm.rr(X64.movzbl, Gpr.rax, Gpr.rax);
    }
  };

const IN_PLACE: readonly OperandForm[] = ["def=0", "use", "use:late"];
const IN_RAX: readonly OperandForm[] = [{ def: Gpr.rax }, "use:late", "use:late"];
const COMPARED: readonly OperandForm[] = [
  { def: Gpr.rax },
  { use: Gpr.rax },
  "use:late",
  "use:late",
];

export const ATOMIC_ROWS: readonly X64Row[] = WIDTHS.flatMap((width): X64Row[] => {
  const { suffix, exchange, add } = width;
  const zeroExtends = suffix !== "q";
  const more = { immediate: DISPLACEMENT, zeroExtends };
  return [
    row(`atomic.xchg${suffix}`, IN_PLACE, exchanged(width, exchange, false), more),
    row(`atomic.add${suffix}`, IN_PLACE, exchanged(width, add, false), more),
    row(`atomic.sub${suffix}`, IN_PLACE, exchanged(width, add, true), more),
    ...(["and", "or", "xor"] as const).map((name) =>
      row(`atomic.${name}${suffix}`, IN_RAX, computed(width, name), more),
    ),
    // If memory has the expected value, the upper 32 bits of rax are unchanged.
    row(`atomic.strongCAS${suffix}`, COMPARED, compared(width, true), {
      ...more,
      zeroExtends: suffix === "b" || suffix === "w",
    }),
    row(`atomic.weakCAS${suffix}`, COMPARED, compared(width, false), {
      ...more,
      zeroExtends: true,
    }),
  ];
});
