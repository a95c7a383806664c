// Lists rules that are excluded from the proofs, with the reason and the test that covers them. The
// tests print this list, and it may not grow.

import type { OpcodeName } from "../ir/opcodes.js";

interface Exclusion {
  readonly rule: string;
  /** Excludes the rule only where it matches this opcode. */
  readonly opcode?: OpcodeName;
  readonly because: string;
}

const DOUBLE_ROUNDING =
  "rounding twice is beyond the solver at these widths: Figueroa, When is double rounding innocuous? (1995)";

const SCALING =
  "too hard for the solver: x / c and x * (1 / c) round one real number once, since 1 / c is exact";

const EXACT_PRODUCT =
  "too hard for the solver: fused and not, one real number is rounded once, since the product is exact, or the sum is";

const WIDE_PRODUCT =
  "too hard for the solver: a product of two 32-bit integers is at most 2^62 in size, and fits 64 bits";

// biome-ignore format: a table
export const EXCLUDED: readonly Exclusion[] = [
  { rule: "narrow-arithmetic", because: DOUBLE_ROUNDING },
  { rule: "narrow-unary",      because: DOUBLE_ROUNDING },
  { rule: "div-power-of-two",  because: SCALING },
  { rule: "fused-one",         because: EXACT_PRODUCT },
  { rule: "fused-minus-one",   because: EXACT_PRODUCT },
  { rule: "fused-minus-zero",  because: EXACT_PRODUCT },
  { rule: "overflow-of-sext",  because: WIDE_PRODUCT, opcode: "MulOverflows" },
  { rule: "check-of-sext",     because: WIDE_PRODUCT, opcode: "CheckMul" },
];
