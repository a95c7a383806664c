// Integer operations on numbers (32 bits) and bigints (64 bits).

import { wideBits } from "../../../src/ir/words.js";
import type {
  CheckedOpcode,
  DivisionOpcode,
  FlagComputation,
  IntegerBinaryOpcode,
  IntegerOperations,
  IntegerUnaryOpcode,
  ShiftOpcode,
} from "../meanings/algebra.js";
import { CONDITIONS } from "./concrete-conditions.js";
import type { ConcreteDomain, LirComputation } from "./concrete-domain.js";
import type { LirMachine } from "./lir-machine.js";

interface IntegerKind<V extends number | bigint> {
  readonly bits: 32 | 64;
  readonly zero: V;
  /** Reads operand k. */
  readonly operands: readonly LirComputation<V>[];
  /** Applies a function to operand k and the next operand, or to operand k and another value. */
  readonly ofOperands: (compute: (x: V, y: V) => V, k: number) => LirComputation<V>;
  readonly ofOperandAnd: (
    compute: (x: V, y: V) => V,
    k: number,
    y: LirComputation<V>,
  ) => LirComputation<V>;
  readonly holdsOfOperands: (k: number) => LirComputation<boolean>;
  readonly immediate: LirComputation<V>;
  readonly lowImmediate: LirComputation<V>;
  readonly define: (x: LirComputation<V>) => (m: LirMachine) => void;
  readonly defineOpen: (x: LirComputation<V>) => (m: LirMachine) => void;
  readonly defineImmediate: (m: LirMachine) => void;
  readonly set: (m: LirMachine, value: V) => void;
  readonly toWide: (value: V) => bigint;
  /** Converts from 64 bits, with wrapping. */
  readonly ofWide: (value: bigint) => V;
  readonly unsigned: (value: V) => V;
  readonly binary: { readonly [N in IntegerBinaryOpcode]: (x: V, y: V) => V };
  readonly unary: { readonly [N in IntegerUnaryOpcode]: (x: V) => V };
  readonly shift: { readonly [N in ShiftOpcode]: (x: V, count: number) => V };
  readonly complement: (x: V) => V;
  readonly and: (x: V, y: V) => V;
  readonly memory: { readonly [bytes: number]: MemoryKind<V> };
}

/** Accesses of some bytes; a read is unsigned unless it has all bytes of the width. */
interface MemoryKind<V> {
  readonly read: (m: LirMachine, address: bigint) => V;
  readonly write: (m: LirMachine, address: bigint, value: V) => void;
  readonly signed: (value: V) => V;
  /** The low bytes as a value that equals that of the same bytes only. */
  readonly low: (value: V) => V;
}

// Counts are taken modulo the width.
const WIDE_COUNTS: readonly bigint[] = Array.from({ length: 64 }, (_, n) => BigInt(n));
const count64 = (count: number): bigint => WIDE_COUNTS[count & 63];
const rotate32 = (x: number, left: number): number =>
  (left & 31) === 0 ? x : (x << left) | (x >>> -left);
const rotate64 = (x: bigint, left: number): bigint => {
  const bits = BigInt.asUintN(64, x);
  return (bits << count64(left)) | (bits >> (64n - count64(left)));
};

/** Returns the upper half of the full product. */
const highProduct32 = (x: number, y: number, isSigned: boolean): number => {
  const wide = (value: number): bigint => BigInt(isSigned ? value : value >>> 0);
  return Number(BigInt.asIntN(32, (wide(x) * wide(y)) >> 32n));
};
const highProduct64 = (x: bigint, y: bigint, isSigned: boolean): bigint => {
  const wide = (value: bigint): bigint => (isSigned ? value : BigInt.asUintN(64, value));
  return BigInt.asIntN(64, (wide(x) * wide(y)) >> 64n);
};

/** Returns the remainder with the divisor's sign. */
function floorRemainder(x: bigint, y: bigint): bigint {
  const rest = x % y;
  return rest * y < 0n ? rest + y : rest;
}

const above32 = (x: number, y: number): boolean => x >>> 0 > y >>> 0;
const above64 = (x: bigint, y: bigint): boolean => BigInt.asUintN(64, x) > BigInt.asUintN(64, y);

const leading32 = (x: number): number => Math.clz32(x);
const trailing32 = (x: number): number => (x === 0 ? 32 : 31 - Math.clz32(x & -x));
const ones32 = (x: number): number => {
  let count = 0;
  for (let rest = x; rest !== 0; rest &= rest - 1) count++;
  return count;
};
const halves = (x: bigint): [lo: number, hi: number] => [
  Number(BigInt.asIntN(32, x)),
  Number(x >> 32n),
];
const leading64 = (x: bigint): bigint => {
  const [lo, hi] = halves(x);
  return BigInt(hi !== 0 ? leading32(hi) : 32 + leading32(lo));
};
const trailing64 = (x: bigint): bigint => {
  const [lo, hi] = halves(x);
  return BigInt(lo !== 0 ? trailing32(lo) : 32 + trailing32(hi));
};
const ones64 = (x: bigint): bigint => {
  const [lo, hi] = halves(x);
  return BigInt(ones32(lo) + ones32(hi));
};

const VIEW = new DataView(new ArrayBuffer(8));
/** Reverses bytes: writes one byte order and reads the other. */
function swapped32(x: number): number {
  VIEW.setInt32(0, x, true);
  return VIEW.getInt32(0, false);
}
function swapped64(x: bigint): bigint {
  VIEW.setBigInt64(0, x, true);
  return VIEW.getBigInt64(0, false);
}

const wide = (x: number): bigint => BigInt(x >>> 0);
const unsignedNarrow = (x: number): number => x >>> 0;
const unsignedWide = (x: bigint): bigint => BigInt.asUintN(64, x);
/** The numbers of operands that a row can read. */
const OPERANDS = [0, 1, 2, 3, 4, 5] as const;

// biome-ignore format: a table
const NARROW: IntegerKind<number> = {
  bits: 32,
  zero: 0,
  operands: OPERANDS.map((k) => (m) => m.low(k)),
  ofOperands: (compute, k) => (m) => compute(m.low(k), m.low(k + 1)),
  ofOperandAnd: (compute, k, y) => (m) => compute(m.low(k), y(m)),
  holdsOfOperands: (k) => (m) => CONDITIONS[m.hi](m.low(k), m.low(k + 1), unsignedNarrow),
  immediate: (m) => m.lo,
  lowImmediate: (m) => m.lo,
  define: (x) => (m) => m.setLow(0, x(m)),
  defineOpen: (x) => (m) => m.setOnlyLow(0, x(m)),
  defineImmediate: (m) => m.setLow(0, m.lo),
  set: (m, value) => m.setLow(0, value),
  toWide: (value) => BigInt(value),
  ofWide: (value) => Number(BigInt.asIntN(32, value)),
  unsigned: unsignedNarrow,
  complement: (x) => ~x,
  and: (x, y) => x & y,
  binary: {
    Add: (x, y) => (x + y) | 0, Sub: (x, y) => (x - y) | 0, Mul: (x, y) => Math.imul(x, y),
    BitAnd: (x, y) => x & y, BitOr: (x, y) => x | y, BitXor: (x, y) => x ^ y,
    Min: (x, y) => (x > y ? y : x), Max: (x, y) => (x > y ? x : y),
    UMin: (x, y) => (above32(x, y) ? y : x), UMax: (x, y) => (above32(x, y) ? x : y),
    MulHigh: (x, y) => highProduct32(x, y, true), UMulHigh: (x, y) => highProduct32(x, y, false),
    // By 0 the results are 0; of MIN by -1 they are MIN and 0.
    ChillDiv: (x, y) => (y === 0 ? 0 : (x / y) | 0), ChillMod: (x, y) => (y === 0 ? 0 : (x % y) | 0),
    UDivOrZero: (x, y) => (y === 0 ? 0 : ((x >>> 0) / (y >>> 0)) | 0),
    ModOrDividend: (x, y) => (y === 0 ? x : (x % y) | 0),
    UModOrDividend: (x, y) => (y === 0 ? x : ((x >>> 0) % (y >>> 0)) | 0),
    FloorModOrDividend: (x, y) => (y === 0 ? x : Number(floorRemainder(BigInt(x), BigInt(y)))),
  },
  unary: {
    Neg: (x) => -x | 0, ByteSwap: swapped32, Depend: () => 0,
    PopCnt: ones32, Clz: leading32, Ctz: trailing32,
  },
  shift: {
    Shl: (x, y) => x << y, SShr: (x, y) => x >> y, ZShr: (x, y) => (x >>> y) | 0,
    RotL: rotate32, RotR: (x, y) => rotate32(x, -y),
  },
  memory: {
    1: { read: (m, at) => m.readByte(at), write: (m, at, x) => m.writeByte(at, x & 0xff), signed: (x) => (x << 24) >> 24, low: (x) => x & 0xff },
    2: { read: (m, at) => m.readHalf(at), write: (m, at, x) => m.writeHalf(at, x & 0xffff), signed: (x) => (x << 16) >> 16, low: (x) => x & 0xffff },
    4: { read: (m, at) => m.readWord(at), write: (m, at, x) => m.writeWord(at, x), signed: (x) => x, low: (x) => x },
  },
};

// biome-ignore format: a table
const WIDE: IntegerKind<bigint> = {
  bits: 64,
  zero: 0n,
  operands: OPERANDS.map((k) => (m) => m.wideOf(k)),
  ofOperands: (compute, k) => (m) => compute(m.wideOf(k), m.wideOf(k + 1)),
  ofOperandAnd: (compute, k, y) => (m) => compute(m.wideOf(k), y(m)),
  holdsOfOperands: (k) => (m) => CONDITIONS[m.hi](m.wideOf(k), m.wideOf(k + 1), unsignedWide),
  immediate: (m) => wideBits(m.lo, m.hi),
  lowImmediate: (m) => BigInt(m.lo),
  define: (x) => (m) => m.setWideOf(0, x(m)),
  defineOpen: (x) => (m) => m.setWideOf(0, x(m)),
  defineImmediate: (m) => m.setWords(0, m.lo, m.hi),
  set: (m, value) => m.setWideOf(0, value),
  toWide: (value) => value,
  ofWide: (value) => BigInt.asIntN(64, value),
  unsigned: unsignedWide,
  complement: (x) => ~x,
  and: (x, y) => x & y,
  binary: {
    Add: (x, y) => x + y, Sub: (x, y) => x - y, Mul: (x, y) => x * y,
    BitAnd: (x, y) => x & y, BitOr: (x, y) => x | y, BitXor: (x, y) => x ^ y,
    Min: (x, y) => (x > y ? y : x), Max: (x, y) => (x > y ? x : y),
    UMin: (x, y) => (above64(x, y) ? y : x), UMax: (x, y) => (above64(x, y) ? x : y),
    MulHigh: (x, y) => highProduct64(x, y, true), UMulHigh: (x, y) => highProduct64(x, y, false),
    ChillDiv: (x, y) => (y === 0n ? 0n : x / y), ChillMod: (x, y) => (y === 0n ? 0n : x % y),
    UDivOrZero: (x, y) => (y === 0n ? 0n : BigInt.asUintN(64, x) / BigInt.asUintN(64, y)),
    ModOrDividend: (x, y) => (y === 0n ? x : x % y),
    UModOrDividend: (x, y) => (y === 0n ? x : BigInt.asUintN(64, x) % BigInt.asUintN(64, y)),
    FloorModOrDividend: (x, y) => (y === 0n ? x : floorRemainder(x, y)),
  },
  unary: {
    Neg: (x) => -x, ByteSwap: swapped64, Depend: () => 0n,
    PopCnt: ones64, Clz: leading64, Ctz: trailing64,
  },
  shift: {
    Shl: (x, y) => x << count64(y), SShr: (x, y) => x >> count64(y),
    ZShr: (x, y) => BigInt.asUintN(64, x) >> count64(y),
    RotL: rotate64, RotR: (x, y) => rotate64(x, -y),
  },
  memory: {
    1: { read: (m, at) => BigInt(m.readByte(at)), write: (m, at, x) => m.writeByte(at, Number(x & 0xffn)), signed: (x) => BigInt.asIntN(8, x), low: (x) => x & 0xffn },
    2: { read: (m, at) => BigInt(m.readHalf(at)), write: (m, at, x) => m.writeHalf(at, Number(x & 0xffffn)), signed: (x) => BigInt.asIntN(16, x), low: (x) => x & 0xffffn },
    4: { read: (m, at) => wide(m.readWord(at)), write: (m, at, x) => m.writeWord(at, Number(BigInt.asIntN(32, x))), signed: (x) => BigInt.asIntN(32, x), low: (x) => x & 0xffff_ffffn },
    8: { read: (m, at) => m.readWide(at), write: (m, at, x) => m.writeWide(at, x), signed: (x) => x, low: (x) => BigInt.asIntN(64, x) },
  },
};

type ExactOperation = (x: bigint, y: bigint) => bigint;
// biome-ignore format: a table
const EXACT: { readonly [N in CheckedOpcode | Exclude<FlagComputation, "AddCarries">]: ExactOperation } = {
  CheckAdd: (x, y) => x + y, AddOverflows: (x, y) => x + y,
  CheckSub: (x, y) => x - y, SubOverflows: (x, y) => x - y,
  CheckMul: (x, y) => x * y, MulOverflows: (x, y) => x * y,
};

// biome-ignore format: a table
const DIVISIONS: { readonly [N in DivisionOpcode]: { readonly isSigned: boolean; readonly exact: ExactOperation } } = {
  Div:      { isSigned: true,  exact: (x, y) => x / y },
  Mod:      { isSigned: true,  exact: (x, y) => x % y },
  UDiv:     { isSigned: false, exact: (x, y) => x / y },
  UMod:     { isSigned: false, exact: (x, y) => x % y },
  FloorMod: { isSigned: true,  exact: floorRemainder },
};

/** Returns the operations that compute with exact integers. */
function exactOperations<V extends number | bigint>({
  bits,
  toWide,
  ofWide,
  set,
}: IntegerKind<V>): Pick<
  IntegerOperations<ConcreteDomain, LirComputation<V>>,
  "flag" | "divide" | "checked"
> {
  const natural = (x: V): bigint => BigInt.asUintN(bits, toWide(x));
  const fits = (exact: bigint): boolean => BigInt.asIntN(bits, exact) === exact;
  return {
    flag(name, x, y) {
      if (name === "AddCarries") {
        return (m) => ((natural(x(m)) + natural(y(m))) >> BigInt(bits) === 0n ? 0 : 1);
      }
      const exact = EXACT[name];
      return (m) => (fits(exact(toWide(x(m)), toWide(y(m)))) ? 0 : 1);
    },
    divide(name, x, y) {
      const { isSigned, exact } = DIVISIONS[name];
      const wideOf = isSigned ? toWide : natural;
      return (m) => {
        const [dividend, divisor] = [wideOf(x(m)), wideOf(y(m))];
        if (divisor === 0n || (isSigned && !fits(dividend / divisor))) m.fault("divide");
        else set(m, ofWide(exact(dividend, divisor)));
      };
    },
    // The result is defined before the guard fails, as on the machines.
    checked(name, x, y) {
      const compute = EXACT[name];
      return (m) => {
        const exact = compute(toWide(x(m)), toWide(y(m)));
        set(m, ofWide(exact));
        if (!fits(exact)) m.exit();
      };
    },
  };
}

type MemoryOperation = "load" | "store" | "exchange" | "compareAndExchange";

function memoryOperations<V extends number | bigint>({
  set,
  memory,
  binary,
}: IntegerKind<V>): Pick<IntegerOperations<ConcreteDomain, LirComputation<V>>, MemoryOperation> {
  return {
    load(address, bytes, isSigned) {
      const { read, signed } = memory[bytes];
      return isSigned ? (m) => signed(read(m, address(m))) : (m) => read(m, address(m));
    },
    store(address, bytes, x) {
      const { write } = memory[bytes];
      return (m) => write(m, address(m), x(m));
    },
    exchange(address, bytes, name, x) {
      const { read, write } = memory[bytes];
      const compute = name === null ? (_: V, y: V): V => y : binary[name];
      return (m) => {
        const at = address(m);
        const operand = x(m);
        const old = read(m, at);
        write(m, at, compute(old, operand));
        set(m, old);
      };
    },
    compareAndExchange(address, bytes, expected, x, givesOld) {
      const { read, write, low } = memory[bytes];
      return (m) => {
        const at = address(m);
        const [first, second] = [expected(m), x(m)];
        const old = read(m, at);
        const isExpected = low(old) === low(first);
        if (isExpected) write(m, at, second);
        if (givesOld) set(m, old);
        else m.setLow(0, isExpected ? 1 : 0);
      };
    },
  };
}

function integers<V extends number | bigint>(
  kind: IntegerKind<V>,
): IntegerOperations<ConcreteDomain, LirComputation<V>> {
  const { zero, operands, unsigned, complement, and } = kind;
  // Operands that a row reads directly cost no call.
  const isPair = (x: LirComputation<V>, y: LirComputation<V>): boolean => {
    const k = operands.indexOf(x);
    return k >= 0 && operands[k + 1] === y;
  };
  const applied = (
    compute: (x: V, y: V) => V,
    x: LirComputation<V>,
    y: LirComputation<V>,
  ): LirComputation<V> => {
    const k = operands.indexOf(x);
    if (isPair(x, y)) return kind.ofOperands(compute, k);
    return k >= 0 ? kind.ofOperandAnd(compute, k, y) : (m) => compute(x(m), y(m));
  };
  return {
    use: (k) => operands[k],
    immediate: () => kind.immediate,
    lowImmediate: () => kind.lowImmediate,
    zero: () => () => zero,
    choose: (claim, x, y) => (m) => (claim(m) ? x(m) : y(m)),
    holds(x, y) {
      if (isPair(x, y)) return kind.holdsOfOperands(operands.indexOf(x));
      return (m) => CONDITIONS[m.hi](x(m), y(m), unsigned);
    },
    holdsOfBits: (x, y) => (m) => CONDITIONS[m.hi](and(x(m), y(m)), zero, unsigned),
    define: kind.define,
    defineOpen: kind.defineOpen,
    defineImmediate: () => kind.defineImmediate,
    complement: (x) => (m) => complement(x(m)),
    binary: (name, x, y) => applied(kind.binary[name], x, y),
    unary(name, x) {
      const compute = kind.unary[name];
      return (m) => compute(x(m));
    },
    shift(name, x, count) {
      const compute = kind.shift[name];
      return (m) => compute(x(m), count(m));
    },
    ...exactOperations(kind),
    ...memoryOperations(kind),
  };
}

export const L = integers(NARROW);
export const Q = integers(WIDE);
