// Defines opcodes and patchpoints by scripts of simpler opcodes, for formats without such
// instructions. The scripts cover rare operations, guards that compute, and patchpoints. A test
// compares each row with the oracle (expand.test.ts).

import type { PatchpointName } from "../ir/patchpoints.js";
import { FUSED_DOUBLES, FUSED_FLOATS } from "./fused-multiply-add.js";

/** Scripts by opcode, or by opcode and type of the first operand. */
// biome-ignore format: a table
export const OPCODE_EXPANSIONS = {
  Allocate:           "p = Load.Int64(x); Store(Add(p, y), x); p",
  // For divisors 0 and -1, and no others, y + 1 is unsigned less than 2.
  ChillDiv:           "o = Below(Add(y, 1), 2); Select(o, Mul(x, y), Div(x, Select(o, 1, y)))",
  ChillMod:           "o = Below(Add(y, 1), 2); Select(o, 0, Mod(x, Select(o, 1, y)))",
  FloorMod:           "r = Mod(x, y); s = BitAnd(NotEqual(r, 0), LessThan(BitXor(r, y), 0)); Select(s, Add(r, y), r)",
  "MulHigh.Int32":    "TruncHigh(Mul(SExt32(x), SExt32(y)))",
  "UMulHigh.Int32":   "TruncHigh(Mul(ZExt32(x), ZExt32(y)))",
  // A negative signed factor is its unsigned value less 2^64.
  "MulHigh.Int64":    "Sub(Sub(UMulHigh(x, y), BitAnd(SShr(x, 63), y)), BitAnd(SShr(y, 63), x))",
  // Multiplies by 32-bit halves; none of these sums wraps.
  "UMulHigh.Int64":   "a = BitAnd(x, 0xffffffff); b = ZShr(x, 32); c = BitAnd(y, 0xffffffff); d = ZShr(y, 32); " +
                      "m = Add(Mul(b, c), ZShr(Mul(a, c), 32)); n = Add(Mul(a, d), BitAnd(m, 0xffffffff)); " +
                      "Add(Add(Mul(b, d), ZShr(m, 32)), ZShr(n, 32))",
  "Depend.Int32":     "BitXor(x, x)",
  "Depend.Int64":     "BitXor(x, x)",
  "ByteSwap.Int32":   "p = BitOr(BitAnd(Shl(x, 8), 0xff00ff00), BitAnd(ZShr(x, 8), 0x00ff00ff)); RotL(p, 16)",
  "ByteSwap.Int64":   "p = BitOr(BitAnd(Shl(x, 8), 0xff00ff00ff00ff00), BitAnd(ZShr(x, 8), 0x00ff00ff00ff00ff)); " +
                      "q = BitOr(BitAnd(Shl(p, 16), 0xffff0000ffff0000), BitAnd(ZShr(p, 16), 0x0000ffff0000ffff)); RotL(q, 32)",
  // From 2^63 on, the low bits are those of the fraction, shifted by the exponent.
  ToInt32:            "b = BitwiseCast(PurifyNaN(x)); s = Sub(BitAnd(ZShr(TruncHigh(b), 20), 2047), 1075); l = Shl(Trunc(b), s); " +
                      "n = Select(LessThan(TruncHigh(b), 0), Neg(l), l); m = Select(LessThan(s, 32), n, 0); " +
                      "Select(LessThan(s, 11), Trunc(TruncS64(x)), m)",
  "FusedMulAdd.Float":  FUSED_FLOATS,
  "FusedMulAdd.Double": FUSED_DOUBLES,
  Min:                "Select(LessThan(x, y), x, y)",
  Max:                "Select(LessThan(x, y), y, x)",
  UMin:               "Select(Below(x, y), x, y)",
  UMax:               "Select(Below(x, y), y, x)",
  AddOverflows:       "r = Add(x, y); LessThan(BitAnd(BitXor(x, r), BitXor(y, r)), 0)",
  SubOverflows:       "r = Sub(x, y); LessThan(BitAnd(BitXor(x, y), BitXor(x, r)), 0)",
  "MulOverflows.Int32": "p = Mul(SExt32(x), SExt32(y)); NotEqual(SExt32(Trunc(p)), p)",
  "MulOverflows.Int64": "NotEqual(MulHigh(x, y), SShr(Mul(x, y), 63))",
  AddCarries:         "Below(Add(x, y), x)",
  CheckAdd:           "Check(AddOverflows(x, y)); Add(x, y)",
  CheckSub:           "Check(SubOverflows(x, y)); Sub(x, y)",
  CheckToInt32:       "i = TruncS32(x); Check(NotEqual(IToD(i), x)); i",
  // After the first guard the number is not a NaN, whose bits would be open.
  CheckToInt32Exact:  "i = TruncS32(x); Check(NotEqual(IToD(i), x)); h = TruncHigh(BitwiseCast(PurifyNaN(x))); " +
                      "Check(BitAnd(Equal(i, 0), LessThan(h, 0))); i",
  CheckMul:           "Check(MulOverflows(x, y)); Mul(x, y)",
} as const;

const ATOMIC_FAMILIES: readonly (readonly [name: string, stored: string])[] = [
  ["AtomicXchg", "x"],
  ["AtomicXchgAdd", "Add(o, x)"],
  ["AtomicXchgSub", "Sub(o, x)"],
  ["AtomicXchgAnd", "BitAnd(o, x)"],
  ["AtomicXchgOr", "BitOr(o, x)"],
  ["AtomicXchgXor", "BitXor(o, x)"],
];
// The suffix of the opcode's name, the load, the store, and the low bits of an operand.
const ATOMIC_WIDTHS: readonly (readonly [
  suffix: string,
  load: string,
  store: string,
  low: string,
])[] = [
  ["8", "Load8Z.Int32", "Store8", "BitAnd(x, 0xff)"],
  ["16", "Load16Z.Int32", "Store16", "BitAnd(x, 0xffff)"],
  [".Int32", "Load.Int32", "Store", "x"],
  [".Int64", "Load.Int64", "Store", "x"],
];

/**
 * Expansions of atomic operations. With one thread such an operation is a load, a computation and a
 * store.
 */
export const ATOMIC_EXPANSIONS: Readonly<Record<string, string>> = Object.fromEntries(
  ATOMIC_WIDTHS.flatMap(([suffix, load, store, low]) => [
    ...ATOMIC_FAMILIES.map(([name, stored]) => [
      `${name}${suffix}`,
      `o = ${load}(y); ${store}(${stored}, y); o`,
    ]),
    ...["AtomicStrongCAS", "AtomicWeakCAS"].map((name) => [
      `${name}${suffix}`,
      `o = ${load}(z); e = Equal(o, ${low}); ${store}(Select(e, y, o), z); ${name.includes("Weak") ? "e" : "o"}`,
    ]),
  ]),
);

/**
 * Expansions of patchpoints. FramePointer is 0 in an expanded module, so an offset from it is the
 * complete address.
 */
// biome-ignore format: a table
export const PATCHPOINT_EXPANSIONS: { readonly [N in PatchpointName]: string } = {
  addPair:          "Add(x, y)",
  mixAnywhere:      "BitXor(Add(x, ZExt32(y)), z)",
  foldAnywhere:     "BitXor(Add(Trunc(y), z), x)",
  subtractNamed:    "Sub(x, y)",
  ownConvention:    "Add(BitXor(Add(x, SExt32(y)), BitwiseCast(w)), SExt32(z))",
  rotateByConstant: "BitXor(RotL(x, y), y)",
  fromConstant:     "Sub(y, x)",
  copiesApart:      "Sub(Add(Add(x, x), Trunc(BitwiseCast(y))), z)",
  lateRegisters:    "BitwiseCast(BitXor(Add(BitwiseCast(x), SExt32(z)), ZExt32(BitwiseCast(y))))",
  lateNamed:        "Add(Sub(x, BitwiseCast(y)), ZExt32(z))",
  fromStack:        "Add(BitXor(x, ZExt32(BitwiseCast(y))), SExt32(z))",
  ontoStack:        "BitXor(x, SExt32(y))",
  floatOntoStack:   "BitwiseCast(Add(x, y))",
  signFromNamed:    "CopySign(x, y)",
  fromNothing:      "0x12345678",
  heapFetch:        "Load.Int64(x)",
  heapExchange:     "old = Load.Int32(x); Store(y, x); old",
  slotFetch:        "Load.Int64(x)",
  slotExchange:     "old = Load.Int64(x); Store(y, x); old",
  makeReference:    "BitXor(x, SExt32(y))",
  frameDistance:    "x",
  frameParity:      "Add(BitAnd(Trunc(x), 15), y)",
  heapAdd:          "Store(Add(Load.Int32(x), y), x)",
  slotNegate:       "Store(Neg(Load.Int64(x)), x)",
  destroyOnly:      "0",
  keepThrough:      "0",
  negateBeside:     "Neg(y)",
  exitIfOdd:        "Check(BitAnd(x, 1))",
  addOrExit:        "Check(AddCarries(x, y)); Add(x, y)",
  exitIfNegative:   "b = BitwiseCast(y); Check(LessThan(b, 0)); Add(BitXor(x, b), z)",
  addPassed:        "Check(LessThan(BitwiseCast(z), 0)); Add(x, SExt32(y))",
  returnSum:        "Return(Add(x, y))",
  returnMixed:      "Return(BitwiseCast(Add(BitXor(BitwiseCast(x), BitwiseCast(y)), z)))",
};
