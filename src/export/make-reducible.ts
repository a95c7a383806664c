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

/**
 * Returns the components of the subgraph of these blocks that have two or more blocks, or one that
 * is its own successor.
 */
function stronglyConnected(blocks: readonly BasicBlock[]): BasicBlock[][] {
  const inside = new Set(blocks);
  const found: BasicBlock[][] = [];
  const number = new Map<BasicBlock, number>();
  const low = new Map<BasicBlock, number>();
  const open: BasicBlock[] = [];
  const isOpen = new Set<BasicBlock>();
  const walk: { readonly block: BasicBlock; next: number }[] = [];
  const enter = (block: BasicBlock): void => {
    number.set(block, number.size);
    low.set(block, number.size - 1);
    open.push(block);
    isOpen.add(block);
    walk.push({ block, next: 0 });
  };
  const lower = (block: BasicBlock, to: number | undefined): void => {
    low.set(block, Math.min(low.get(block) ?? 0, to ?? 0));
  };
  for (const root of blocks) {
    if (!number.has(root)) enter(root);
    for (let top = walk.at(-1); top !== undefined; top = walk.at(-1)) {
      const { block } = top;
      const successor = block.successors[top.next++];
      if (successor === undefined) {
        walk.pop();
        const caller = walk.at(-1);
        if (caller !== undefined) lower(caller.block, low.get(block));
        if (low.get(block) === number.get(block)) {
          const component = open.splice(open.lastIndexOf(block));
          for (const member of component) isOpen.delete(member);
          if (component.length > 1 || block.successors.includes(block)) found.push(component);
        }
      } else if (inside.has(successor)) {
        if (!number.has(successor)) enter(successor);
        else if (isOpen.has(successor)) lower(block, number.get(successor));
      }
    }
  }
  return found;
}
