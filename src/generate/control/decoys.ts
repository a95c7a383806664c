// Emits edges that are never taken: to a listed target block, to code that must not run, or to
// Oops. The condition depends on the heap's address, which is unknown to compilers.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { neverTrue } from "../maker/conditions.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { drawType } from "../maker/swarm.js";

/** Appends a branch with an edge that is never taken. */
export function makeDecoy(maker: ProcedureMaker): void {
  const { proc, targets } = maker;
  const flag = neverTrue(maker);
  const next = proc.newBlock();
  const target =
    targets.length > 0 && maker.chance(70) ? targets[maker.below(targets.length)] : null;
  const isDirect = target !== null && target.phis.length === 0;
  const decoy = isDirect ? target.block : proc.newBlock();
  if (maker.chance(40)) {
    maker.branch(maker.append(Op.Equal, Int32, flag, maker.integer(Int32, 0)), next, decoy);
  } else {
    maker.branch(flag, decoy, next);
  }
  if (!isDirect) {
    const mark = maker.mark();
    maker.block = decoy;
    if (target === null) {
      makeWild(maker, next);
    } else {
      for (const phi of target.phis) maker.upsilon(maker.pickValue(phi.type), phi);
      maker.jump(target.block);
    }
    maker.release(mark);
  }
  maker.block = next;
}

// Emits code that must not run: hoisted accesses would be outside of the heap.
function makeWild(maker: ProcedureMaker, next: BasicBlock): void {
  const type = drawType(maker.source, maker.swarm);
  const address = maker.chance(50) ? maker.constant(Int64) : maker.pickValue(Int64);
  if (maker.chance(50)) {
    maker.append(Op.Load, type, address).offset = maker.below(100);
  } else {
    maker.append(Op.Store, Void, maker.closed(maker.pick(type)), address).offset = maker.below(100);
  }
  if (maker.chance(50)) maker.append(Op.Oops, Void);
  else maker.jump(next);
}
