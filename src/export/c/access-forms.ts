// Defines loads and stores for the forms of a file (../forms.ts), beside the helpers of runtime.ts.

import type { SourceForm } from "../forms.js";

/** Returns the name of the access of a form in place of a helper's: `t_load8z`. */
export function inForm(access: string, form: SourceForm): string {
  if (form.has("inline-access")) return access.replace(/^t_/, "t_in_");
  return form.has("byte-access") ? access.replace(/^t_/, "t_by_") : access;
}

/** Returns the definitions of these accesses; they follow the head of a file. */
export function accessesOf(form: SourceForm): string {
  if (form.has("inline-access")) return INLINE;
  return form.has("byte-access") ? BYTES : "";
}

const INLINE = `\
typedef uint16_t t_a16 __attribute__((may_alias, aligned(1)));
typedef uint32_t t_a32 __attribute__((may_alias, aligned(1)));
typedef uint64_t t_a64 __attribute__((may_alias, aligned(1)));
typedef float t_af __attribute__((may_alias, aligned(1)));
typedef double t_ad __attribute__((may_alias, aligned(1)));
#define t_in_load8z(p) ((uint32_t)*(const uint8_t *)(p))
#define t_in_load8s(p) ((uint32_t)*(const int8_t *)(p))
#define t_in_load16z(p) ((uint32_t)*(const t_a16 *)(p))
#define t_in_load16s(p) ((uint32_t)(int16_t)*(const t_a16 *)(p))
#define t_in_load_Int32(p) (*(const t_a32 *)(p))
#define t_in_load_Int64(p) (*(const t_a64 *)(p))
#define t_in_load_Float(p) (*(const t_af *)(p))
#define t_in_load_Double(p) (*(const t_ad *)(p))
#define t_in_store8(p, x) (*(uint8_t *)(p) = (uint8_t)(x))
#define t_in_store16(p, x) (*(t_a16 *)(p) = (uint16_t)(x))
#define t_in_store_Int32(p, x) (*(t_a32 *)(p) = (x))
#define t_in_store_Int64(p, x) (*(t_a64 *)(p) = (x))
#define t_in_store_Float(p, x) (*(t_af *)(p) = (x))
#define t_in_store_Double(p, x) (*(t_ad *)(p) = (x))
`;

const BYTES = `\
static inline uint32_t t_by_load8z(const uint8_t *p) { return p[0]; }
static inline uint32_t t_by_load8s(const uint8_t *p) { return (uint32_t)(int8_t)p[0]; }
static inline uint32_t t_by_load16z(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t t_by_load16s(const uint8_t *p) { return (uint32_t)(int16_t)(p[0] | p[1] << 8); }
static inline uint32_t t_by_load_Int32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t t_by_load_Int64(const uint8_t *p) { return t_by_load_Int32(p) | (uint64_t)t_by_load_Int32(p + 4) << 32; }
static inline float t_by_load_Float(const uint8_t *p) { return t_float(t_by_load_Int32(p)); }
static inline double t_by_load_Double(const uint8_t *p) { return t_double(t_by_load_Int64(p)); }
static inline void t_by_store8(uint8_t *p, uint32_t x) { p[0] = (uint8_t)x; }
static inline void t_by_store16(uint8_t *p, uint32_t x) { p[0] = (uint8_t)x; p[1] = (uint8_t)(x >> 8); }
static inline void t_by_store_Int32(uint8_t *p, uint32_t x) { t_by_store16(p, x); t_by_store16(p + 2, x >> 16); }
static inline void t_by_store_Int64(uint8_t *p, uint64_t x) { t_by_store_Int32(p, (uint32_t)x); t_by_store_Int32(p + 4, (uint32_t)(x >> 32)); }
static inline void t_by_store_Float(uint8_t *p, float x) { t_by_store_Int32(p, t_bits32(x)); }
static inline void t_by_store_Double(uint8_t *p, double x) { t_by_store_Int64(p, t_bits64(x)); }
`;
