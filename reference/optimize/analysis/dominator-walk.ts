// A walk down the dominator tree, without recursion: a tree may be as deep as there are blocks.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import type { BasicBlock } from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";

export interface Visitor {
  /** Every block that dominates this one has been entered and not left; false ends the walk. */
  enter(block: BasicBlock): boolean;
  leave(block: BasicBlock): void;
}

const NONE = -1;

/** @param firstTable it uses three tables of the context, from this one on */
export function walkDominatorTree(
  flow: ControlFlow,
  context: OptimizeContext,
  firstTable: number,
  visitor: Visitor,
): void {
  const { order, dominator } = flow;
  const count = order.length;
  const firstChild = context.table(firstTable, count).fill(NONE, 0, count);
  const nextSibling = context.table(firstTable + 1, count).fill(NONE, 0, count);
  const path = context.table(firstTable + 2, count);
  for (let i = count - 1; i > 0; i--) {
    nextSibling[i] = firstChild[dominator[i]];
    firstChild[dominator[i]] = i;
  }
  let depth = 0;
  for (let at = 0; ; ) {
    path[depth] = at;
    if (!visitor.enter(order[at])) return;
    if (firstChild[at] !== NONE) {
      at = firstChild[at];
      depth++;
      continue;
    }
    visitor.leave(order[path[depth]]);
    while (depth > 0 && nextSibling[path[depth]] === NONE) visitor.leave(order[path[--depth]]);
    if (depth === 0) return;
    at = nextSibling[path[depth]];
  }
}
