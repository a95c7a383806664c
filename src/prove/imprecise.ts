// Transfer functions that do not always give the smallest range, with the reason: of all tuples of
// ranges at 3 bits so many have it. What is not named here has it always; a number may only grow.

interface Imprecise {
  readonly opcode: string;
  /** Of 1296 pairs of ranges, or 36 ranges. */
  readonly best: number;
  readonly because: string;
}

const PRODUCTS =
  "products have gaps: which of them wrap, or overflow first, is found by trying all only";
const REMAINDERS =
  "of several divisors each has remainders of its own: bounds of all are found by trying them only";
const BITS =
  "bounds of bits go bit by bit (Warren, Hacker's Delight, 4-3); ours are those of whole runs of bits";
const WRAPPED = "counts that wrap around are taken for all counts";
const COUNTS = "of the bits of a range only the longest number is looked at";

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
