// A worklist of nodes, for colour-graph.ts.

import { widen } from "../arenas.js";

/**
 * A growing stack of nodes. An entry is stale if the node's state is no longer that of this list.
 */
export class NodeStack {
  private nodes = new Int32Array(64);
  count = 0;

  push(node: number): void {
    if (this.count === this.nodes.length) this.nodes = widen(this.nodes);
    this.nodes[this.count++] = node;
  }

  pop(): number {
    return this.nodes[--this.count];
  }

  at(index: number): number {
    return this.nodes[index];
  }

  /** Removes an entry; the last one takes its index. */
  remove(index: number): void {
    this.nodes[index] = this.nodes[--this.count];
  }
}
