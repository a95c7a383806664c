// Hides constants from the compiler of a module. The last operand of selected instructions is
// combined with a global variable that is always 0. The behaviour of the program does not change.
// If only the program without hidden constants fails, the compiler's error is in its handling of
// such an instruction with a constant.

import type { ByteWriter } from "../byte-writer.js";
import { type Mnemonic, writeInstruction } from "./instructions.js";

/** Instructions whose last operand has the type that their name begins with. */
export type InstructionsToHide = ReadonlySet<Mnemonic>;
export const NOTHING_HIDDEN: InstructionsToHide = new Set();

/**
 * Writes the instructions before a hidden instruction.
 * @param variable the index of a global of type i64 that is 0
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
