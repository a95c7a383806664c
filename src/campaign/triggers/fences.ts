// Patterns of bugs that are about fences, and about values that only order loads.

import { FENCES } from "../../ir/fences.js";
import { Op } from "../../ir/opcodes.js";
import { isStore, meet, sum } from "./ask.js";
import type { Detector } from "./study.js";

/** A fence that orders stores alone, between two stores of one block to the same bytes. */
export const overwrittenBehindFence: Detector = (study) =>
  sum(study, (fence, view) => {
    const { block } = fence;
    if (block === null || fence.opcode !== Op.Fence) return 0;
    const { holdsLoads, holdsStores } = FENCES[fence.lo];
    if (holdsLoads || !holdsStores) return 0;
    const at = view.placeOf(fence);
    const behind = block.values.slice(at).filter(isStore);
    const isOverwritten = block.values
      .slice(0, at)
      .some((store) => isStore(store) && behind.some((other) => meet(store, other)));
    return isOverwritten ? view.times(fence) : 0;
  });

/** A fence that is an instruction on each target. */
export const fullFence: Detector = (study) =>
  sum(study, (fence, view) => {
    const isFull = fence.opcode === Op.Fence && FENCES[fence.lo].name === "all";
    return isFull ? view.times(fence) : 0;
  });

/** The operand is not zero, and the zero matters. */
export const dependsOnNumber: Detector = (study) =>
  sum(study, (zero, view) => {
    const { a, opcode } = zero;
    if (a === null || opcode !== Op.Depend) return 0;
    return view.times(zero, (event) => event.matters && event.integer(a) !== 0n);
  });

/** The zero matters, and its operand has other uses, so that the two do not share a register. */
export const operandLivesOn: Detector = (study) =>
  sum(study, (zero, view) => {
    const { a, opcode } = zero;
    if (a === null || opcode !== Op.Depend || view.users(a).length < 2) return 0;
    return view.times(zero, ({ matters }) => matters);
  });
