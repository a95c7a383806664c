// A work list of nodes, for colour-graph.ts.

import { widen } from "../arenas.js";

/** A growing stack of nodes; entries that a node has left behind are told by its state. */
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

  /** Takes out an entry; the last one comes to its place. */
  remove(index: number): void {
    this.nodes[index] = this.nodes[--this.count];
  }
}
