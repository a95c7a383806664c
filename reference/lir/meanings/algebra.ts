// Defines the operations in which the meaning of a LIR row is written. An implementation decides what a value is: the
// LIR interpreter computes numbers (../interpret/concrete-algebra.ts), the solver's builds terms
// (src/prove/rows/symbolic-algebra.ts).
//
// Names of operations are the opcodes of the language, with the same results. Operand 0 is the definition if there is
// one, and uses follow.

/** Integers of 32 and of 64 bits, floats of 32 and of 64 bits: the letters in the names of rows. */
export type IntegerWidth = "l" | "q";
export type FloatWidth = "ss" | "sd";
export type ValueWidth = IntegerWidth | FloatWidth;

/** The types of an implementation: computations of values by width, of conditions and addresses, and effects. */
export interface MeaningDomain extends Readonly<Record<ValueWidth, unknown>> {
  readonly claim: unknown;
  readonly address: unknown;
  readonly effect: unknown;
}

/** A row's name and its meaning. */
export type RowMeaning<D extends MeaningDomain> = readonly [name: string, meaning: D["effect"]];

export type IntegerBinaryOpcode =
  | "Add"
  | "Sub"
  | "Mul"
  | "BitAnd"
  | "BitOr"
  | "BitXor"
  | "Min"
  | "Max"
  | "UMin"
  | "UMax"
  | "MulHigh"
  | "UMulHigh"
  | "ChillDiv"
  | "ChillMod"
  | TotalDivisionOpcode;
/** The divisions of ARM64: a quotient by 0 is 0, so the remainder is the dividend. */
export type TotalDivisionOpcode =
  | "UDivOrZero"
  | "ModOrDividend"
  | "UModOrDividend"
  | "FloorModOrDividend";
/** Undefined, and a fault, for a divisor of 0; signed ones also for MIN / -1. */
export type DivisionOpcode = "Div" | "Mod" | "UDiv" | "UMod" | "FloorMod";
export type IntegerUnaryOpcode = "Neg" | "ByteSwap" | "Depend" | "PopCnt" | "Clz" | "Ctz";
export type ShiftOpcode = "Shl" | "SShr" | "ZShr" | "RotL" | "RotR";
export type FlagComputation = "AddOverflows" | "SubOverflows" | "MulOverflows" | "AddCarries";
export type CheckedOpcode = "CheckAdd" | "CheckSub" | "CheckMul";
export type FloatBinaryOpcode =
  | "Add"
  | "Sub"
  | "Mul"
  | "Div"
  | "FMin"
  | "FMax"
  | "CopySign"
  | "Mod";
export type FloatUnaryOpcode =
  | "Neg"
  | "Abs"
  | "Ceil"
  | "Sqrt"
  | "Floor"
  | "FTrunc"
  | "Nearest"
  | "PurifyNaN";
/** An opcode that converts, with the widths of its operand and its result. */
export type ConversionOpcode =
  | "SExt8 l l"
  | "SExt16 l l"
  | "SExt8To64 l q"
  | "SExt16To64 l q"
  | "SExt32 l q"
  | "ZExt32 l q"
  | "TruncHigh q l"
  | `IToF ${IntegerWidth} ss`
  | `IToD ${IntegerWidth} sd`
  | `UToF ${IntegerWidth} ss`
  | `UToD ${IntegerWidth} sd`
  | `Trunc${"S" | "U"}32 ${FloatWidth} l`
  | `Trunc${"S" | "U"}64 ${FloatWidth} q`
  | "ToInt32 sd l"
  | "FloatToDouble ss sd"
  | "DoubleToFloat sd ss"
  | "BitwiseCast l ss"
  | "BitwiseCast q sd"
  | "BitwiseCast ss l"
  | "BitwiseCast sd q";

/** An index of 64 bits (x), or of 32 bits with zero (u) or sign extension (s). */
export type IndexKind = "x" | "u" | "s";
export interface ScaledIndex {
  readonly kind: IndexKind;
  /** The number of bits by which it is shifted. */
  readonly scale: number;
}

export interface AddressShape {
  /** The first part: an operand, or the stack slot whose id is the immediate's high word. */
  readonly base: "operand" | "slot";
  /** The next operand. */
  readonly index: ScaledIndex | null;
  /** Whether the immediate's low word is added. */
  readonly isDisplaced: boolean;
}

/** The operations on values of one width. */
interface ValueOperations<D extends MeaningDomain, V> {
  /** Operand k. */
  readonly use: (k: number) => V;
  /** The instruction's immediate. */
  readonly immediate: () => V;
  /** The first value if the claim holds, otherwise the second. */
  readonly choose: (claim: D["claim"], x: V, y: V) => V;
  /** The instruction's condition code holds for these values. The code is the immediate's high word. */
  readonly holds: (x: V, y: V) => D["claim"];
  /** Defines operand 0; the bits of a register above 32 are zero. */
  readonly define: (x: V) => D["effect"];
  /** Defines operand 0; the bits of a register above 32 are arbitrary. */
  readonly defineOpen: (x: V) => D["effect"];
  /** Defines operand 0 as the immediate. */
  readonly defineImmediate: () => D["effect"];
}

export interface IntegerOperations<D extends MeaningDomain, V> extends ValueOperations<D, V> {
  readonly zero: () => V;
  /** The immediate's low word, sign-extended. */
  readonly lowImmediate: () => V;
  readonly binary: (name: IntegerBinaryOpcode, x: V, y: V) => V;
  readonly unary: (name: IntegerUnaryOpcode, x: V) => V;
  readonly complement: (x: V) => V;
  /** Counts are taken modulo the width. */
  readonly shift: (name: ShiftOpcode, x: V, count: D["l"]) => V;
  /** 1 or 0. */
  readonly flag: (name: FlagComputation, x: V, y: V) => D["l"];
  /** Defines operand 0, or faults where the opcode is undefined. */
  readonly divide: (name: DivisionOpcode, x: V, y: V) => D["effect"];
  /** Defines operand 0; exits if the exact result does not fit. */
  readonly checked: (name: CheckedOpcode, x: V, y: V) => D["effect"];
  /** The instruction's condition code, `eq` or `ne`, holds for the common bits and 0. */
  readonly holdsOfBits: (x: V, y: V) => D["claim"];
  /** Reads this many bytes and extends them. */
  readonly load: (address: D["address"], bytes: number, isSigned: boolean) => V;
  /** Writes this many low bytes. */
  readonly store: (address: D["address"], bytes: number, x: V) => D["effect"];
  /** Writes the result for the old bytes and `x` (no opcode: `x`); defines operand 0 as the old bytes. */
  readonly exchange: (
    address: D["address"],
    bytes: number,
    name: IntegerBinaryOpcode | null,
    x: V,
  ) => D["effect"];
  /** Writes `x` if the old bytes are those expected; defines operand 0 as the old bytes, or as 1 or 0. */
  readonly compareAndExchange: (
    address: D["address"],
    bytes: number,
    expected: V,
    x: V,
    givesOld: boolean,
  ) => D["effect"];
}

export interface FloatOperations<D extends MeaningDomain, V> extends ValueOperations<D, V> {
  readonly binary: (name: FloatBinaryOpcode, x: V, y: V) => V;
  readonly unary: (name: FloatUnaryOpcode, x: V) => V;
  /** x * y + z, rounded once. */
  readonly fused: (x: V, y: V, z: V) => V;
  /** Rounds toward zero, as cvtt does: the least integer of that many bits if there is no result. */
  readonly truncatedOrLeast: (bits: 32 | 64, x: V) => D["q"];
  readonly load: (address: D["address"]) => V;
  readonly store: (address: D["address"], x: V) => D["effect"];
}

export interface MeaningAlgebra<D extends MeaningDomain> {
  readonly l: IntegerOperations<D, D["l"]>;
  readonly q: IntegerOperations<D, D["q"]>;
  readonly ss: FloatOperations<D, D["ss"]>;
  readonly sd: FloatOperations<D, D["sd"]>;
  /** The bits of operand k above 32. */
  readonly high: (k: number) => D["l"];
  /** The immediate's high word. */
  readonly highImmediate: () => D["q"];
  /** The low half. */
  readonly low: (x: D["q"]) => D["l"];
  /** 1 or 0. */
  readonly truth: (claim: D["claim"]) => D["l"];
  /** Operand k, extended and shifted. */
  readonly index: (index: ScaledIndex, k: number) => D["q"];
  /** The address whose first operand is operand k. */
  readonly address: (shape: AddressShape, k: number) => D["address"];
  /** The address of the stack slot whose id is the immediate's low word. */
  readonly slotAddress: () => D["q"];
  /** Defines operand 0 as the conversion of operand 1. */
  readonly convert: (conversion: ConversionOpcode) => D["effect"];
  /** Defines operand 0 as the whole number of operand 1, a Double; exits if they differ, and for -0 if exact. */
  readonly convertOrExit: (isExact: boolean) => D["effect"];
  /** Defines operand 0 by its halves. */
  readonly defineHalves: (low: D["l"], high: D["l"]) => D["effect"];
  /** Defines operand 0 as all bits of operand 1. */
  readonly copy: () => D["effect"];
  readonly exitIf: (claim: D["claim"]) => D["effect"];
  readonly exit: () => D["effect"];
  /** Continues at the first successor if the claim holds, otherwise at the second. */
  readonly branch: (claim: D["claim"]) => D["effect"];
  /** Continues at the only successor. */
  readonly jump: () => D["effect"];
  readonly nothing: () => D["effect"];
}
