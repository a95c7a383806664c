// Functions of other modules: those of the C library that optimizers recognize, and a fixed result for all others.

import { createHash } from "node:crypto";
import { FLOAT_INTRINSICS } from "./intrinsics.js";
import { rounded } from "./scalars.js";
import type { LlvmType } from "./types.js";
import { hasPoison, type LlvmScalar, type LlvmValue, POISON, wrap } from "./values.js";

/** Functions of the math library that are exact. */
const MATH = ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "copysign"];

/** Functions that LLVM recognizes by name (TargetLibraryInfo), and that are not interpreted. */
const RECOGNIZED = new RegExp(
  "^(?:_*(?:malloc|calloc|realloc|free|aligned_alloc|memalign|strdup|strndup|abs|labs|llabs|ffs\\w*|fls\\w*|isascii|isdigit|toascii" +
    "|mem\\w+|str\\w+|stp\\w+|bcmp|bcopy|bzero|[fsv]*n?printf|puts|putchar|fput[cs]|fwrite|fread|fopen|fclose|ato[fil]\\w*" +
    "|(?:sin|cos|tan|a?sinh?|a?cosh?|a?tanh?|atan2|exp\\d*|expm1|log\\d*|log1p|logb|pow|fmod|fmin|fmax|fdim|hypot|cbrt|ldexp|frexp|modf|round\\w*|remainder)[fl]?" +
    "|Zn[wa]\\w+|Zd[la]\\w+|cxa_\\w+))$",
);

export const isKnownLibrary = (name: string): boolean => RECOGNIZED.test(name);

/** Returns the result of a math function; null for others. */
export function libraryFunction(
  name: string,
  values: readonly LlvmValue[],
  type: LlvmType,
): LlvmScalar | null {
  const base = type.kind === "float" && name.endsWith("f") ? name.slice(0, -1) : name;
  if (!MATH.includes(base) || (type.kind !== "float" && type.kind !== "double")) return null;
  if (values.some(hasPoison)) return POISON;
  return rounded(type, FLOAT_INTRINSICS[base](values.map(Number)));
}

/** Returns a scalar that depends on the key alone; small numbers are frequent. */
export function externalResult(key: string, type: LlvmType): LlvmScalar {
  const word = createHash("sha256").update(key).digest().readUInt32LE();
  const small = (word >>> 8) % 16;
  if (type.kind === "float" || type.kind === "double") return small / 2;
  if (type.kind !== "int") return 0n;
  return wrap(type.bits, word % 2 === 0 ? BigInt(small) : BigInt(word) * 0x9e37_79b9_7f4a_7c15n);
}
