// Computes x * y + z of floats with one rounding. Integers hold the exact sum.

/** A float format: its significant binary digits, and the exponent of its least positive number. */
interface FloatFormat {
  readonly digits: number;
  readonly least: number;
}

export const FORMATS = {
  Float: { digits: 24, least: -149 },
  Double: { digits: 53, least: -1074 },
} as const satisfies Record<string, FloatFormat>;

/** An integer times a power of two. */
interface ExactNumber {
  readonly whole: bigint;
  readonly exponent: number;
}

/** Returns x * y + z, rounded once to the format of the operands. */
export function fusedMulAdd(x: number, y: number, z: number, format: FloatFormat): number {
  // The plain expression is exact here. If z is infinite, the product may overflow to an infinity although it is
  // finite; so z is returned below.
  if (!Number.isFinite(x) || !Number.isFinite(y) || x === 0 || y === 0) return x * y + z;
  if (!Number.isFinite(z)) return z;
  const [a, b, c] = [exactOf(x), exactOf(y), exactOf(z)];
  const product = { whole: a.whole * b.whole, exponent: a.exponent + b.exponent };
  const exponent = Math.min(product.exponent, c.exponent);
  const whole = scaled(product, exponent) + scaled(c, exponent);
  // The sum of two opposite numbers is +0; neither is zero here.
  if (whole === 0n) return 0;
  return rounded({ whole, exponent }, format);
}

const scaled = ({ whole, exponent }: ExactNumber, unit: number): bigint =>
  whole << BigInt(exponent - unit);

const view = new DataView(new ArrayBuffer(8));

function exactOf(x: number): ExactNumber {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const size = field === 0 ? fraction : fraction | (1n << 52n);
  return { whole: x < 0 ? -size : size, exponent: Math.max(field, 1) - 1075 };
}

// Rounds to the digits of the format, or to a multiple of its least number, to nearest even. An integer of this many
// digits times a power of two is exact, or exceeds the greatest number of the format.
function rounded({ whole, exponent }: ExactNumber, { digits, least }: FloatFormat): number {
  const size = whole < 0n ? -whole : whole;
  const unit = Math.max(exponent + size.toString(2).length - digits, least, exponent);
  const cut = BigInt(unit - exponent);
  const kept = size >> cut;
  const twiceRest = (size - (kept << cut)) << 1n;
  const one = 1n << cut;
  const isUp = twiceRest > one || (twiceRest === one && (kept & 1n) === 1n);
  const number = Number(isUp ? kept + 1n : kept) * 2 ** unit;
  return whole < 0n ? -number : number;
}
