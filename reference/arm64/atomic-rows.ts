// LIR rows of ARM64 for atomic operations on memory: loops that load exclusively, and repeat if the
// store fails. Operands: the definition, the operands of the operation, the address. All are read
// after the definition was written, since the loop loads into it. x16 and x17 hold the value to
// store, and whether the store failed.

import type { ImmediateClass, OperandForm } from "../target/target.js";
import { A64, Cond, type EncodingRow } from "./encodings.js";
import { SCRATCH_GENERAL, SCRATCH_GENERAL_2 } from "./registers.js";
import { type Arm64EmitFunction, type Arm64Row, row } from "./row.js";

/** An exclusive access has no displacement. */
const ZERO: ImmediateClass = { name: "zero", fits: (lo, hi) => lo === 0 && hi === 0 };

interface AtomicWidth {
  readonly suffix: "b" | "w" | "l" | "q";
  readonly load: EncodingRow;
  readonly store: EncodingRow;
  readonly compare: EncodingRow;
  /** Extends from the width with zeroes; null if operations are of that width. */
  readonly extend: EncodingRow | null;
  readonly operations: { readonly [name: string]: EncodingRow };
}
const NARROW = { add: A64.addw, sub: A64.subw, and: A64.andw, or: A64.orrw, xor: A64.eorw };
const WIDE = { add: A64.addx, sub: A64.subx, and: A64.andx, or: A64.orrx, xor: A64.eorx };
// biome-ignore format: a table
const WIDTHS: readonly AtomicWidth[] = [
  { suffix: "b", load: A64.ldaxrb, store: A64.stlxrb, compare: A64.cmpw, extend: A64.uxtbw, operations: NARROW },
  { suffix: "w", load: A64.ldaxrh, store: A64.stlxrh, compare: A64.cmpw, extend: A64.uxthw, operations: NARROW },
  { suffix: "l", load: A64.ldaxrw, store: A64.stlxrw, compare: A64.cmpw, extend: null,      operations: NARROW },
  { suffix: "q", load: A64.ldaxrx, store: A64.stlxrx, compare: A64.cmpx, extend: null,      operations: WIDE },
];

/**
 * Writes the loop.
 *
 * @param code the operation; null: the operand itself is stored
 */
const exchanged =
  ({ load, store }: AtomicWidth, code: EncodingRow | null): Arm64EmitFunction =>
  (asm, c, i) => {
    const [old, x, address] = [c.register(i, 0), c.register(i, 1), c.register(i, 2)];
    const again = c.code.newLabel();
    c.code.bind(again);
    asm.dn(load, old, address);
    if (code !== null) asm.dnm(code, SCRATCH_GENERAL, old, x);
    asm.dnm(store, SCRATCH_GENERAL_2, code === null ? x : SCRATCH_GENERAL, address);
    asm.branchReg(A64.cbnzw, SCRATCH_GENERAL_2, again);
  };

const compared =
  ({ load, store, compare, extend }: AtomicWidth, givesOld: boolean): Arm64EmitFunction =>
  (asm, c, i) => {
    const [old, expected, x] = [c.register(i, 0), c.register(i, 1), c.register(i, 2)];
    const address = c.register(i, 3);
    const [again, done] = [c.code.newLabel(), c.code.newLabel()];
    if (extend !== null) asm.dn(extend, SCRATCH_GENERAL, expected);
    c.code.bind(again);
    asm.dn(load, old, address);
    asm.nm(compare, old, extend === null ? expected : SCRATCH_GENERAL);
    asm.branchCond(A64.bcond, Cond.ne, done);
    asm.dnm(store, SCRATCH_GENERAL_2, x, address);
    asm.branchReg(A64.cbnzw, SCRATCH_GENERAL_2, again);
    c.code.bind(done);
    if (!givesOld) asm.dc(A64.csetw, old, Cond.eq);
  };

const EXCHANGED: readonly OperandForm[] = ["def", "use:late", "use:late"];
const COMPARED: readonly OperandForm[] = [...EXCHANGED, "use:late"];

export const ATOMIC_ROWS: readonly Arm64Row[] = WIDTHS.flatMap((width): Arm64Row[] => {
  const { suffix, operations } = width;
  const more = { immediate: ZERO, zeroExtends: suffix !== "q" };
  return [
    row(`atomic.xchg${suffix}`, EXCHANGED, exchanged(width, null), more),
    ...Object.entries(operations).map(([name, code]) =>
      row(`atomic.${name}${suffix}`, EXCHANGED, exchanged(width, code), more),
    ),
    row(`atomic.strongCAS${suffix}`, COMPARED, compared(width, true), more),
    row(`atomic.weakCAS${suffix}`, COMPARED, compared(width, false), {
      ...more,
      zeroExtends: true,
    }),
  ];
});
