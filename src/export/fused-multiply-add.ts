// Defines x * y + z with one rounding for formats without such an instruction, as scripts
// (expressions.ts).

/**
 * Computes in Doubles. The product is exact, and so is the rounding error `e` of the sum. If the
 * sum's last bit is even and `e` is not zero, the sum moves to the odd neighbour on that side. The
 * rounding to a Float is then correct.
 */
export const FUSED_FLOATS = [
  "p = Mul(FloatToDouble(x), FloatToDouble(y)); c = FloatToDouble(z); s = Add(p, c); b = Sub(s, p)",
  "e = Add(Sub(c, b), Sub(p, Sub(s, b))); i = BitwiseCast(PurifyNaN(s))",
  "d = Select.Int64(BitXor(LessThan(e, 0), LessThan(i, 0)), -1, 1)",
  "o = BitAnd(BitOr(LessThan(e, 0), GreaterThan(e, 0)), Equal(BitAnd(i, 1), 0))",
  "DoubleToFloat(BitwiseCast(Select(o, Add(i, d), i)))",
].join("; ");

// Splits the bits of a finite number into a normalized 64-bit significand and the exponent for it.
const split = (x: string): string =>
  [
    `${x}b = BitwiseCast(PurifyNaN(${x})); ${x}a = BitAnd(${x}b, 0x7fffffffffffffff); ${x}f = ZShr(${x}a, 52)`,
    `${x}i = BitOr(BitAnd(${x}a, 0xfffffffffffff), 0x10000000000000); ${x}s = Select(${x}f, ${x}i, ${x}a)`,
    `${x}c = Clz(${x}s); ${x}m = Shl(${x}s, Trunc(${x}c)); ${x}e = Sub(Select(${x}f, ${x}f, 1), Sub(${x}c, 11))`,
  ].join("; ");

/** Returns an expression that is 1 if the integer is not zero. */
const trace = (x: string): string => `ZExt32(NotEqual(${x}, 0))`;
/** Returns an expression that is 1 if shifting m right by `count` bits loses a set bit. */
const lost = (m: string, count: string): string =>
  `ZExt32(NotEqual(Shl(ZShr(${m}, ${count}), ${count}), ${m}))`;
/** Returns a shift to the left by 64 less the count; the count may be 0. */
const rest = (x: string, count: string): string => `Shl(Shl(${x}, 1), BitXor(${count}, 63))`;

/**
 * Computes in 128-bit integers. The product or summand with the smaller exponent is shifted right
 * into k and l. The last bit of l is set if the shift loses a set bit.
 */
export const FUSED_DOUBLES = [
  ...["x", "y", "z"].map(split),
  // Product and summand, with bit 127 clear.
  "h = ZShr(xm, 1); ph = UMulHigh(h, ym); pl = Mul(h, ym); pe = Sub(Add(xe, ye), 1022); zh = ZShr(zm, 1)",
  "d = Sub(pe, ze); w = LessThan(d, 0); n = Select(w, Neg(d), d); e = Select(w, ze, pe)",
  "ah = Select(w, zh, ph); al = Select(w, 0, pl); bh = Select(w, ph, zh); bl = Select(w, pl, 0)",
  // The shift: by a whole word, then by the remaining count; all bits vanish if the count is too
  // large.
  `g = AboveEqual(n, 64); i = Select(g, BitOr(bh, ${trace("bl")}), bl); j = Select(g, 0, bh); q = Select(g, Sub(n, 64), n)`,
  `t = Trunc(q); r = BitOr(BitOr(ZShr(i, t), ${rest("j", "t")}), ${lost("i", "t")}); f = AboveEqual(q, 64)`,
  `k = Select(f, 0, ZShr(j, t)); l = Select(f, ${trace("i")}, r)`,
  // The sum, and the absolute value of the difference.
  "o = LessThan(BitXor(BitXor(xb, yb), zb), 0); sl = Add(al, l); sh = Add(Add(ah, k), ZExt32(Below(sl, al)))",
  "dl = Sub(al, l); dh = Sub(Sub(ah, k), ZExt32(Below(al, l))); m = LessThan(dh, 0)",
  `nl = Select(m, Neg(dl), dl); nh = Select(m, Sub(Neg(dh), ${trace("dl")}), dh)`,
  "ul = Select(o, nl, sl); uh = Select(o, nh, sh)",
  "v = BitXor(LessThan(Select(w, zb, BitXor(xb, yb)), 0), BitAnd(o, m))",
  // Normalizes into one word. The last bit records the set bits below.
  "hl = Select(uh, uh, ul); ll = Select(uh, ul, 0); ee = Sub(e, Select.Int64(uh, 0, 64)); c = Clz(hl); tc = Trunc(c)",
  `mm = BitOr(BitOr(Shl(hl, tc), ZShr(ZShr(ll, 1), BitXor(tc, 63))), ${trace("Shl(ll, tc)")}); ef = Sub(ee, c)`,
  // Rounds, after the shift of a subnormal result.
  "m2 = BitOr(ZShr(mm, 1), BitAnd(mm, 1)); u = LessThan(ef, 0)",
  "ct = Trunc(Select(u, Select(LessThan(ef, -63), 63, Neg(ef)), 0))",
  `m3 = BitOr(ZShr(m2, ct), ${lost("m2", "ct")}); m4 = Add(Add(m3, BitAnd(ZShr(m3, 10), 1)), 511)`,
  "bb = Add(ZShr(m4, 10), Shl(Select(u, 0, ef), 52)); bo = Select(GreaterEqual(ef, 2046), 0x7ff0000000000000, bb)",
  "bs = Select(BitOr(uh, ul), BitOr(bo, Shl(ZExt32(v), 63)), 0)",
  // If a factor is zero or not finite, separate multiplication and addition are exact.
  "ok = BitAnd(Below(Sub(xa, 1), 0x7fefffffffffffff), Below(Sub(ya, 1), 0x7fefffffffffffff))",
  "fz = Select(Below(za, 0x7ff0000000000000), BitwiseCast(bs), Add(z, z))",
  "Select(ok, fz, Add(Mul(x, y), z))",
].join("; ");
