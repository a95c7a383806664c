// Defines the head of each exported C file and the helpers of the rows. A file contains only the
// helpers that it calls. No helper is undefined for any operand.

import { HEAP_BASE } from "../../ir/outcome.js";
import { keptOf, recordsOf } from "../main-program.js";

const HEAD = `// Made by Touchstone. C11; compile with -ffp-contract=off -fno-math-errno and -lm.
${recordsOf("static")}${keptOf("static")}#include <math.h>
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__GNUC__)
#define T_NOINLINE __attribute__((noinline))
#else
#define T_NOINLINE
#endif

`;

const HELPERS = `\
static float t_float(uint32_t x) { float y; memcpy(&y, &x, 4); return y; }
static double t_double(uint64_t x) { double y; memcpy(&y, &x, 8); return y; }
static uint32_t t_bits32(float x) { uint32_t y; memcpy(&y, &x, 4); return y; }
static uint64_t t_bits64(double x) { uint64_t y; memcpy(&y, &x, 8); return y; }

// A compiler without atomic builtins optimizes too little for a fence to matter.
#if defined(__GNUC__) && !defined(__TINYC__)
#define t_fence_loads() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define t_fence_stores() __atomic_thread_fence(__ATOMIC_RELEASE)
#define t_fence_all() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define t_fence_loads() ((void)0)
#define t_fence_stores() ((void)0)
#define t_fence_all() ((void)0)
#endif

// A compiler that negates by subtraction leaves the sign of a NaN, and makes it quiet.
#if defined(__TINYC__)
static float t_negf(float x) { return t_float(t_bits32(x) ^ 0x80000000u); }
static double t_neg(double x) { return t_double(t_bits64(x) ^ 0x8000000000000000u); }
#else
static float t_negf(float x) { return -x; }
static double t_neg(double x) { return -x; }
#endif

static uint32_t t_truncs32(double x) {
  return x != x ? 0 : x > -2147483649.0 && x < 2147483648.0 ? (uint32_t)(int32_t)x : x < 0 ? 0x80000000u : 0x7fffffffu;
}
static uint32_t t_truncu32(double x) {
  return x > -1.0 && x < 4294967296.0 ? (uint32_t)x : x > 0 ? 0xffffffffu : 0;
}
static uint64_t t_truncs64(double x) {
  return x != x ? 0
    : x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (uint64_t)(int64_t)x
    : x < 0 ? 0x8000000000000000u : 0x7fffffffffffffffu;
}
static uint64_t t_truncu64(double x) {
  return x > -1.0 && x < 18446744073709551616.0 ? (uint64_t)x : x > 0 ? 0xffffffffffffffffu : 0;
}

static uint32_t t_mulhigh32(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)((int64_t)(int32_t)x * (int32_t)y) >> 32); }
static uint32_t t_umulhigh32(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * y >> 32); }
#if defined(__SIZEOF_INT128__)
static uint64_t t_umulhigh64(uint64_t x, uint64_t y) { return (uint64_t)((unsigned __int128)x * y >> 64); }
static uint64_t t_mulhigh64(uint64_t x, uint64_t y) {
  return (uint64_t)((unsigned __int128)((__int128)(int64_t)x * (int64_t)y) >> 64);
}
#else
static uint64_t t_umulhigh64(uint64_t x, uint64_t y) {
  uint64_t a = x & 0xffffffffu, b = x >> 32, c = y & 0xffffffffu, d = y >> 32;
  uint64_t m = b * c + (a * c >> 32), n = a * d + (m & 0xffffffffu);
  return b * d + (m >> 32) + (n >> 32);
}
static uint64_t t_mulhigh64(uint64_t x, uint64_t y) {
  return t_umulhigh64(x, y) - (x >> 63 ? y : 0) - (y >> 63 ? x : 0);
}
#endif

#if defined(__GNUC__) && !defined(__TINYC__)
static uint32_t t_byteswap32(uint32_t x) { return __builtin_bswap32(x); }
static uint64_t t_byteswap64(uint64_t x) { return __builtin_bswap64(x); }
static uint32_t t_clz32(uint32_t x) { return x == 0 ? 32 : (uint32_t)__builtin_clz(x); }
static uint64_t t_clz64(uint64_t x) { return x == 0 ? 64 : (uint64_t)__builtin_clzll(x); }
static uint32_t t_ctz32(uint32_t x) { return x == 0 ? 32 : (uint32_t)__builtin_ctz(x); }
static uint64_t t_ctz64(uint64_t x) { return x == 0 ? 64 : (uint64_t)__builtin_ctzll(x); }
static uint32_t t_popcount32(uint32_t x) { return (uint32_t)__builtin_popcount(x); }
static uint64_t t_popcount64(uint64_t x) { return (uint64_t)__builtin_popcountll(x); }
static uint32_t t_addoverflows32(uint32_t x, uint32_t y) { int32_t r; return __builtin_add_overflow((int32_t)x, (int32_t)y, &r); }
static uint32_t t_addoverflows64(uint64_t x, uint64_t y) { int64_t r; return __builtin_add_overflow((int64_t)x, (int64_t)y, &r); }
static uint32_t t_suboverflows32(uint32_t x, uint32_t y) { int32_t r; return __builtin_sub_overflow((int32_t)x, (int32_t)y, &r); }
static uint32_t t_suboverflows64(uint64_t x, uint64_t y) { int64_t r; return __builtin_sub_overflow((int64_t)x, (int64_t)y, &r); }
static uint32_t t_muloverflows32(uint32_t x, uint32_t y) { int32_t r; return __builtin_mul_overflow((int32_t)x, (int32_t)y, &r); }
static uint32_t t_muloverflows64(uint64_t x, uint64_t y) { int64_t r; return __builtin_mul_overflow((int64_t)x, (int64_t)y, &r); }
#else
static uint64_t t_byteswap64(uint64_t x) { uint64_t y = 0; for (int i = 0; i < 8; i++, x >>= 8) y = y << 8 | (x & 0xff); return y; }
static uint32_t t_byteswap32(uint32_t x) { return (uint32_t)(t_byteswap64(x) >> 32); }
static uint64_t t_clz64(uint64_t x) { uint64_t n = 64; while (x != 0) { x >>= 1; n--; } return n; }
static uint32_t t_clz32(uint32_t x) { return (uint32_t)t_clz64(x) - 32; }
static uint64_t t_popcount64(uint64_t x) { uint64_t n = 0; while (x != 0) { x &= x - 1; n++; } return n; }
static uint32_t t_popcount32(uint32_t x) { return (uint32_t)t_popcount64(x); }
static uint64_t t_ctz64(uint64_t x) { return t_popcount64(~x & (x - 1)); }
static uint32_t t_ctz32(uint32_t x) { return t_popcount32(~x & (x - 1)); }
static uint32_t t_addoverflows32(uint32_t x, uint32_t y) { uint32_t r = x + y; return ((x ^ r) & (y ^ r)) >> 31; }
static uint32_t t_addoverflows64(uint64_t x, uint64_t y) { uint64_t r = x + y; return ((x ^ r) & (y ^ r)) >> 63; }
static uint32_t t_suboverflows32(uint32_t x, uint32_t y) { uint32_t r = x - y; return ((x ^ y) & (x ^ r)) >> 31; }
static uint32_t t_suboverflows64(uint64_t x, uint64_t y) { uint64_t r = x - y; return ((x ^ y) & (x ^ r)) >> 63; }
static uint32_t t_muloverflows32(uint32_t x, uint32_t y) { int64_t r = (int64_t)(int32_t)x * (int32_t)y; return r != (int32_t)r; }
static uint32_t t_muloverflows64(uint64_t x, uint64_t y) {
  return t_mulhigh64(x, y) != (uint64_t)((int64_t)(x * y) >> 63);
}
#endif

static uint32_t t_load8z(const uint8_t *p) { return *p; }
static uint32_t t_load8s(const uint8_t *p) { return (uint32_t)(int8_t)*p; }
static uint32_t t_load16z(const uint8_t *p) { uint16_t x; memcpy(&x, p, 2); return x; }
static uint32_t t_load16s(const uint8_t *p) { int16_t x; memcpy(&x, p, 2); return (uint32_t)x; }
static uint32_t t_load_Int32(const uint8_t *p) { uint32_t x; memcpy(&x, p, 4); return x; }
static uint64_t t_load_Int64(const uint8_t *p) { uint64_t x; memcpy(&x, p, 8); return x; }
static float t_load_Float(const uint8_t *p) { float x; memcpy(&x, p, 4); return x; }
static double t_load_Double(const uint8_t *p) { double x; memcpy(&x, p, 8); return x; }
static void t_store8(uint8_t *p, uint32_t x) { *p = (uint8_t)x; }
static void t_store16(uint8_t *p, uint32_t x) { uint16_t y = (uint16_t)x; memcpy(p, &y, 2); }
static void t_store_Int64(uint8_t *p, uint64_t x) { memcpy(p, &x, 8); }
static void t_store_Float(uint8_t *p, float x) { memcpy(p, &x, 4); }
static void t_store_Double(uint8_t *p, double x) { memcpy(p, &x, 8); }
`;

const HEAP = `
#define T_HEAP_BASE UINT64_C(${HEAP_BASE})
`;

/**
 * One part of the helpers' text: a definition, or a line without one. Both branches of an `#if` may
 * define the same helper.
 */
interface HelperText {
  readonly text: string;
  /** The defined name; null for a preprocessor line, a comment or an empty line. */
  readonly name: string | null;
}

const DEFINITION = /^(?:static |#define )[\w ]*?\*?(t_\w+)\(/;
const NAMES = /\bt_\w+/g;
const CHUNKS: readonly HelperText[] = chunksOf(HELPERS);
const CALLS: ReadonlyMap<string, readonly string[]> = callsOf(CHUNKS);

/**
 * Returns the head of a file with this text. It contains only the helpers that the text reaches.
 */
export function headOfFile(text: string): string {
  const reached = new Set([HEAD, text].flatMap((part) => part.match(NAMES) ?? []));
  // Iterating over a set also visits the elements that are added during the iteration.
  for (const name of reached) for (const called of CALLS.get(name) ?? []) reached.add(called);
  const kept = CHUNKS.filter(({ name }) => name === null || reached.has(name));
  return HEAD + withoutEmpty(kept.map((chunk) => chunk.text).join("")) + HEAP;
}

/**
 * Splits the helpers into parts. A definition ends at the end of its line or at its closing brace.
 */
function chunksOf(helpers: string): HelperText[] {
  return (helpers.match(/^static [^\n]*\{\n[\s\S]*?^\}\n|^[^\n]*\n/gm) ?? []).map((text) => ({
    text,
    name: DEFINITION.exec(text)?.[1] ?? null,
  }));
}

function callsOf(chunks: readonly HelperText[]): Map<string, string[]> {
  const calls = new Map<string, string[]>();
  for (const { text, name } of chunks) {
    if (name !== null) calls.set(name, [...(calls.get(name) ?? []), ...(text.match(NAMES) ?? [])]);
  }
  return calls;
}

/**
 * Removes empty conditions together with the comment before them, and collapses consecutive empty
 * lines.
 */
const withoutEmpty = (text: string): string =>
  text
    .replace(/^(?:\/\/[^\n]*\n)?#if [^\n]*\n(?:#else\n)?#endif\n/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+/, "");
