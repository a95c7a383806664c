// Emits loops over nodes. Each iteration loads the address of the next node, or adds a step to the
// current address. It accesses fields by both addresses, in any order. The root of an address thus
// differs between iterations, and two roots may be the same location.
//
// The accesses stay in the heap. Links are stored directly before the loop, and each is the address
// of a node. The loop stores only addresses of nodes to links. There are fewer steps than nodes.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, sizeOf, type Type, Void } from "../../ir/types.js";
import { compare, drawComparison } from "../maker/conditions.js";
import { guardAgainst } from "../maker/exits.js";
import { CELL, SINK } from "../maker/heap-layout.js";
import { oneArm } from "../maker/joins.js";
import type { HeapAddress, ProcedureMaker } from "../maker/maker.js";
import { placeIn, SPAN_MAX } from "../maker/memory.js";
import { combine } from "../maker/observe.js";
import { oneOf, repeat } from "../maker/rows.js";
import { drawIterations, makeSmallLoop, type SmallLoop } from "../maker/small-loops.js";
import { drawType } from "../maker/swarm.js";

/** The shortest window has room for this many consecutive links. */
const NODES_MAX = 4;
const FIELDS_MAX = 2;
const STEPS_MAX = 5;
/** The most attempts to find a location next to the links in the windows. */
const ATTEMPTS_MAX = 3;

interface NodeField {
  readonly type: Type;
  readonly offset: number;
}

/** Nodes at a distance of one cell; the link of each is at `offset` from its address. */
interface LinkedNodes {
  readonly addresses: readonly Value[];
  /** The distances of the first and the last node from the heap's start. */
  readonly low: number;
  readonly high: number;
  readonly offset: number;
  readonly fields: readonly NodeField[];
  /**
   * Whether accesses by carried addresses state their class: links and fields in two windows have
   * two classes.
   */
  readonly isStated: boolean;
  /** The distance to the next node; 0 if the next node is loaded. */
  readonly step: number;
  /** Whether the loop reads only links. */
  readonly isOnlyWritten: boolean;
}

/** Appends a loop along links, and an access by the last address after it. */
export function alongLinks(maker: ProcedureMaker, heapBase: Value): void {
  const nodes = makeNodes(maker, heapBase, 2 + maker.below(NODES_MAX - 1), 0);
  const { addresses } = nodes;
  const distance = 1 + maker.below(addresses.length);
  addresses.forEach((address, k) => {
    storeLink(maker, nodes, address, addresses[(k + distance) % addresses.length]);
  });
  makeWalk(maker, nodes, oneOf(maker, addresses), drawIterations(maker));
}

/** Appends a loop by a step, and an access by the last address after it. */
export function byStep(maker: ProcedureMaker, heapBase: Value): void {
  const isUp = maker.chance(70);
  const nodes = makeNodes(maker, heapBase, NODES_MAX, isUp ? CELL : -CELL);
  const start = nodes.addresses[isUp ? 0 : NODES_MAX - 1];
  makeWalk(maker, nodes, start, Math.min(drawIterations(maker), NODES_MAX - 1));
}

function makeWalk(
  maker: ProcedureMaker,
  nodes: LinkedNodes,
  start: Value,
  iterations: number,
): void {
  const first = maker.pick(nodes.fields[0].type);
  const known: Value[] = [];
  const body = (loop: SmallLoop): Value[] => {
    const { carried } = loop;
    let isLeft = false;
    const leave = (flag: Value): void => {
      isLeft = true;
      loop.leave(flag);
    };
    addNodeAddress(maker, nodes, carried[0]);
    const next = walk(maker, nodes, { ...loop, leave });
    known.push(isLeft || maker.chance(30) ? carried[0] : next[0]);
    return next;
  };
  makeSmallLoop(maker, [start, first], body, { iterations });
  for (const node of known) {
    const { low, high } = nodes;
    if (high - low <= SPAN_MAX) maker.addresses.push({ value: node, low, high });
    if (maker.chance(60)) storeField(maker, nodes, node, maker.pick(first.type));
    else loadField(maker, nodes, node);
  }
}

function makeNodes(
  maker: ProcedureMaker,
  heapBase: Value,
  count: number,
  step: number,
): LinkedNodes {
  const distance = maker.chance(60) ? 0 : maker.below(24) - 8;
  const addresses = Array.from({ length: count }, (_, k) => {
    const at = distance + CELL * k;
    return at === 0 ? heapBase : maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, at));
  });
  const all = { value: heapBase, low: distance, high: distance + CELL * (count - 1) };
  const offset = placeIn(maker, all, CELL);
  const fields = Array.from({ length: 1 + maker.below(FIELDS_MAX) }, () =>
    drawField(maker, all, offset),
  );
  const { low, high } = all;
  const isStated = maker.chance(50);
  return { addresses, low, high, offset, fields, isStated, step, isOnlyWritten: maker.chance(25) };
}

/**
 * Returns eight bytes of each node that are not links: in a window, or else in the cells that only
 * show values.
 */
function drawField(maker: ProcedureMaker, all: HeapAddress, links: number): NodeField {
  const type = drawType(maker.source, maker.swarm);
  const reach = all.high - all.low + CELL;
  const within = sizeOf(type) === 4 && maker.chance(40) ? 4 : 0;
  for (let tried = 0; tried < ATTEMPTS_MAX; tried++) {
    const offset = placeIn(maker, all, CELL);
    if (Math.abs(offset - links) >= reach) return { type, offset: offset + within };
  }
  const cell = maker.below((SINK.end - SINK.start - reach) / CELL);
  return { type, offset: SINK.start + CELL * cell - all.low + within };
}

function addNodeAddress(
  { knownAddresses }: ProcedureMaker,
  { low, high, isStated }: LinkedNodes,
  value: Value,
): void {
  knownAddresses.push({ value, low, high, isStated });
}

function storeLink(maker: ProcedureMaker, { offset }: LinkedNodes, from: Value, to: Value): void {
  maker.append(Op.Store, Void, to, from).offset = offset;
}

/**
 * Emits the steps of an iteration, in any order.
 * @returns the next node, and the carried sum
 */
function walk(maker: ProcedureMaker, nodes: LinkedNodes, loop: SmallLoop): Value[] {
  const [node] = loop.carried;
  let total = loop.carried[1];
  let next: Value | null = null;
  const follow = (): Value => {
    const to = nextOf(maker, nodes, node);
    addNodeAddress(maker, nodes, to);
    return to;
  };
  if (maker.chance(45)) next = follow();
  repeat(maker, 1 + maker.below(STEPS_MAX), () => {
    const at = next !== null && maker.chance(60) ? next : node;
    const roll = nodes.isOnlyWritten ? 0 : maker.below(9);
    if (roll < 3) storeField(maker, nodes, at, total);
    else if (roll < 5) total = combine(maker, total, loadField(maker, nodes, at));
    else if (roll < 7) next ??= follow();
    else if (roll === 7) oneArm(maker, compare(maker), () => storeField(maker, nodes, at, total));
    else testField(maker, nodes, at, loop);
  });
  if (nodes.step === 0 && maker.chance(15))
    storeLink(maker, nodes, node, oneOf(maker, nodes.addresses));
  return [next ?? follow(), total];
}

function nextOf(maker: ProcedureMaker, { offset, step }: LinkedNodes, node: Value): Value {
  if (step !== 0) return maker.append(Op.Add, Int64, node, maker.integer(Int64, step));
  const link = maker.append(Op.Load, Int64, node);
  link.offset = offset;
  return link;
}

/** Emits a guard on a field, or leaves the loop by it. */
function testField(
  maker: ProcedureMaker,
  nodes: LinkedNodes,
  node: Value,
  { leave }: SmallLoop,
): void {
  const field = loadField(maker, nodes, node);
  const { type } = field;
  const flag = maker.append(drawComparison(maker, type), Int32, field, maker.pick(type));
  if (maker.chance(50)) guardAgainst(maker, flag);
  else leave(flag);
}

function loadField(maker: ProcedureMaker, { fields }: LinkedNodes, node: Value): Value {
  const { type, offset } = oneOf(maker, fields);
  const value = maker.emit(Op.Load, type, node);
  value.offset = offset;
  return value;
}

/** Stores the value, another value if the type differs, or a byte. */
function storeField(
  maker: ProcedureMaker,
  { fields }: LinkedNodes,
  node: Value,
  value: Value,
): void {
  const { type, offset } = oneOf(maker, fields);
  if (maker.chance(15)) {
    const at = offset + maker.below(sizeOf(type));
    maker.append(Op.Store8, Void, maker.pickValue(Int32), node).offset = at;
    return;
  }
  const stored = maker.closed(value.type === type ? value : maker.pick(type));
  maker.append(Op.Store, Void, stored, node).offset = offset;
}
