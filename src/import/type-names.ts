// Maps types to their names in WebAssembly.

import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";

const NAMES = new Map<Type, string>([
  [Int32, "i32"],
  [Int64, "i64"],
  [Float, "f32"],
  [Double, "f64"],
]);

export const nameOfType = (type: Type): string => NAMES.get(type) ?? "nothing";
