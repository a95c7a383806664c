// What the compiler of a module is kept from knowing: the last operand of some instructions goes through a variable
// that is 0 and that nobody writes, so no constant is seen there. The program means the same. Where it is right
// so, and wrong as it was, the compiler errs in what it makes of such an instruction with a constant.

import type { ByteWriter } from "./byte-writer.js";
import { type Mnemonic, writeInstruction } from "./instructions.js";

/** Instructions whose last operand has the type that their name begins with. */
export type Hidden = ReadonlySet<Mnemonic>;
export const NOTHING_HIDDEN: Hidden = new Set();

/**
 * What stands in front of a hidden instruction.
 * @param variable the index of a global, an i64 that is 0
 */
export function hideOperand(out: ByteWriter, name: Mnemonic, variable: number): void {
  const write = (step: Mnemonic, immediate = 0): void => writeInstruction(out, step, immediate);
  const type = name.slice(0, 3);
  const isWide = type === "i64" || type === "f64";
  if (type === "f32") write("i32.reinterpret_f32");
  if (type === "f64") write("i64.reinterpret_f64");
  write("global.get", variable);
  if (!isWide) write("i32.wrap_i64");
  write(isWide ? "i64.xor" : "i32.xor");
  if (type === "f32") write("f32.reinterpret_i32");
  if (type === "f64") write("f64.reinterpret_i64");
}
