// The lowering of atomic operations to LIR rows. Both targets use the same names: the operation,
// and the letter of the width.

import type { LoweringTable } from "./target.js";

/** The part after `Atomic` in the name of an opcode, and the name of its rows. */
const OPERATIONS = [
  ["Xchg", "xchg"],
  ["XchgAdd", "add"],
  ["XchgSub", "sub"],
  ["XchgAnd", "and"],
  ["XchgOr", "or"],
  ["XchgXor", "xor"],
  ["StrongCAS", "strongCAS"],
  ["WeakCAS", "weakCAS"],
] as const;

export const ATOMIC_LOWERING: LoweringTable = Object.fromEntries(
  OPERATIONS.flatMap(([opcode, row]) => [
    [`Atomic${opcode}`, { Int32: [`atomic.${row}l`], Int64: [`atomic.${row}q`] }],
    [`Atomic${opcode}8`, { Int32: [`atomic.${row}b`] }],
    [`Atomic${opcode}16`, { Int32: [`atomic.${row}w`] }],
  ]),
);
