// What is left of a small program, as text: findings of one cause that are left with other opcodes are
// hardly one bug.

import { CONSTANT, EFFECTS, nameOfOpcode, Op, type Opcode } from "../../ir/opcodes.js";
import type { Module } from "../../ir/procedure.js";
import { coreSize } from "../../reduce/candidate.js";
import { ENOUGH } from "./make-small.js";

/** What no program does without. */
const PLAIN: readonly Opcode[] = [Op.Return, Op.Jump, Op.Upsilon, Op.Phi];

/** The opcodes of a program that is small; null of a larger one, in which any may be by chance. */
export function outlineOf(module: Module): string | null {
  if (coreSize(module) > ENOUGH) return null;
  const names = new Set<string>();
  for (const { blocks } of module.procedures) {
    for (const { opcode } of blocks.flatMap(({ values }) => values)) {
      if (!PLAIN.includes(opcode) && (EFFECTS[opcode] & CONSTANT) === 0) {
        names.add(nameOfOpcode(opcode));
      }
    }
  }
  return [...names].sort().join(" ");
}
