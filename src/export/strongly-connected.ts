// Computes strongly connected components (Tarjan 1972), without recursion: programs have 100,000
// blocks.

import type { BasicBlock } from "../ir/procedure.js";

/**
 * Returns the components of the subgraph of these blocks that have two or more blocks, or one that
 * is its own successor.
 */
export function stronglyConnected(blocks: readonly BasicBlock[]): BasicBlock[][] {
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
