// Defines memory in the forms `typed-arrays`, `unsigned-arrays` and `byte-access`: a DataView that also
// has typed arrays of its buffer.

import type { SourceForm } from "../forms.js";

const MEMORY = `function memory(size) {
  const buffer = new ArrayBuffer(size + 7 & ~7);
  return Object.assign(new DataView(buffer), {
    i8: new Int8Array(buffer), u8: new Uint8Array(buffer), i16: new Int16Array(buffer), u16: new Uint16Array(buffer),
    i32: new Int32Array(buffer), u32: new Uint32Array(buffer), i64: new BigInt64Array(buffer),
    u64: new BigUint64Array(buffer), f32: new Float32Array(buffer), f64: new Float64Array(buffer),
  });
}
`;

/** Typed arrays are little-endian on all machines that engines run on. */
const TYPED = `const tload8z = (v, p) => v.u8[p];
const tload8s = (v, p) => v.i8[p];
const tload16z = (v, p) => (p & 1) === 0 ? v.u16[p >> 1] : load16z(v, p);
const tload16s = (v, p) => (p & 1) === 0 ? v.i16[p >> 1] : load16s(v, p);
const tload32 = (v, p) => (p & 3) === 0 ? v.i32[p >> 2] : load32(v, p);
const tload64 = (v, p) => (p & 7) === 0 ? v.i64[p >> 3] : load64(v, p);
function tloadf(v, p) {
  const x = (p & 3) === 0 ? v.f32[p >> 2] : v.getFloat32(p, true);
  return x === x ? x : BigInt(v.getUint32(p, true));
}
function tloadd(v, p) {
  const x = (p & 7) === 0 ? v.f64[p >> 3] : v.getFloat64(p, true);
  return x === x ? x : v.getBigInt64(p, true);
}
const tstore8 = (v, p, x) => { v.i8[p] = x; };
const tstore16 = (v, p, x) => { if ((p & 1) === 0) v.i16[p >> 1] = x; else store16(v, p, x); };
const tstore32 = (v, p, x) => { if ((p & 3) === 0) v.i32[p >> 2] = x; else store32(v, p, x); };
const tstore64 = (v, p, x) => { if ((p & 7) === 0) v.i64[p >> 3] = x; else store64(v, p, x); };
const tstoref = (v, p, x) => { if ((p & 3) === 0 && typeof x === "number") v.f32[p >> 2] = x; else storef(v, p, x); };
const tstored = (v, p, x) => { if ((p & 7) === 0 && typeof x === "number") v.f64[p >> 3] = x; else stored(v, p, x); };
`;

const BYTES = `const bload8z = (v, p) => v.u8[p];
const bload8s = (v, p) => v.u8[p] << 24 >> 24;
const bload16z = (v, p) => v.u8[p] | v.u8[p + 1] << 8;
const bload16s = (v, p) => v.u8[p] | v.u8[p + 1] << 24 >> 16;
const bload32 = (v, p) => v.u8[p] | v.u8[p + 1] << 8 | v.u8[p + 2] << 16 | v.u8[p + 3] << 24;
const bload64 = (v, p) => BigInt(bload32(v, p + 4)) << 32n | BigInt(bload32(v, p) >>> 0);
const bloadf = (v, p) => tof(bload32(v, p));
const bloadd = (v, p) => tod(bload64(v, p));
const bstore8 = (v, p, x) => { v.u8[p] = x; };
const bstore16 = (v, p, x) => { v.u8[p] = x; v.u8[p + 1] = x >> 8; };
const bstore32 = (v, p, x) => { v.u8[p] = x; v.u8[p + 1] = x >> 8; v.u8[p + 2] = x >> 16; v.u8[p + 3] = x >> 24; };
const bstore64 = (v, p, x) => { bstore32(v, p, low(x)); bstore32(v, p + 4, high(x)); };
const bstoref = (v, p, x) => bstore32(v, p, bitsf(x));
const bstored = (v, p, x) => bstore64(v, p, bitsd(x));
`;

/** Functions of TYPED on unsigned arrays; the others are the same. */
const UNSIGNED: readonly (readonly [RegExp, string])[] = [
  [/v\.i8\[p\];/, "v.u8[p] << 24 >> 24;"],
  [/v\.i16\[p >> 1\] :/, "v.u16[p >> 1] << 16 >> 16 :"],
  [/v\.i32\[p >> 2\] :/, "v.u32[p >> 2] | 0 :"],
  [/v\.i64\[p >> 3\] :/, "BigInt.asIntN(64, v.u64[p >> 3]) :"],
  [/v\.i(\d+)(.*) = x;/g, "v.u$1$2 = x;"],
];
const UNSIGNED_TYPED = UNSIGNED.reduce((text, [from, to]) => text.replace(from, to), TYPED);

interface MemoryForm {
  /** The start of the names of its accesses. */
  readonly prefix: string;
  /** Returns an expression that makes memory of this size. */
  readonly make: (size: number) => string;
  /** The functions of its accesses. */
  readonly text: string;
}

export function memoryForm(form: SourceForm): MemoryForm {
  const make = (size: number): string => `memory(${size})`;
  if (form.has("typed-arrays")) return { prefix: "t", make, text: MEMORY + TYPED };
  if (form.has("unsigned-arrays")) return { prefix: "t", make, text: MEMORY + UNSIGNED_TYPED };
  if (form.has("byte-access")) return { prefix: "b", make, text: MEMORY + BYTES };
  return { prefix: "", make: (size) => `new DataView(new ArrayBuffer(${size}))`, text: "" };
}
