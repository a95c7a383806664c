// Defines memory accesses for stated facts. The functions follow the head of a file and require GNU
// C.

import { Double, Float, Int32, Int64, nameOfType, sizeOf, type Type } from "../../ir/types.js";
import { C_TYPES } from "../main-program.js";

export const disjointName = (stored: Type, loaded: Type): string =>
  `t_apart_${nameOfType(stored)}_${nameOfType(loaded)}`;

/** Functions that store and then load disjoint bytes. They follow the head of a file with facts. */
export const DISJOINT_ACCESSES = [Int32, Int64, Float, Double]
  .flatMap((stored, _, all) => all.map((loaded) => disjointFunction(stored, loaded)))
  .join("");

function disjointFunction(stored: Type, loaded: Type): string {
  const [takes, gives] = [C_TYPES[stored], C_TYPES[loaded]];
  const head = `static inline ${gives} ${disjointName(stored, loaded)}(uint8_t *restrict p, ${takes} x, const uint8_t *restrict q)`;
  return `${head} { ${gives} y; memcpy(p, &x, ${sizeOf(stored)}); memcpy(&y, q, ${sizeOf(loaded)}); return y; }\n`;
}

/** Returns the function that performs the access `access` within a memory class. */
export const inClass = (name: string, access: string): string => access.replace(/^t(?=_)/, name);

/**
 * Bytes after the heap. A union of all accesses may extend past the narrowest access at the heap's
 * end.
 */
export const HEAP_MARGIN = 8;

/**
 * Macro that defines a type and access functions for one memory class. GCC treats accesses to
 * members of different unions as disjoint.
 */
export const MEMORY_CLASS = `#define T_CLASS(c) \\
  union c { uint8_t b; uint16_t h; uint32_t i; uint64_t l; float f; double d; } __attribute__((packed)); \\
  static inline uint32_t c##_load8z(const uint8_t *p) { return ((const union c *)p)->b; } \\
  static inline uint32_t c##_load8s(const uint8_t *p) { return (uint32_t)(int8_t)((const union c *)p)->b; } \\
  static inline uint32_t c##_load16z(const uint8_t *p) { return ((const union c *)p)->h; } \\
  static inline uint32_t c##_load16s(const uint8_t *p) { return (uint32_t)(int16_t)((const union c *)p)->h; } \\
  static inline uint32_t c##_load_Int32(const uint8_t *p) { return ((const union c *)p)->i; } \\
  static inline uint64_t c##_load_Int64(const uint8_t *p) { return ((const union c *)p)->l; } \\
  static inline float c##_load_Float(const uint8_t *p) { return ((const union c *)p)->f; } \\
  static inline double c##_load_Double(const uint8_t *p) { return ((const union c *)p)->d; } \\
  static inline void c##_store8(uint8_t *p, uint32_t x) { ((union c *)p)->b = (uint8_t)x; } \\
  static inline void c##_store16(uint8_t *p, uint32_t x) { ((union c *)p)->h = (uint16_t)x; } \\
  static inline void c##_store_Int32(uint8_t *p, uint32_t x) { ((union c *)p)->i = x; } \\
  static inline void c##_store_Int64(uint8_t *p, uint64_t x) { ((union c *)p)->l = x; } \\
  static inline void c##_store_Float(uint8_t *p, float x) { ((union c *)p)->f = x; } \\
  static inline void c##_store_Double(uint8_t *p, double x) { ((union c *)p)->d = x; }
`;
