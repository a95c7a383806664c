// Executes instructions on general registers (Arm ARM, DDI 0487, C6.2). W is 32 bits, and clears
// the upper half of its result; X is 64.

import { wideBits } from "../../ir/words.js";
import {
  C,
  Cell,
  type InstructionHandler,
  last,
  N,
  rotateRight,
  type SimulatedState,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  V,
  Z,
} from "./simulated-state.js";

export function setW(s: SimulatedState, at: number, value: number): void {
  const d = s.cells[at + Cell.d];
  s.words[d] = value;
  s.words[d + 1] = 0;
}

export function setX(s: SimulatedState, at: number, low: number, high: number): void {
  const d = s.cells[at + Cell.d];
  s.words[d] = low;
  s.words[d + 1] = high;
}

const n = (s: SimulatedState, at: number): number => s.cells[at + Cell.n];

// Additions. The flags of a difference are those of a + ~b + 1: C is "no borrow".

export const addW: InstructionHandler = (s, at) => {
  setW(s, at, s.words[n(s, at)] + s.words[last(s, at)]);
};

export const subW: InstructionHandler = (s, at) => {
  setW(s, at, s.words[n(s, at)] - s.words[last(s, at)]);
};

export const addX: InstructionHandler = (s, at) => {
  const { words } = s;
  const x = n(s, at);
  const y = last(s, at);
  const low = (words[x] + words[y]) | 0;
  const carry = low >>> 0 < words[x] >>> 0 ? 1 : 0;
  setX(s, at, low, words[x + 1] + words[y + 1] + carry);
};

export const subX: InstructionHandler = (s, at) => {
  const { words } = s;
  const x = n(s, at);
  const y = last(s, at);
  const borrow = words[x] >>> 0 < words[y] >>> 0 ? 1 : 0;
  setX(s, at, words[x] - words[y], words[x + 1] - words[y + 1] - borrow);
};

export const addsW: InstructionHandler = (s, at) => {
  const x = s.words[n(s, at)];
  const y = s.words[last(s, at)];
  const sum = (x + y) | 0;
  s.flags =
    (sum < 0 ? N : 0) |
    (sum === 0 ? Z : 0) |
    (sum >>> 0 < x >>> 0 ? C : 0) |
    ((x ^ sum) & (y ^ sum) & 0x8000_0000 ? V : 0);
  setW(s, at, sum);
};

export const subsW: InstructionHandler = (s, at) => {
  const x = s.words[n(s, at)];
  const y = s.words[last(s, at)];
  const difference = (x - y) | 0;
  s.flags =
    (difference < 0 ? N : 0) |
    (difference === 0 ? Z : 0) |
    (x >>> 0 >= y >>> 0 ? C : 0) |
    ((x ^ y) & (x ^ difference) & 0x8000_0000 ? V : 0);
  setW(s, at, difference);
};

export const addsX: InstructionHandler = (s, at) => {
  const { words } = s;
  const x = n(s, at);
  const y = last(s, at);
  const low = (words[x] + words[y]) | 0;
  const carry = low >>> 0 < words[x] >>> 0 ? 1 : 0;
  const xHigh = words[x + 1];
  const yHigh = words[y + 1];
  const whole = (xHigh >>> 0) + (yHigh >>> 0) + carry;
  const high = whole | 0;
  s.flags =
    (high < 0 ? N : 0) |
    ((low | high) === 0 ? Z : 0) |
    (whole > 0xffff_ffff ? C : 0) |
    ((xHigh ^ high) & (yHigh ^ high) & 0x8000_0000 ? V : 0);
  setX(s, at, low, high);
};

export const subsX: InstructionHandler = (s, at) => {
  const { words } = s;
  const x = n(s, at);
  const y = last(s, at);
  const low = (words[x] - words[y]) | 0;
  const borrow = words[x] >>> 0 < words[y] >>> 0 ? 1 : 0;
  const xHigh = words[x + 1];
  const yHigh = words[y + 1];
  const whole = (xHigh >>> 0) - (yHigh >>> 0) - borrow;
  const high = whole | 0;
  s.flags =
    (high < 0 ? N : 0) |
    ((low | high) === 0 ? Z : 0) |
    (whole >= 0 ? C : 0) |
    ((xHigh ^ yHigh) & (xHigh ^ high) & 0x8000_0000 ? V : 0);
  setX(s, at, low, high);
};

// Logical operations.

const logicalW =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    setW(s, at, apply(s.words[n(s, at)], s.words[last(s, at)]));
  };

const logicalX =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    const { words } = s;
    const x = n(s, at);
    const y = last(s, at);
    setX(s, at, apply(words[x], words[y]), apply(words[x + 1], words[y + 1]));
  };

/** Sets the flags as well; C and V become 0. */
const testedW =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    const result = apply(s.words[n(s, at)], s.words[last(s, at)]);
    s.flags = (result < 0 ? N : 0) | (result === 0 ? Z : 0);
    setW(s, at, result);
  };

const testedX =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    const { words } = s;
    const x = n(s, at);
    const y = last(s, at);
    const low = apply(words[x], words[y]);
    const high = apply(words[x + 1], words[y + 1]);
    s.flags = (high < 0 ? N : 0) | ((low | high) === 0 ? Z : 0);
    setX(s, at, low, high);
  };

const and = (x: number, y: number): number => x & y;
const bic = (x: number, y: number): number => x & ~y;
const orr = (x: number, y: number): number => x | y;
const orn = (x: number, y: number): number => x | ~y;
const eor = (x: number, y: number): number => x ^ y;
const eon = (x: number, y: number): number => x ^ ~y;

/** Indexed by opc and N of the class: and bic, orr orn, eor eon, ands bics; W, then X. */
// biome-ignore format: a table
export const LOGICAL: readonly InstructionHandler[] = [
  logicalW(and), logicalW(bic), logicalW(orr), logicalW(orn), logicalW(eor), logicalW(eon), testedW(and), testedW(bic),
  logicalX(and), logicalX(bic), logicalX(orr), logicalX(orn), logicalX(eor), logicalX(eon), testedX(and), testedX(bic),
];

/** Copies 64 bits: moves, addresses and literals decode to this. */
export const moveX: InstructionHandler = (s, at) => {
  const m = s.cells[at + Cell.m];
  setX(s, at, s.words[m], s.words[m + 1]);
};

/** Inserts 16 bits at `amount` of the result, which keeps its other bits. */
export const movkX: InstructionHandler = (s, at) => {
  const { cells, words } = s;
  const d = cells[at + Cell.d];
  const amount = cells[at + Cell.amount];
  const word = amount >= 32 ? d + 1 : d;
  const mask = 0xffff << (amount & 31);
  words[word] = (words[word] & ~mask) | (cells[at + Cell.number] << (amount & 31));
};

export const movkW: InstructionHandler = (s, at) => {
  movkX(s, at);
  setW(s, at, s.words[s.cells[at + Cell.d]]);
};

// Shifts by a register.

export const lslvW: InstructionHandler = (s, at) => {
  setW(s, at, s.words[n(s, at)] << s.words[last(s, at)]);
};
export const lsrvW: InstructionHandler = (s, at) => {
  setW(s, at, s.words[n(s, at)] >>> s.words[last(s, at)]);
};
export const asrvW: InstructionHandler = (s, at) => {
  setW(s, at, s.words[n(s, at)] >> s.words[last(s, at)]);
};
export const rorvW: InstructionHandler = (s, at) => {
  const x = s.words[n(s, at)];
  const by = s.words[last(s, at)];
  setW(s, at, (x >>> by) | (x << -by));
};

type ShiftFunction = (s: SimulatedState, low: number, high: number, by: number) => void;
const shiftX =
  (shift: ShiftFunction): InstructionHandler =>
  (s, at) => {
    const { words } = s;
    const x = n(s, at);
    shift(s, words[x], words[x + 1], words[last(s, at)] & 63);
    setX(s, at, s.low, s.high);
  };
export const lslvX: InstructionHandler = shiftX(shiftLeft);
export const lsrvX: InstructionHandler = shiftX(shiftRight);
export const asrvX: InstructionHandler = shiftX(shiftRightSigned);
export const rorvX: InstructionHandler = shiftX(rotateRight);

// Bit fields: a shift to the left by `number`, then back by `amount`. An insertion has a mask as
// its last operand.

export const ubfmW: InstructionHandler = (s, at) => {
  const { cells } = s;
  setW(s, at, (s.words[n(s, at)] << cells[at + Cell.number]) >>> cells[at + Cell.amount]);
};

export const sbfmW: InstructionHandler = (s, at) => {
  const { cells } = s;
  setW(s, at, (s.words[n(s, at)] << cells[at + Cell.number]) >> cells[at + Cell.amount]);
};

const fieldX =
  (back: ShiftFunction): InstructionHandler =>
  (s, at) => {
    const { words, cells } = s;
    const x = n(s, at);
    shiftLeft(s, words[x], words[x + 1], cells[at + Cell.number]);
    back(s, s.low, s.high, cells[at + Cell.amount]);
    setX(s, at, s.low, s.high);
  };
export const ubfmX: InstructionHandler = fieldX(shiftRight);
export const sbfmX: InstructionHandler = fieldX(shiftRightSigned);

export const bfmX: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  const d = cells[at + Cell.d];
  const mask = cells[at + Cell.m];
  const low = words[d];
  const high = words[d + 1];
  ubfmX(s, at);
  words[d] = (low & ~words[mask]) | (words[d] & words[mask]);
  words[d + 1] = (high & ~words[mask + 1]) | (words[d + 1] & words[mask + 1]);
};

export const bfmW: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  const d = cells[at + Cell.d];
  const mask = words[cells[at + Cell.m]];
  const old = words[d];
  ubfmW(s, at);
  words[d] = (old & ~mask) | (words[d] & mask);
};

export const extrW: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  const by = cells[at + Cell.amount];
  const low = words[cells[at + Cell.m]];
  setW(s, at, by === 0 ? low : (low >>> by) | (words[n(s, at)] << (32 - by)));
};

export const extrX: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  const by = cells[at + Cell.amount];
  const x = n(s, at);
  const m = cells[at + Cell.m];
  if (by === 0) {
    setX(s, at, words[m], words[m + 1]);
    return;
  }
  shiftRight(s, words[m], words[m + 1], by);
  const { low, high } = s;
  shiftLeft(s, words[x], words[x + 1], 64 - by);
  setX(s, at, s.low | low, s.high | high);
};

// Products and quotients.

export const maddW: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  setW(s, at, words[cells[at + Cell.a]] + Math.imul(words[n(s, at)], words[cells[at + Cell.m]]));
};

export const msubW: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  setW(s, at, words[cells[at + Cell.a]] - Math.imul(words[n(s, at)], words[cells[at + Cell.m]]));
};

/** Multiplies two unsigned words into `low` and `high`. */
function multiply(s: SimulatedState, x: number, y: number): void {
  const xLow = x & 0xffff;
  const xHigh = x >>> 16;
  const yLow = y & 0xffff;
  const yHigh = y >>> 16;
  const low = xLow * yLow;
  const middle = xHigh * yLow + (low >>> 16);
  const other = xLow * yHigh + (middle & 0xffff);
  s.low = Math.imul(x, y);
  s.high = (xHigh * yHigh + Math.floor(middle / 0x1_0000) + Math.floor(other / 0x1_0000)) | 0;
}

/** Computes the low 64 bits of the product into `low` and `high`. */
function multiplyX(s: SimulatedState, x: number, y: number): void {
  const { words } = s;
  multiply(s, words[x], words[y]);
  s.high = (s.high + Math.imul(words[x], words[y + 1]) + Math.imul(words[x + 1], words[y])) | 0;
}

function addProduct(s: SimulatedState, at: number): void {
  const { words, cells } = s;
  const a = cells[at + Cell.a];
  const low = (words[a] + s.low) | 0;
  const carry = low >>> 0 < s.low >>> 0 ? 1 : 0;
  setX(s, at, low, words[a + 1] + s.high + carry);
}

export const maddX: InstructionHandler = (s, at) => {
  multiplyX(s, n(s, at), s.cells[at + Cell.m]);
  addProduct(s, at);
};

export const msubX: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  multiplyX(s, n(s, at), cells[at + Cell.m]);
  const a = cells[at + Cell.a];
  const borrow = words[a] >>> 0 < s.low >>> 0 ? 1 : 0;
  setX(s, at, words[a] - s.low, words[a + 1] - s.high - borrow);
};

export const umaddl: InstructionHandler = (s, at) => {
  multiply(s, s.words[n(s, at)], s.words[s.cells[at + Cell.m]]);
  addProduct(s, at);
};

export const smaddl: InstructionHandler = (s, at) => {
  const x = s.words[n(s, at)];
  const y = s.words[s.cells[at + Cell.m]];
  multiply(s, x, y);
  s.high = (s.high - (x < 0 ? y : 0) - (y < 0 ? x : 0)) | 0;
  addProduct(s, at);
};

const signed = ({ words }: SimulatedState, x: number): bigint => wideBits(words[x], words[x + 1]);
const unsigned = (s: SimulatedState, x: number): bigint => BigInt.asUintN(64, signed(s, x));

/** Computes with big integers; these instructions are rare. */
const computedX =
  (
    read: (s: SimulatedState, x: number) => bigint,
    apply: (x: bigint, y: bigint) => bigint,
  ): InstructionHandler =>
  (s, at) => {
    const result = apply(read(s, n(s, at)), read(s, s.cells[at + Cell.m]));
    const low = Number(BigInt.asIntN(32, result));
    setX(s, at, low, Number(BigInt.asIntN(32, result >> 32n)));
  };
const quotient = (x: bigint, y: bigint): bigint => (y === 0n ? 0n : x / y);
const upperProduct = (x: bigint, y: bigint): bigint => (x * y) >> 64n;
export const sdivX: InstructionHandler = computedX(signed, quotient);
export const udivX: InstructionHandler = computedX(unsigned, quotient);
export const smulh: InstructionHandler = computedX(signed, upperProduct);
export const umulh: InstructionHandler = computedX(unsigned, upperProduct);

export const sdivW: InstructionHandler = (s, at) => {
  const divisor = s.words[s.cells[at + Cell.m]];
  setW(s, at, divisor === 0 ? 0 : s.words[n(s, at)] / divisor);
};

export const udivW: InstructionHandler = (s, at) => {
  const divisor = s.words[s.cells[at + Cell.m]] >>> 0;
  setW(s, at, divisor === 0 ? 0 : ((s.words[n(s, at)] >>> 0) / divisor) >>> 0);
};

// Operations with one operand.

function reverseBytes(x: number): number {
  return (x << 24) | ((x & 0xff00) << 8) | ((x >>> 8) & 0xff00) | (x >>> 24);
}

function reverseBits(x: number): number {
  let y = ((x >>> 1) & 0x5555_5555) | ((x & 0x5555_5555) << 1);
  y = ((y >>> 2) & 0x3333_3333) | ((y & 0x3333_3333) << 2);
  y = ((y >>> 4) & 0x0f0f_0f0f) | ((y & 0x0f0f_0f0f) << 4);
  return reverseBytes(y);
}

export const rbitW: InstructionHandler = (s, at) => {
  setW(s, at, reverseBits(s.words[n(s, at)]));
};
export const rbitX: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setX(s, at, reverseBits(s.words[x + 1]), reverseBits(s.words[x]));
};
export const revW: InstructionHandler = (s, at) => {
  setW(s, at, reverseBytes(s.words[n(s, at)]));
};
export const revX: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setX(s, at, reverseBytes(s.words[x + 1]), reverseBytes(s.words[x]));
};
export const clzW: InstructionHandler = (s, at) => {
  setW(s, at, Math.clz32(s.words[n(s, at)]));
};
export const clzX: InstructionHandler = (s, at) => {
  const x = n(s, at);
  const high = s.words[x + 1];
  setX(s, at, high === 0 ? 32 + Math.clz32(s.words[x]) : Math.clz32(high), 0);
};

/** For each condition, one bit for each value of the flags with which it holds (C1.2.4). */
const HOLDS: Int32Array = Int32Array.from({ length: 16 }, (_, condition) => {
  let bits = 0;
  for (let flags = 0; flags < 16; flags++) {
    const [isN, isZ, isC, isV] = [N, Z, C, V].map((flag) => (flags & flag) !== 0);
    const holds = [isZ, isC, isN, isV, isC && !isZ, isN === isV, isN === isV && !isZ, true];
    const isInverted = (condition & 1) === 1 && condition !== 15;
    if (holds[condition >> 1] !== isInverted) bits |= 1 << flags;
  }
  return bits;
});

/** Returns true if the condition in the instruction's `number` holds. */
export function holds(s: SimulatedState, at: number): boolean {
  return ((HOLDS[s.cells[at + Cell.number]] >>> s.flags) & 1) !== 0;
}

const selectedW =
  (otherwise: (x: number) => number): InstructionHandler =>
  (s, at) => {
    if (holds(s, at)) setW(s, at, s.words[n(s, at)]);
    else setW(s, at, otherwise(s.words[s.cells[at + Cell.m]]));
  };
export const cselW: InstructionHandler = selectedW((x) => x);
export const csincW: InstructionHandler = selectedW((x) => x + 1);
export const csinvW: InstructionHandler = selectedW((x) => ~x);
export const csnegW: InstructionHandler = selectedW((x) => -x);

const selectedX =
  (isInverted: boolean, increment: number): InstructionHandler =>
  (s, at) => {
    const { words, cells } = s;
    const isFirst = holds(s, at);
    const word = cells[at + (isFirst ? Cell.n : Cell.m)];
    if (isFirst || (!isInverted && increment === 0)) {
      setX(s, at, words[word], words[word + 1]);
      return;
    }
    const low = isInverted ? ~words[word] : words[word];
    const high = isInverted ? ~words[word + 1] : words[word + 1];
    const sum = (low + increment) | 0;
    setX(s, at, sum, high + (increment !== 0 && sum === 0 ? 1 : 0));
  };
export const cselX: InstructionHandler = selectedX(false, 0);
export const csincX: InstructionHandler = selectedX(false, 1);
export const csinvX: InstructionHandler = selectedX(true, 0);
export const csnegX: InstructionHandler = selectedX(true, 1);

// Branches. The target is in `number`, a condition in `amount`.

export const branch: InstructionHandler = (s, at) => {
  s.pc = s.cells[at + Cell.number];
};

export const branchIf: InstructionHandler = (s, at) => {
  const { cells } = s;
  if (((HOLDS[cells[at + Cell.amount]] >>> s.flags) & 1) !== 0) s.pc = cells[at + Cell.number];
};

export const branchAndLink: InstructionHandler = (s, at) => {
  s.link(s.cells[at + Cell.d]);
  s.pc = s.cells[at + Cell.number];
};

export const cbzW: InstructionHandler = (s, at) => {
  if (s.words[n(s, at)] === 0) s.pc = s.cells[at + Cell.number];
};
export const cbnzW: InstructionHandler = (s, at) => {
  if (s.words[n(s, at)] !== 0) s.pc = s.cells[at + Cell.number];
};
export const cbzX: InstructionHandler = (s, at) => {
  const x = n(s, at);
  if ((s.words[x] | s.words[x + 1]) === 0) s.pc = s.cells[at + Cell.number];
};
export const cbnzX: InstructionHandler = (s, at) => {
  const x = n(s, at);
  if ((s.words[x] | s.words[x + 1]) !== 0) s.pc = s.cells[at + Cell.number];
};

export const branchToRegister: InstructionHandler = (s, at) => {
  s.jump(n(s, at));
};

/** Reads the target before it writes the link, because both may be one register. */
export const branchToRegisterAndLink: InstructionHandler = (s, at) => {
  const { words, cells } = s;
  const x = cells[at + Cell.n];
  const m = cells[at + Cell.m];
  words[m] = words[x];
  words[m + 1] = words[x + 1];
  s.link(cells[at + Cell.d]);
  s.jump(m);
};

export const nothing: InstructionHandler = () => undefined;

/** Stops the run: the instruction is not simulated, or is invalid. */
export const unknown: InstructionHandler = (s) => {
  s.stop();
};
