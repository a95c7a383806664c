// Copies small blocks at joins to the predecessors that jump to them. That removes a jump, and each
// copy has the values of one predecessor.
//
// Assumes a valid program, in any form of Phi. The block ends the procedure, or ends in a jump or a
// branch. It is not a loop header, because a copy of one would be a second entry of the loop. It is
// small (VALUES_MAX). One predecessor keeps the block itself. Guards in copies keep their exit
// numbers.
//
// It terminates because a block is copied at most once for each predecessor, copies are not copied,
// and the size of all copies together is limited (GROWTH_MAX).

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";
import { duplicateBlocks, repairUses } from "../edit/duplicate-blocks.js";
import { loopHeaders } from "../edit/edit-blocks.js";

const NAME = "duplicate-tails";
/** The maximum number of values of a block that is copied, without Phis. */
const VALUES_MAX = 5;
/** The maximum number of values of all copies in one run over a procedure. */
const GROWTH_MAX = 60;

export function duplicateTails(proc: Procedure, context: OptimizeContext): boolean {
  const copies = copyTails(proc, context);
  if (copies.length > 0) repairUses(proc, copies);
  return copies.length > 0;
}

/**
 * Returns a map from values to their copies for each copied block. The function updates
 * predecessors. The caller repairs the uses, even if the limit of applications is reached.
 */
function copyTails(proc: Procedure, context: OptimizeContext): ReadonlyMap<Value, Value>[] {
  const isHeader = loopHeaders(context.flow(proc), context);
  const count = proc.blocks.length;
  const copies: ReadonlyMap<Value, Value>[] = [];
  let growth = 0;
  for (let b = 1; b < count; b++) {
    const block = proc.blocks[b];
    const size = block.values.length;
    if (isHeader[b] === 1 || !isTail(block)) continue;
    for (let left = block.predecessors.length; left > 1; left--) {
      const from = block.predecessors.find(({ last }) => last.opcode === Op.Jump);
      if (from === undefined) break;
      growth += size;
      if (growth > GROWTH_MAX || !context.claim(NAME, from.last)) return copies;
      copies.push(copyInto(proc, block, from));
    }
  }
  return copies;
}

function isTail({ predecessors, values, last }: BasicBlock): boolean {
  if (predecessors.length < 2 || !ENDINGS.includes(last.opcode)) return false;
  let count = 0;
  for (let i = 0; i < values.length; i++) if (values[i].opcode !== Op.Phi) count++;
  return count <= VALUES_MAX;
}
const ENDINGS = [
  Op.Return,
  Op.ReturnDeopt,
  Op.PatchpointReturn,
  Op.TailCall,
  Op.Jump,
  Op.Branch,
  Op.Oops,
];

function copyInto(proc: Procedure, block: BasicBlock, from: BasicBlock): ReadonlyMap<Value, Value> {
  const { blocks, values } = duplicateBlocks(proc, [block]);
  const copy = blocks.get(block) ?? block;
  copy.frequency = Math.min(block.frequency, from.frequency);
  from.successors = [copy];
  copy.predecessors = [from];
  block.predecessors.splice(block.predecessors.indexOf(from), 1);
  for (const successor of copy.successors) successor.predecessors.push(copy);
  return values;
}
