// Colours an interference graph by iterated register coalescing, after George and Appel, "Iterated
// Register Coalescing" (TOPLAS 18:3, 1996): simplify, coalesce, freeze, select a potential spill,
// until no node is left; then colours in the opposite order.
//
// Input:  the graph; the cost of each node in memory, Infinity if it must have a register; the
//         copies that would disappear if both sides had one register, with their weights.
// Output: for each node a register, or NOWHERE for an actual spill.
//
// 1. Registers are not nodes. A copy's second side may be a register (RegisterSide). A node that
//    interferes with a register has it in its mask.
// 2. A node of insignificant degree (less than the number of colours) always finds a colour.
//    Coalescing is conservative. Two nodes may be coalesced if the combined node has fewer
//    significant neighbours than colours (Briggs). They may also be coalesced if each neighbour of
//    one is insignificant or already interferes with the other (George); this is the only test for
//    registers. So every node that could be simplified still can.
// 3. Potential spills are coloured optimistically. If coalesced nodes find no common colour, each
//    is tried alone, the most expensive first, before any is spilled.
// 4. A node whose cost is Infinity is never spilled, if every instruction fits the register file.
//    When all other nodes are removed, consider the demands of one instruction: first those of one
//    half are insignificant, and then those of both.
// 5. Terminates: each step removes a node or a copy from the worklists. A copy returns only when
//    the degree of a node becomes insignificant.

import {
  type Doubles,
  type Index,
  type IndexArray,
  newColumn,
  newDoubles,
  type PhysicalRegister,
} from "../../lir/indices.js";
import { NOWHERE, type RegisterSet } from "../../lir/lir.js";
import { NONE, sized, widen } from "../arenas.js";
import { EVENT } from "../events.js";
import { PositionHeap } from "../position-heap.js";
import { bitOf, countBits } from "../room.js";
import type { AllocationAction } from "../trace.js";
import {
  FIRST_NODE,
  type GraphNode,
  type InterferenceGraph,
  isNode,
  type RegisterSide,
  registerOf,
} from "./interference-graph.js";

/**
 * A growing stack of nodes. An entry is stale if the node's state is no longer that of this list.
 */
class NodeStack {
  private nodes: IndexArray<GraphNode> = newColumn(64);
  count = 0;

  push(node: GraphNode): void {
    if (this.count === this.nodes.length) this.nodes = widen(this.nodes);
    this.nodes[this.count++] = node;
  }

  pop(): GraphNode {
    return this.nodes[--this.count];
  }

  at(index: number): GraphNode {
    return this.nodes[index];
  }

  /** Removes an entry; the last one takes its index. */
  remove(index: number): void {
    this.nodes[index] = this.nodes[--this.count];
  }
}

type CopyEnd = GraphNode | RegisterSide;
/** A copy that may be coalesced. */
type Copy = Index<"Copy">;
/** An entry in the list of a node's copies. Each copy has two: cellX and cellY. */
type CopyListCell = Index<"Cell">;

const FIRST_COPY = 0 as Copy;
const cellX = (copy: Copy): CopyListCell => (2 * copy) as CopyListCell;
const cellY = (copy: Copy): CopyListCell => (2 * copy + 1) as CopyListCell;
const copyOf = (cell: CopyListCell): Copy => (cell >> 1) as Copy;
const isCellX = (cell: CopyListCell): boolean => (cell & 1) === 0;

// The states of a node. The first three are worklists.
const SIMPLIFY = 0;
const FREEZE = 1;
const SPILL = 2;
const STACKED = 3;
const COALESCED = 4;

// The states of a copy. A WAITING copy is in the heap; an ASLEEP copy could not be coalesced yet.
const WAITING = 0;
const ASLEEP = 1;
const DONE = 2;

/**
 * The cost of the first use of a callee-saved register: saving and restoring it, once per entry.
 */
const SAVE_COST = 1;

/** The gain of a register that the other side of a copy may still get, as a fraction of its weight. */
const POSSIBLE_SHARE = 0.5;

/** Receives a decision about a node; `other` is the node with which it is coalesced, or NONE. */
export type NodeTrace = (
  node: GraphNode,
  action: AllocationAction,
  register: PhysicalRegister,
  reason: string,
  other?: GraphNode,
) => void;

export class GraphColouring {
  private graph: InterferenceGraph;
  /** By row of EVENTS; belongs to the current allocation. */
  private events: Int32Array<ArrayBuffer> = new Int32Array(0);
  private trace: NodeTrace | null = null;

  // The following arrays are indexed by node.
  /** A register, or NOWHERE. */
  colour: IndexArray<PhysicalRegister, GraphNode> = newColumn(128);
  /** The cost of memory; for a coalesced node, the sum over its members that can be in memory. */
  cost: Doubles<GraphNode> = newDoubles(128);
  private state: IndexArray<number, GraphNode> = newColumn(128);
  /** The node, or the register as a side, into which it was coalesced. */
  private alias: IndexArray<CopyEnd, GraphNode> = newColumn(128);
  /** The mask before coalescing. */
  private ownForbidden: IndexArray<number, GraphNode> = newColumn(128);
  private ownCost: Doubles<GraphNode> = newDoubles(128);
  /** The next member of the same coalesced node. */
  private nextMember: IndexArray<GraphNode, GraphNode> = newColumn(128);
  private lastMember: IndexArray<GraphNode, GraphNode> = newColumn(128);
  /** Its copies: a list of cells. */
  private firstCell: IndexArray<CopyListCell, GraphNode> = newColumn(128);
  private lastCell: IndexArray<CopyListCell, GraphNode> = newColumn(128);
  /** The number of its copies that are not DONE. */
  private openCopies: IndexArray<number, GraphNode> = newColumn(128);
  /** The last query that counted it. */
  private mark: IndexArray<number, GraphNode> = newColumn(128);
  private query = 0;

  // By copy; cells 2c and 2c + 1 are its entries in the lists of its sides.
  private copyX: IndexArray<GraphNode, Copy> = newColumn(128);
  private copyY: IndexArray<CopyEnd, Copy> = newColumn(128);
  private copyWeight: Doubles<Copy> = newDoubles(128);
  private copyState: IndexArray<number, Copy> = newColumn(128);
  private nextCell: IndexArray<CopyListCell, CopyListCell> = newColumn(256);
  private copyCount = 0;
  private coalescesPieces = false;

  private readonly waiting = new PositionHeap<Copy>();
  private readonly simplifiable = new NodeStack();
  private readonly freezable = new NodeStack();
  private readonly spillable = new NodeStack();
  private readonly stack = new NodeStack();

  // By register, for the current node: the weight of copies that this register would save.
  private readonly copyGain: Doubles<PhysicalRegister> = newDoubles(64);
  /** By bank: callee-saved registers in use. */
  private readonly saved = new Int32Array(2);

  constructor(graph: InterferenceGraph) {
    this.graph = graph;
  }

  /**
   * Starts with the nodes of the graph. The caller then adds `cost` and copies, and calls `run`.
   */
  begin(coalescesPieces: boolean): void {
    this.coalescesPieces = coalescesPieces;
    const { count } = this.graph;
    if (this.colour.length < count) {
      this.colour = sized(this.colour, count);
      this.state = sized(this.state, count);
      this.alias = sized(this.alias, count);
      this.ownForbidden = sized(this.ownForbidden, count);
      this.nextMember = sized(this.nextMember, count);
      this.lastMember = sized(this.lastMember, count);
      this.firstCell = sized(this.firstCell, count);
      this.lastCell = sized(this.lastCell, count);
      this.openCopies = sized(this.openCopies, count);
      this.mark = sized(this.mark, count);
      this.cost = newDoubles(this.colour.length);
      this.ownCost = newDoubles(this.colour.length);
    }
    this.copyCount = 0;
    this.firstCell.fill(NONE, 0, count);
    this.openCopies.fill(0, 0, count);
    this.mark.fill(0, 0, count);
    this.query = 0;
  }

  /**
   * Adds a copy that may be coalesced.
   *
   * @param y a node, or a register as a side
   */
  addCopy(x: GraphNode, y: CopyEnd, weight: number): void {
    const copy = this.addHint(x, y, weight);
    if (copy === NONE) return;
    this.openCopies[x]++;
    if (isNode(y)) this.openCopies[y]++;
    this.wake(copy);
  }

  /** Adds a copy between pieces of one interval. */
  addJoint(x: GraphNode, y: GraphNode, weight: number): void {
    if (this.coalescesPieces) this.addCopy(x, y, weight);
    else this.addHint(x, y, weight);
  }

  /** Adds a copy that is not coalesced: it only influences the choice of colours. */
  private addHint(x: GraphNode, y: CopyEnd, weight: number): Copy {
    if (x === y || this.isConstrained(x, y)) return NONE;
    const copy = this.copyCount++ as Copy;
    if (copy === this.copyX.length) {
      this.copyX = widen(this.copyX);
      this.copyY = widen(this.copyY);
      this.copyState = widen(this.copyState);
      this.nextCell = widen(this.nextCell);
      const larger = newDoubles<Copy>(2 * this.copyWeight.length);
      larger.set(this.copyWeight);
      this.copyWeight = larger;
    }
    this.copyX[copy] = x;
    this.copyY[copy] = y;
    this.copyWeight[copy] = weight;
    this.linkCell(cellX(copy), x);
    if (isNode(y)) this.linkCell(cellY(copy), y);
    this.copyState[copy] = DONE;
    return copy;
  }

  /** Returns whether the node must have a register, by its own cost. */
  isUnspillable(node: GraphNode): boolean {
    return this.ownCost[node] === Number.POSITIVE_INFINITY;
  }

  private linkCell(cell: CopyListCell, node: GraphNode): void {
    if (this.firstCell[node] === NONE) this.lastCell[node] = cell;
    this.nextCell[cell] = this.firstCell[node];
    this.firstCell[node] = cell;
  }

  /** Returns whether both sides can never have the same register. */
  private isConstrained(x: GraphNode, y: CopyEnd): boolean {
    if (isNode(y)) return this.graph.interfere(x, y);
    const register = registerOf(y);
    if (register >> 5 !== this.graph.bank[x]) return true;
    return (this.graph.forbidden[x] & bitOf(register)) !== 0;
  }

  private wake(copy: Copy): void {
    this.copyState[copy] = WAITING;
    this.waiting.push(-Math.min(16 * this.copyWeight[copy], WEIGHT_MAX) | 0, copy);
  }

  /** @param trace receives each decision about a node */
  run(registers: RegisterSet, events: Int32Array<ArrayBuffer>, trace: NodeTrace | null): void {
    this.events = events;
    this.trace = trace;
    this.sortNodes();
    for (;;) {
      if (this.simplifiable.count > 0) this.simplify();
      else if (this.waiting.count > 0) this.coalesce(this.waiting.pop());
      else if (this.freezable.count > 0) this.freezeOne();
      else if (this.spillable.count > 0) this.selectSpill();
      else break;
    }
    this.colourAll(registers);
  }

  private sortNodes(): void {
    const { count, degree, forbidden } = this.graph;
    this.ownForbidden.set(forbidden.subarray(0, count));
    this.ownCost.set(this.cost.subarray(0, count));
    this.stack.count = 0;
    this.simplifiable.count = 0;
    this.freezable.count = 0;
    this.spillable.count = 0;
    for (let n = FIRST_NODE; n < count; n++) {
      this.colour[n] = NOWHERE;
      this.alias[n] = n;
      this.nextMember[n] = NONE;
      this.lastMember[n] = n;
      if (degree[n] >= this.coloursOf(n)) this.enter(n, SPILL);
      else this.enter(n, this.openCopies[n] > 0 ? FREEZE : SIMPLIFY);
    }
  }

  private coloursOf(node: GraphNode): number {
    return this.graph.colourCount[this.graph.bank[node]];
  }

  private enter(node: GraphNode, state: typeof SIMPLIFY | typeof FREEZE | typeof SPILL): void {
    this.state[node] = state;
    if (state === SIMPLIFY) this.simplifiable.push(node);
    else if (state === FREEZE) this.freezable.push(node);
    else this.spillable.push(node);
  }

  /** Returns the current node, or register as a side, of a side of a copy. */
  private find(side: CopyEnd): CopyEnd {
    let at = side;
    while (isNode(at) && this.alias[at] !== at) at = this.alias[at];
    return at;
  }

  // --- the steps ---

  private simplify(): void {
    const { firstEdge, edgeNext, edgeTo } = this.graph;
    const node = this.simplifiable.pop();
    if (this.state[node] !== SIMPLIFY) return;
    this.state[node] = STACKED;
    this.stack.push(node);
    for (let e = firstEdge[node]; e !== NONE; e = edgeNext[e]) {
      if (this.state[edgeTo[e]] < STACKED) this.lowerDegree(edgeTo[e]);
    }
  }

  private lowerDegree(node: GraphNode): void {
    const { degree, firstEdge, edgeNext, edgeTo } = this.graph;
    if (degree[node]-- !== this.coloursOf(node)) return;
    // It has just become insignificant: copies near it may pass the tests.
    this.wakeCopies(node);
    for (let e = firstEdge[node]; e !== NONE; e = edgeNext[e]) {
      if (this.state[edgeTo[e]] < STACKED) this.wakeCopies(edgeTo[e]);
    }
    if (this.state[node] === SPILL) this.enter(node, this.openCopies[node] > 0 ? FREEZE : SIMPLIFY);
  }

  private wakeCopies(node: GraphNode): void {
    if (this.openCopies[node] === 0) return;
    for (let cell = this.firstCell[node]; cell !== NONE; cell = this.nextCell[cell]) {
      if (this.copyState[copyOf(cell)] === ASLEEP) this.wake(copyOf(cell));
    }
  }

  private coalesce(copy: Copy): void {
    if (this.copyState[copy] !== WAITING) return;
    let x = this.find(this.copyX[copy]);
    let y = this.find(this.copyY[copy]);
    if (!isNode(x)) [x, y] = [y, x];
    if (x === y || !isNode(x) || this.isConstrained(x, y)) {
      this.finishCopy(copy, x, y);
      return;
    }
    if (isNode(y) ? !this.mayCoalesce(x, y) : !this.mayCoalesceWithRegister(x, registerOf(y))) {
      this.copyState[copy] = ASLEEP;
      return;
    }
    this.events[EVENT.coalesced]++;
    if (this.trace !== null) this.traceCoalescing(x, y);
    if (isNode(y)) this.combine(x, y);
    else this.coalesceWithRegister(x, y);
    this.copyState[copy] = DONE;
    this.openCopies[x] -= isNode(y) ? 2 : 1;
    if (isNode(y)) this.enterCurrentList(x);
  }

  /** Marks the copy as decided; `x` and `y` are its current sides. */
  private finishCopy(copy: Copy, x: CopyEnd, y: CopyEnd): void {
    this.copyState[copy] = DONE;
    this.closeCopyOf(x);
    this.closeCopyOf(y);
  }

  private closeCopyOf(side: CopyEnd): void {
    if (!isNode(side)) return;
    this.openCopies[side]--;
    if (this.openCopies[side] > 0 || this.state[side] !== FREEZE) return;
    if (this.graph.degree[side] < this.coloursOf(side)) this.enter(side, SIMPLIFY);
  }

  /** Tests whether the node may get the register, by George's test. */
  private mayCoalesceWithRegister(node: GraphNode, register: PhysicalRegister): boolean {
    const { degree, firstEdge, edgeNext, edgeTo, forbidden } = this.graph;
    const colours = this.coloursOf(node);
    const bit = bitOf(register);
    for (let e = firstEdge[node]; e !== NONE; e = edgeNext[e]) {
      const other = edgeTo[e];
      if (this.state[other] >= STACKED || degree[other] < colours) continue;
      if ((forbidden[other] & bit) === 0) return false;
    }
    return true;
  }

  /**
   * Tests whether two nodes may be coalesced, by Briggs's test and by George's in both directions.
   */
  private mayCoalesce(x: GraphNode, y: GraphNode): boolean {
    const { allocatable, bank, forbidden } = this.graph;
    const colours = this.coloursOf(x);
    const taken = countBits((forbidden[x] | forbidden[y]) & allocatable[bank[x]]);
    this.query++;
    const ofX = this.countSignificant(x, colours, colours - taken);
    const ofY = this.countSignificant(y, colours, colours - taken - ofX);
    if (taken + ofX + ofY < colours) return true;
    return this.isCovered(x, y, colours) || this.isCovered(y, x, colours);
  }

  /** Counts up to `limit` significant neighbours that this query has not counted yet. */
  private countSignificant(node: GraphNode, colours: number, limit: number): number {
    const { degree, firstEdge, edgeNext, edgeTo } = this.graph;
    let count = 0;
    for (let e = firstEdge[node]; e !== NONE && count < limit; e = edgeNext[e]) {
      const other = edgeTo[e];
      if (this.state[other] >= STACKED || this.mark[other] === this.query) continue;
      this.mark[other] = this.query;
      if (degree[other] >= colours) count++;
    }
    return count;
  }

  /**
   * Returns whether each neighbour of x is insignificant or interferes with y, and y has every bit
   * of x's mask.
   */
  private isCovered(x: GraphNode, y: GraphNode, colours: number): boolean {
    const { degree, firstEdge, edgeNext, edgeTo, forbidden } = this.graph;
    if ((forbidden[x] & ~forbidden[y]) !== 0) return false;
    for (let e = firstEdge[x]; e !== NONE; e = edgeNext[e]) {
      const other = edgeTo[e];
      if (this.state[other] >= STACKED || degree[other] < colours) continue;
      if (!this.graph.interfere(other, y)) return false;
    }
    return true;
  }

  private coalesceWithRegister(node: GraphNode, side: RegisterSide): void {
    const { firstEdge, edgeNext, edgeTo, forbidden } = this.graph;
    const bit = bitOf(registerOf(side));
    this.state[node] = COALESCED;
    this.alias[node] = side;
    this.wakeCopies(node);
    for (let e = firstEdge[node]; e !== NONE; e = edgeNext[e]) {
      const other = edgeTo[e];
      if (this.state[other] >= STACKED) continue;
      if ((forbidden[other] & bit) === 0) forbidden[other] |= bit;
      else this.lowerDegree(other);
    }
  }

  /** Makes y a part of x. */
  private combine(x: GraphNode, y: GraphNode): void {
    const { graph } = this;
    const { degree, forbidden, allocatable, bank } = graph;
    this.state[y] = COALESCED;
    this.alias[y] = x;
    this.nextMember[this.lastMember[x]] = y;
    this.lastMember[x] = this.lastMember[y];
    if (this.cost[x] === Number.POSITIVE_INFINITY) this.cost[x] = this.cost[y];
    else if (this.cost[y] !== Number.POSITIVE_INFINITY) this.cost[x] += this.cost[y];
    degree[x] += countBits(forbidden[y] & ~forbidden[x] & allocatable[bank[x]]);
    forbidden[x] |= forbidden[y];
    this.wakeCopies(y);
    if (this.firstCell[y] !== NONE) {
      if (this.firstCell[x] === NONE) this.firstCell[x] = this.firstCell[y];
      else this.nextCell[this.lastCell[x]] = this.firstCell[y];
      this.lastCell[x] = this.lastCell[y];
    }
    this.openCopies[x] += this.openCopies[y];
    // The edges are read from the graph each time, as `addInterference` may replace its arrays.
    for (let e = graph.firstEdge[y]; e !== NONE; e = graph.edgeNext[e]) {
      const other = graph.edgeTo[e];
      if (this.state[other] >= STACKED) continue;
      if (graph.interfere(other, x)) this.lowerDegree(other);
      else {
        graph.addInterference(other, x);
        degree[x]++;
      }
    }
  }

  /** Puts a coalesced node on the worklist for its degree and copies. */
  private enterCurrentList(node: GraphNode): void {
    if (this.graph.degree[node] >= this.coloursOf(node)) {
      if (this.state[node] !== SPILL) this.enter(node, SPILL);
    } else if (this.openCopies[node] === 0) this.enter(node, SIMPLIFY);
    else if (this.state[node] !== FREEZE) this.enter(node, FREEZE);
  }

  /** Freezes the copies of an insignificant node. */
  private freezeOne(): void {
    const node = this.freezable.pop();
    if (this.state[node] !== FREEZE) return;
    this.events[EVENT.frozen]++;
    this.enter(node, SIMPLIFY);
    this.freezeCopies(node);
  }

  private freezeCopies(node: GraphNode): void {
    for (let cell = this.firstCell[node]; cell !== NONE; cell = this.nextCell[cell]) {
      const copy = copyOf(cell);
      if (this.copyState[copy] === DONE) continue;
      this.finishCopy(copy, this.find(this.copyX[copy]), this.find(this.copyY[copy]));
    }
  }

  /** Removes the significant node with the least cost in memory relative to its degree. */
  private selectSpill(): void {
    const { spillable, state, cost } = this;
    const { degree } = this.graph;
    let best: GraphNode = NONE;
    let least = Number.POSITIVE_INFINITY;
    for (let k = spillable.count - 1; k >= 0; k--) {
      const node = spillable.at(k);
      if (state[node] !== SPILL) {
        spillable.remove(k);
        continue;
      }
      const price = cost[node] / degree[node];
      if (best !== NONE && price >= least) continue;
      best = node;
      least = price;
    }
    if (best === NONE) return;
    this.events[EVENT["potential-spill"]]++;
    this.trace?.(
      best,
      "finds no register",
      NOWHERE,
      "not yet: it has the least cost in memory by neighbor",
    );
    this.enter(best, SIMPLIFY);
    this.freezeCopies(best);
  }

  // --- colours ---

  private colourAll({ general, vector, callerSaved }: RegisterSet): void {
    const { bank, forbidden } = this.graph;
    this.saved.fill(0);
    for (let n = FIRST_NODE; n < this.graph.count; n++) {
      const side = this.find(n);
      if (!isNode(side)) this.assign(n, registerOf(side), callerSaved, "joined with the register");
    }
    while (this.stack.count > 0) {
      const node = this.stack.pop();
      const order = bank[node] === 0 ? general : vector;
      const cost = this.cost[node];
      const register = this.choose(node, true, forbidden[node], cost, order, callerSaved);
      if (register !== NOWHERE) {
        for (let m = node; m !== NONE; m = this.nextMember[m]) {
          this.assign(m, register, callerSaved, "free, and saves most");
        }
      } else if (this.nextMember[node] === NONE) this.spill(node);
      else this.dissolve(node, order, callerSaved);
    }
  }

  /** Returns whether the two sides of some copy have different registers. */
  hasSplitCopies(): boolean {
    for (let c = FIRST_COPY; c < this.copyCount; c++) {
      const y = this.copyY[c];
      if (isNode(y) && this.colour[this.copyX[c]] !== this.colour[y]) return true;
    }
    return false;
  }

  private spill(node: GraphNode): void {
    this.events[EVENT.spilled]++;
    this.trace?.(
      node,
      "finds no register",
      NOWHERE,
      "its neighbors have all, or memory costs less",
    );
  }

  private traceCoalescing(x: GraphNode, y: CopyEnd): void {
    const [register, other] = isNode(y) ? [NOWHERE, y] : [registerOf(y), NONE];
    this.trace?.(x, "is joined", register, "a copy connects them", other);
  }

  private assign(
    node: GraphNode,
    register: PhysicalRegister,
    callerSaved: Uint8Array,
    reason: string,
  ): void {
    this.trace?.(node, "takes", register, reason);
    this.colour[node] = register;
    if (callerSaved[register] === 0) this.saved[this.graph.bank[node]] |= bitOf(register);
  }

  /**
   * Returns the free register that saves most, or NOWHERE.
   *
   * @param isWhole whether for the node with all its members, rather than for one of them
   */
  private choose(
    node: GraphNode,
    isWhole: boolean,
    forbidden: number,
    cost: number,
    order: readonly PhysicalRegister[],
    callerSaved: Uint8Array,
  ): PhysicalRegister {
    const { bank } = this.graph;
    const taken = forbidden | this.coloursOfNeighbours(node, isWhole);
    if ((taken & this.graph.allocatable[bank[node]]) === this.graph.allocatable[bank[node]]) {
      return NOWHERE;
    }
    const saved = this.saved[bank[node]];
    const hasCopies = this.measureCopyGains(node, order);
    let best: PhysicalRegister = NOWHERE;
    let most = cost === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : -cost;
    for (let k = 0; k < order.length; k++) {
      const register = order[k];
      const bit = bitOf(register);
      if ((taken & bit) !== 0) continue;
      const isNew = callerSaved[register] === 0 && (saved & bit) === 0;
      const gain = (hasCopies ? this.copyGain[register] : 0) - (isNew ? SAVE_COST : 0);
      if (gain <= most) continue;
      best = register;
      most = gain;
    }
    if (best === NOWHERE) this.events[EVENT["not-worth-saving"]]++;
    return best;
  }

  /** Returns the registers of the neighbours, as a mask. */
  private coloursOfNeighbours(node: GraphNode, isWhole: boolean): number {
    const { firstEdge, edgeNext, edgeTo } = this.graph;
    let taken = 0;
    // For all members: an edge of the whole node may lead to a node that has been dissolved since.
    for (let m = node; m !== NONE; m = isWhole ? this.nextMember[m] : NONE) {
      for (let e = firstEdge[m]; e !== NONE; e = edgeNext[e]) {
        const colour = this.colour[edgeTo[e]];
        if (colour !== NOWHERE) taken |= bitOf(colour);
      }
    }
    return taken;
  }

  /**
   * Computes `copyGain`. If the other side of a copy has no register yet, each register that it could
   * have counts as well, for less. Returns false, without computing it, if there is no copy to
   * save.
   */
  private measureCopyGains(node: GraphNode, order: readonly PhysicalRegister[]): boolean {
    const { copyGain } = this;
    if (this.firstCell[node] === NONE) return false;
    copyGain.fill(0);
    for (let cell = this.firstCell[node]; cell !== NONE; cell = this.nextCell[cell]) {
      const copy = copyOf(cell);
      const weight = this.copyWeight[copy];
      const side = isCellX(cell) ? this.copyY[copy] : this.copyX[copy];
      const register = isNode(side) ? this.colour[side] : registerOf(side);
      if (register !== NOWHERE) copyGain[register] += weight;
      else {
        const other = this.find(side);
        if (isNode(other) && other !== node)
          this.addPossibleRegisters(other, POSSIBLE_SHARE * weight, order);
      }
    }
    return true;
  }

  private addPossibleRegisters(
    node: GraphNode,
    weight: number,
    order: readonly PhysicalRegister[],
  ): void {
    const taken = this.graph.forbidden[node] | this.coloursOfNeighbours(node, true);
    for (let k = 0; k < order.length; k++) {
      if ((taken & bitOf(order[k])) === 0) this.copyGain[order[k]] += weight;
    }
  }

  /**
   * Colours the members of a node one by one. If a member that must have a register finds none, the
   * members that can be in memory are spilled to make room.
   */
  private dissolve(
    node: GraphNode,
    order: readonly PhysicalRegister[],
    callerSaved: Uint8Array,
  ): void {
    this.events[EVENT.dissolved]++;
    this.query++;
    let isStuck = false;
    for (;;) {
      let next: GraphNode = NONE;
      for (let m = node; m !== NONE; m = this.nextMember[m]) {
        if (this.mark[m] === this.query) continue;
        if (next === NONE || this.ownCost[m] > this.ownCost[next]) next = m;
      }
      if (next === NONE) break;
      this.mark[next] = this.query;
      const cost = this.ownCost[next];
      const register = this.choose(next, false, this.ownForbidden[next], cost, order, callerSaved);
      if (register !== NOWHERE)
        this.assign(next, register, callerSaved, "free for this member alone");
      else if (cost === Number.POSITIVE_INFINITY) isStuck = true;
      else this.spill(next);
    }
    for (let m = node; isStuck && m !== NONE; m = this.nextMember[m]) {
      if (this.ownCost[m] === Number.POSITIVE_INFINITY) continue;
      this.colour[m] = NOWHERE;
      this.trace?.(m, "finds no register", NOWHERE, "a joined piece must have one");
    }
  }
}

/** The heap treats greater weights as equal. */
const WEIGHT_MAX = 0x3fff_ffff;
