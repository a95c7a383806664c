// Builds the interference graph. A node is a piece that needs a register. An edge connects two nodes
// of one bank that are live at one position, so that they may not share a register. Fixed operands
// and calls are not nodes: each node has a mask of the registers that it cannot have.
//
// 1. One walk over the positions keeps the set of live ranges: a range that begins interferes with
//    all ranges that have not ended. So the work is the sum, over ranges, of the ranges that are
//    live at their starts. `build` gives up beyond a bound, which also bounds the number of edges.
// 2. A triangle of bits records whether two nodes interfere; lists of edges contain a node's
//    neighbours. Both grow while nodes are coalesced. Then the lists also contain nodes that no
//    longer exist.
// 3. `degree` counts edges, and allocatable registers of the mask: each may exclude one colour.

import { isFloating } from "../../../src/ir/types.js";
import {
  type Index,
  type IndexArray,
  newColumn,
  type PhysicalRegister,
} from "../../lir/indices.js";
import { firstRegisterOf, type Lir, type RegisterSet, VECTOR } from "../../lir/lir.js";
import { NONE, sizeColumns, sized, widen } from "../arenas.js";
import type { LiveIntervals, LiveRange } from "../live-intervals.js";
import { FIRST_PIECE, IN_SLOT, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { FIRST_POSITION, type Position, startOf } from "../positions.js";
import { bitOf, countBits } from "../room.js";

/**
 * The maximum numbers of nodes, and of pairs of overlapping ranges. Few procedures have more. For
 * these colouring takes several times as long as linear scan, without a better result.
 */
const NODES_MAX = 6000;
const OVERLAPS_MAX = 32_768;

export type GraphNode = Index<"GraphNode">;
type Edge = Index<"Edge">;
/** A register in the place of a node: as -2 - register, which no node has. */
export type RegisterSide = Index<"RegisterSide">;

export const FIRST_NODE = 0 as GraphNode;
export const sideOf = (register: PhysicalRegister): RegisterSide => (-2 - register) as RegisterSide;
export const registerOf = (side: RegisterSide): PhysicalRegister => (-2 - side) as PhysicalRegister;
/** Returns whether the index is a register in the place of a node or of a virtual register. */
export const isRegisterSide = (side: number): side is RegisterSide => side < 0;
/** Returns whether the side is a node: neither a register nor NONE. */
export const isNode = (side: GraphNode | RegisterSide): side is GraphNode => side >= 0;

export class InterferenceGraph {
  count = 0;
  /** By piece: its node, or NONE. */
  nodeOf: IndexArray<GraphNode, IntervalPiece> = newColumn(128);
  // The following arrays are indexed by node.
  piece: IndexArray<IntervalPiece, GraphNode> = newColumn(128);
  /** 0 general, 1 vector. */
  bank: IndexArray<number, GraphNode> = newColumn(128);
  /** Registers that it cannot have, including those that are not allocatable. */
  forbidden: IndexArray<number, GraphNode> = newColumn(128);
  degree: IndexArray<number, GraphNode> = newColumn(128);
  firstEdge: IndexArray<Edge, GraphNode> = newColumn(128);
  // By edge; each interfering pair has two.
  edgeTo: IndexArray<GraphNode, Edge> = newColumn(512);
  edgeNext: IndexArray<Edge, Edge> = newColumn(512);
  private edgeCount = 0;
  private bits = new Int32Array(256);

  // The following arrays are indexed by bank.
  readonly allocatable = new Int32Array(2);
  readonly colourCount = new Int32Array(2);

  /** By position: the ranges that begin there, a list through `nextAtStart`. */
  private atStart: IndexArray<LiveRange, Position> = newColumn(256);
  private nextAtStart: IndexArray<LiveRange, LiveRange> = newColumn(512);
  /** By range: its node, or the register that it blocks. */
  private owner: IndexArray<GraphNode | RegisterSide, LiveRange> = newColumn(512);
  /**
   * By bank: ranges of nodes that have begun; a range that has ended is removed when the walk
   * passes it.
   */
  private readonly active: IndexArray<LiveRange>[] = [newColumn(64), newColumn(64)];
  private readonly activeCount = new Int32Array(2);
  /** By register: the end of the range that blocks it. */
  private readonly blockedUntil: IndexArray<Position, PhysicalRegister> = newColumn(64);
  /** By bank: the maximum of these. */
  private readonly lastBlocked: IndexArray<Position> = newColumn(2);
  private overlaps = 0;

  /** Builds the graph. Returns false if it would be too large; then its contents are undefined. */
  build(lir: Lir, live: LiveIntervals, pieces: IntervalPieces, registers: RegisterSet): boolean {
    this.takeRegisters(registers);
    if (!this.addNodes(lir, pieces)) return false;
    this.sortRanges(lir, live, pieces);
    return this.walk(lir, live, registers);
  }

  interfere(x: GraphNode, y: GraphNode): boolean {
    const at = x > y ? (x * (x - 1)) / 2 + y : (y * (y - 1)) / 2 + x;
    return (this.bits[at >> 5] & (1 << at)) !== 0;
  }

  /** Adds an edge between two nodes that do not interfere; the caller updates the degrees. */
  addInterference(x: GraphNode, y: GraphNode): void {
    const at = x > y ? (x * (x - 1)) / 2 + y : (y * (y - 1)) / 2 + x;
    this.bits[at >> 5] |= 1 << at;
    this.addEdge(x, y);
    this.addEdge(y, x);
  }

  private addEdge(from: GraphNode, to: GraphNode): void {
    const edge = this.edgeCount++ as Edge;
    if (edge === this.edgeTo.length) {
      this.edgeTo = widen(this.edgeTo);
      this.edgeNext = widen(this.edgeNext);
    }
    this.edgeTo[edge] = to;
    this.edgeNext[edge] = this.firstEdge[from];
    this.firstEdge[from] = edge;
  }

  private takeRegisters({ general, vector }: RegisterSet): void {
    const { allocatable, colourCount } = this;
    allocatable.fill(0);
    for (let k = 0; k < general.length; k++) allocatable[0] |= bitOf(general[k]);
    for (let k = 0; k < vector.length; k++) allocatable[1] |= bitOf(vector[k]);
    colourCount[0] = general.length;
    colourCount[1] = vector.length;
  }

  private addNodes(lir: Lir, pieces: IntervalPieces): boolean {
    this.count = 0;
    this.edgeCount = 0;
    this.overlaps = 0;
    if (this.nodeOf.length < pieces.count) this.nodeOf = sized(this.nodeOf, pieces.count);
    if (this.piece.length < pieces.count) {
      sizeColumns(this, BY_NODE, pieces.count);
    }
    const { location, firstRange, vreg } = pieces;
    for (let p = FIRST_PIECE; p < pieces.count; p++) {
      this.nodeOf[p] = NONE;
      if (firstRange[p] === NONE || location[p] === IN_SLOT) continue;
      const node = this.count++ as GraphNode;
      const bank = isFloating(lir.typeOf(vreg[p])) ? 1 : 0;
      this.nodeOf[p] = node;
      this.piece[node] = p;
      this.bank[node] = bank;
      this.forbidden[node] = ~this.allocatable[bank];
      this.degree[node] = 0;
      this.firstEdge[node] = NONE;
    }
    if (this.count > NODES_MAX) return false;
    const words = ((this.count * (this.count - 1)) / 2 + 31) >>> 5;
    if (this.bits.length < words) this.bits = new Int32Array(2 * words);
    else this.bits.fill(0, 0, words);
    return true;
  }

  private sortRanges(lir: Lir, live: LiveIntervals, pieces: IntervalPieces): void {
    const positions = startOf(lir.nextInstruction);
    if (this.atStart.length < positions) this.atStart = sized(this.atStart, positions);
    if (this.owner.length < live.rangeStart.length) {
      this.owner = sized(this.owner, live.rangeStart.length);
      this.nextAtStart = sized(this.nextAtStart, live.rangeStart.length);
    }
    this.atStart.fill(NONE, 0, positions);
    for (let r = firstRegisterOf(0); r < 64; r++)
      this.sortList(live, live.firstBlocked[r], sideOf(r));
    for (let n = FIRST_NODE; n < this.count; n++) {
      this.sortList(live, pieces.firstRange[this.piece[n]], n);
    }
  }

  private sortList(
    { rangeStart, rangeNext }: LiveIntervals,
    first: LiveRange,
    owner: GraphNode | RegisterSide,
  ): void {
    for (let range = first; range !== NONE; range = rangeNext[range]) {
      this.owner[range] = owner;
      this.nextAtStart[range] = this.atStart[rangeStart[range]];
      this.atStart[rangeStart[range]] = range;
    }
  }

  private walk(lir: Lir, live: LiveIntervals, registers: RegisterSet): boolean {
    const { atStart, nextAtStart, owner, forbidden, allocatable } = this;
    this.activeCount.fill(0);
    this.blockedUntil.fill(FIRST_POSITION);
    this.lastBlocked.fill(FIRST_POSITION);
    let call = live.callStart;
    let saved0 = 0;
    let saved1 = 0;
    for (let r = 0; r < VECTOR; r++) {
      if (registers.callerSaved[r] === 1) saved0 |= bitOf(r);
      if (registers.callerSaved[VECTOR + r] === 1) saved1 |= bitOf(r);
    }
    const end = startOf(lir.nextInstruction);
    for (let position = FIRST_POSITION; position < end; position++) {
      for (let range = atStart[position]; range !== NONE; range = nextAtStart[range]) {
        const side = owner[range];
        if (isNode(side)) this.begin(live, range, side, position);
        else this.blockRegister(live, range, side, position);
      }
      if (call === live.calls.length || live.calls[call] !== position) continue;
      call++;
      this.forbid(live, 0, saved0, position);
      this.forbid(live, 1, saved1, position);
    }
    for (let n = FIRST_NODE; n < this.count; n++) {
      this.degree[n] += countBits(forbidden[n] & allocatable[this.bank[n]]);
    }
    return this.overlaps <= OVERLAPS_MAX;
  }

  private begin(live: LiveIntervals, range: LiveRange, node: GraphNode, position: Position): void {
    if (this.overlaps > OVERLAPS_MAX) return;
    const { rangeEnd } = live;
    const { degree } = this;
    const bank = this.bank[node];
    const active = this.active[bank];
    const count = this.activeCount[bank];
    let kept = 0;
    for (let k = 0; k < count; k++) {
      const other = active[k];
      if (rangeEnd[other] <= position) continue;
      active[kept++] = other;
      const neighbour = this.nodeOwning(other);
      if (this.interfere(node, neighbour)) continue;
      this.addInterference(node, neighbour);
      degree[node]++;
      degree[neighbour]++;
    }
    this.overlaps += kept;
    if (kept === active.length) this.active[bank] = widen(active);
    this.active[bank][kept] = range;
    this.activeCount[bank] = kept + 1;
    if (this.lastBlocked[bank] <= position) return;
    for (let r = firstRegisterOf(bank); r < VECTOR * (bank + 1); r++) {
      if (this.blockedUntil[r] > position) this.forbidden[node] |= bitOf(r);
    }
  }

  /** Returns the node of an active range. The cast holds because only nodes have active ranges. */
  private nodeOwning(range: LiveRange): GraphNode {
    return this.owner[range] as GraphNode;
  }

  private blockRegister(
    live: LiveIntervals,
    range: LiveRange,
    side: RegisterSide,
    position: Position,
  ): void {
    const register = registerOf(side);
    const bank = register < VECTOR ? 0 : 1;
    const end = live.rangeEnd[range];
    this.blockedUntil[register] = end;
    if (end > this.lastBlocked[bank]) this.lastBlocked[bank] = end;
    this.forbid(live, bank, bitOf(register), position);
  }

  /** Forbids the registers for all nodes that are live at `position`. */
  private forbid(
    { rangeEnd }: LiveIntervals,
    bank: number,
    mask: number,
    position: Position,
  ): void {
    const active = this.active[bank];
    const count = this.activeCount[bank];
    let kept = 0;
    for (let k = 0; k < count; k++) {
      const range = active[k];
      if (rangeEnd[range] <= position) continue;
      active[kept++] = range;
      this.forbidden[this.nodeOwning(range)] |= mask;
    }
    this.activeCount[bank] = kept;
  }
}

const BY_NODE = ["piece", "bank", "forbidden", "degree", "firstEdge"] as const;
