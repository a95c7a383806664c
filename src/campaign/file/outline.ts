// Computes the outline of a small program as text. Findings of one cause whose reduced programs
// have different opcodes are hardly one bug.

import { CONSTANT, EFFECTS, nameOfOpcode, Op, type Opcode } from "../../ir/opcodes.js";
import type { Module } from "../../ir/procedure.js";
import { coreSize } from "../../reduce/candidate.js";

/**
 * The size of a program, without parameters, constants and returns, that a person reads at once: no
 * further reduction is tried.
 */
export const ENOUGH = 12;

/** Opcodes that every program needs. */
const PLAIN: readonly Opcode[] = [Op.Return, Op.Jump, Op.Upsilon, Op.Phi];

/**
 * Returns the opcodes of a small program; null for a larger one, which may contain any opcode by
 * chance.
 */
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
