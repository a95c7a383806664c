// Omits comparisons of a target if the flags contain their result already.

import { NOWHERE } from "../lir/lir.js";
import type { EmitContext } from "./emit-context.js";

/** A row of a target that compares the operands from `first` on. */
interface ComparisonRow<Asm> {
  readonly operands: readonly unknown[];
  readonly emit: (asm: Asm, c: EmitContext, i: number, first: number) => void;
}

/**
 * Returns the same row, except that it writes nothing if the flags contain its result already.
 * Comparisons of floats and of spill slots are always written.
 *
 * @param comparison a row with up to two registers and an immediate
 * @param number a number that no other comparison of the target has
 */
export function comparedOnce<Asm, C extends ComparisonRow<Asm>>(comparison: C, number: number): C {
  const isOfTwo = comparison.operands.length === 2;
  return {
    ...comparison,
    emit: (asm: Asm, c: EmitContext, i: number, first: number) => {
      const y = isOfTwo ? c.location(i, first + 1) : NOWHERE;
      if (c.flags.containResult(number, c.location(i, first), y, c.lir.immLo[i])) return;
      comparison.emit(asm, c, i, first);
    },
  };
}
