// Encodes constants as immediates of ARM64 instructions. Pure functions on two int32 words, low and
// high.

/** Returns whether `add` and `sub` accept the value unshifted. */
export const isImm12 = (value: number): boolean => value >= 0 && value <= 0xfff;

/** Returns whether `add` and `sub` accept the value in their rows for multiples of 4096. */
export const isShiftedImm12 = (value: number): boolean =>
  value >= 0 && value <= 0xfff000 && (value & 0xfff) === 0;

/**
 * Returns N:immr:imms of a logical immediate (13 bits; for 32 bits N is 0), or -1 if the value is
 * none: a run of ones, rotated within an element of 2, 4, ... 64 bits that repeats (Arm ARM,
 * DecodeBitMasks). All zeros and all ones are none. `hi` is ignored for 32 bits.
 */
export function bitmaskImmediate(lo: number, hi: number, is64: boolean): number {
  let size = 64;
  let low = lo;
  let high = is64 ? hi : lo;
  if (low === high) {
    size = 32;
    while (size > 2) {
      const half = size >> 1;
      const mask = (1 << half) - 1;
      if (((low >>> half) & mask) !== (low & mask)) break;
      size = half;
      low &= mask;
    }
    high = 0;
  }
  const ones = popCount(low) + popCount(high);
  if (ones === 0 || ones === size) return -1;
  let start = trailingZeros(low, high);
  if (bitLength(low, high) - start !== ones) {
    // It is not one run, so it must wrap around: then the zeros are one run, and the ones start
    // above them.
    const notLow = size < 32 ? ~low & ((1 << size) - 1) : ~low;
    const notHigh = size === 64 ? ~high : 0;
    start = bitLength(notLow, notHigh);
    if (start - trailingZeros(notLow, notHigh) !== size - ones) return -1;
  }
  const immr = (size - start) & (size - 1);
  if (size === 64) return (1 << 12) | (immr << 6) | (ones - 1);
  return (immr << 6) | (~(2 * size - 1) & 0x3f) | (ones - 1);
}

/** Returns whether a logical instruction accepts the field; one pattern may have several fields. */
export function isBitmaskField(field: number): boolean {
  const size = elementSize(field);
  return size >= 2 && (field & (size - 1)) !== size - 1;
}

/**
 * Returns the pattern that N:immr:imms encodes, repeated to 32 or 64 bits. For listings and tests.
 */
export function bitmaskPattern(field: number, is64: boolean): bigint {
  const size = BigInt(elementSize(field));
  const ones = (BigInt(field) & (size - 1n)) + 1n;
  const rotation = BigInt(field >> 6) & (size - 1n);
  const run = (1n << ones) - 1n;
  let pattern = BigInt.asUintN(Number(size), (run >> rotation) | (run << (size - rotation)));
  for (let width = size; width < 64n; width *= 2n) pattern |= pattern << width;
  return BigInt.asUintN(is64 ? 64 : 32, pattern);
}

/** The kinds of steps that `materialize` writes. */
export const MOVZ = 0;
export const MOVN = 1;
const MOVK = 2;

/**
 * Finds the shortest sequence of `movz` or `movn` and then `movk` that produces a constant. Writes
 * it into `steps` (at least 4 long) and returns its length, 1 to 4. A step is `kind << 18 | half <<
 * 16 | imm16`.
 *
 * If `is64` is false or `hi` is 0, the steps are for a W register, whose writes clear the upper
 * half. Otherwise they are for an X register.
 */
export function materialize(lo: number, hi: number, is64: boolean, steps: Int32Array): number {
  const halves = is64 && hi !== 0 ? 4 : 2;
  let zeros = 0;
  let ones = 0;
  for (let half = 0; half < halves; half++) {
    const bits = halfOf(lo, hi, half);
    if (bits === 0) zeros++;
    else if (bits === 0xffff) ones++;
  }
  const isInverted = ones > zeros;
  const skipped = isInverted ? 0xffff : 0;
  let count = 0;
  for (let half = 0; half < halves; half++) {
    const bits = halfOf(lo, hi, half);
    if (bits === skipped) continue;
    const kind = count > 0 ? MOVK : isInverted ? MOVN : MOVZ;
    const imm16 = kind === MOVN ? bits ^ 0xffff : bits;
    steps[count++] = (kind << 18) | (half << 16) | imm16;
  }
  if (count === 0) steps[count++] = (isInverted ? MOVN : MOVZ) << 18; // all halves are skipped
  return count;
}

/** Returns how many instructions produce the constant in a register, 1 to 4. */
export function pieceCount(lo: number, hi: number, is64: boolean): number {
  const count = materialize(lo, hi, is64, pieces);
  return count > 1 && bitmaskImmediate(lo, hi, is64 && hi !== 0) >= 0 ? 1 : count;
}
const pieces = new Int32Array(4);

const halfOf = (lo: number, hi: number, half: number): number =>
  ((half < 2 ? lo : hi) >>> ((half & 1) << 4)) & 0xffff;

/**
 * Returns the bits of the repeated element: the highest bit of N:NOT(imms); below 2 the field is
 * reserved.
 */
function elementSize(field: number): number {
  const selector = ((field >> 6) & 64) | (~field & 63);
  return selector === 0 ? 0 : 1 << (31 - Math.clz32(selector));
}

function popCount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Returns the index of the lowest one; the value is not 0. */
function trailingZeros(lo: number, hi: number): number {
  return lo !== 0 ? 31 - Math.clz32(lo & -lo) : 63 - Math.clz32(hi & -hi);
}

/** Returns the index of the highest one, plus 1; the value is not 0. */
function bitLength(lo: number, hi: number): number {
  return hi !== 0 ? 64 - Math.clz32(hi) : 32 - Math.clz32(lo);
}
