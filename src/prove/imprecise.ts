// Lists transfer functions that do not always compute the smallest range. A row states the reason,
// and the number of operand tuples at 3 bits for which the range is the smallest. All other
// functions are always exact. The numbers may only grow.

interface Imprecise {
  readonly opcode: string;
  /** Out of 1296 pairs of ranges, or 36 ranges. */
  readonly best: number;
  readonly because: string;
}

const PRODUCTS = "products have gaps: only enumeration finds which of them wrap, or overflow first";
const REMAINDERS =
  "each divisor has its own remainders: only enumeration finds the bounds over several divisors";
const BITS =
  "exact bounds process bit by bit (Warren, Hacker's Delight, 4-3); these process whole runs of bits";
const WRAPPED = "counts that wrap around are treated as all counts";
const COUNTS = "only the longest number in the range is considered";

// biome-ignore format: a table
export const IMPRECISE: readonly Imprecise[] = [
  { opcode: "Mul",      best:  955, because: PRODUCTS },
  { opcode: "CheckMul", best: 1113, because: PRODUCTS },
  { opcode: "Mod",      best: 1224, because: REMAINDERS },
  { opcode: "ChillMod", best: 1224, because: REMAINDERS },
  { opcode: "UMod",     best:  630, because: REMAINDERS },
  { opcode: "FloorMod", best: 1129, because: REMAINDERS },
  { opcode: "BitAnd",   best: 1021, because: BITS },
  { opcode: "BitOr",    best: 1021, because: BITS },
  { opcode: "BitXor",   best:  898, because: BITS },
  { opcode: "Shl",      best: 1248, because: WRAPPED },
  { opcode: "ZShr",     best: 1230, because: WRAPPED },
  { opcode: "Ctz",      best:   27, because: COUNTS },
  { opcode: "PopCnt",   best:   23, because: COUNTS },
];
