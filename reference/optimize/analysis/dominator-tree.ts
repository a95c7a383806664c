// Walks down the dominator tree without recursion, because a tree may be as deep as the number of
// blocks.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import type { BasicBlock } from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";

interface DominatorVisitor {
  /**
   * Called when all dominators of the block have been entered and not left. Returning false ends
   * the walk.
   */
  enter(block: BasicBlock): boolean;
  /** Called when all blocks that the block dominates have been left. */
  leave(block: BasicBlock): void;
}

const NONE = -1;

/** The dominator tree of a procedure whose blocks do not change. It may be walked several times. */
export class DominatorTree {
  private readonly order: readonly BasicBlock[];
  /** By position of a block: its first child in the tree; NONE if there is none. */
  private readonly firstChild: Int32Array;
  private readonly nextSibling: Int32Array;
  /** By depth: the position of the block that was entered at that depth. */
  private readonly path: Int32Array;

  constructor({ order, dominator }: ControlFlow, context: OptimizeContext) {
    const count = order.length;
    this.order = order;
    this.firstChild = context.table(count).fill(NONE, 0, count);
    this.nextSibling = context.table(count).fill(NONE, 0, count);
    this.path = context.table(count);
    for (let i = count - 1; i > 0; i--) {
      this.nextSibling[i] = this.firstChild[dominator[i]];
      this.firstChild[dominator[i]] = i;
    }
  }

  walk(visitor: DominatorVisitor): void {
    const { order, firstChild, nextSibling, path } = this;
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
}
