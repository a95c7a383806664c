// Makes control flow reducible. A loop with several entry blocks gets one dispatching block before
// them. Each edge to an entry first writes the number by which the dispatching block continues.
//
// Input:  a procedure whose blocks are all reachable. It is changed in place.
// Output: the same behaviour; each loop has one entry, which dominates it.
// Ends:   each region is smaller than the region that contains it.

import { analyzeControlFlow } from "../ir/control-flow.js";
import { Op } from "../ir/opcodes.js";
import { type BasicBlock, type Procedure, SwitchCases, type Value } from "../ir/procedure.js";
import { Int32, Void } from "../ir/types.js";
import { stronglyConnected } from "./strongly-connected.js";

export function makeReducible(proc: Procedure): void {
  let changed = false;
  const regions: (readonly BasicBlock[])[] = [proc.blocks];
  for (let region = regions.pop(); region !== undefined; region = regions.pop()) {
    proc.computePredecessors();
    // Edges to blocks outside the region do not count, so a region without its loop's entry is
    // acyclic.
    for (const loop of stronglyConnected(region)) {
      const members = new Set(loop);
      const entries = loop.filter(({ predecessors }) =>
        predecessors.some((block) => !members.has(block)),
      );
      if (entries.length > 1) {
        dispatch(proc, entries);
        proc.computePredecessors();
        changed = true;
        regions.push(loop);
      } else if (entries.length === 1) {
        regions.push(loop.filter((block) => block !== entries[0]));
      }
    }
  }
  if (changed) proc.blocks = [...analyzeControlFlow(proc).order];
}

/** Adds a block before `entries`; every edge to one of them goes to that block instead. */
function dispatch(proc: Procedure, entries: readonly BasicBlock[]): void {
  const dispatcher = proc.newBlock();
  const number = proc.newValue(Op.Phi, Int32);
  dispatcher.append(number);
  const predecessors = new Set(entries.flatMap((entry) => entry.predecessors));
  for (const block of predecessors) {
    block.successors = block.successors.map((successor) => {
      const index = entries.indexOf(successor);
      return index < 0 ? successor : edgeBlock(proc, dispatcher, number, index);
    });
  }
  const choice = proc.newValue(Op.Switch, Void, number);
  // The last entry is the default case.
  const keys = entries.slice(1).map((_, index) => index);
  choice.extra = new SwitchCases(
    keys,
    keys.map(() => 0),
  );
  dispatcher.append(choice);
  dispatcher.successors = [...entries];
}

function edgeBlock(
  proc: Procedure,
  dispatcher: BasicBlock,
  number: Value,
  index: number,
): BasicBlock {
  const block = proc.newBlock();
  const constant = proc.newConstant(Int32, index, 0);
  block.append(constant);
  block.append(proc.newValue(Op.Upsilon, Void, constant)).extra = number;
  block.append(proc.newValue(Op.Jump, Void));
  block.successors = [dispatcher];
  return block;
}
