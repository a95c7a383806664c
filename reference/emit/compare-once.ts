// Comparisons of a target that are left out where the flags are their answer already.

import { NOWHERE } from "../lir/lir.js";
import type { EmitContext } from "./emit-context.js";

/** How rows of a target compare: the operands from `first` on. */
interface Compares<Asm> {
  readonly operands: readonly unknown[];
  readonly emit: (asm: Asm, c: EmitContext, i: number, first: number) => void;
}

/**
 * The same, but nothing is written where the flags are its answer already. Of floats, and of spill
 * slots, it is always written.
 * @param comparison registers, up to two, and an immediate
 * @param number that no other comparison of the target has
 */
export function comparedOnce<Asm, C extends Compares<Asm>>(comparison: C, number: number): C {
  const isOfTwo = comparison.operands.length === 2;
  return {
    ...comparison,
    emit: (asm: Asm, c: EmitContext, i: number, first: number) => {
      const y = isOfTwo ? c.location(i, first + 1) : NOWHERE;
      if (c.flags.answers(number, c.location(i, first), y, c.lir.immLo[i])) return;
      comparison.emit(asm, c, i, first);
    },
  };
}
