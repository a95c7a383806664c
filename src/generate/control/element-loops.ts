// Emits loops that load the element which the previous iteration stored: p[k] = f(p[k - 1]). A
// compiler may keep it in a register if no other store may overwrite it.
//
// The loops end: the counter increases by 1 up to less than 8.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, sizeOf, type Type, Void } from "../../ir/types.js";
import { compare } from "../maker/conditions.js";
import { enter, oneArm, reserved, twoArms } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn, writtenInLoop } from "../maker/memory.js";
import { observePending } from "../maker/observe.js";
import { LIMITS } from "../maker/odds.js";
import { drawType } from "../maker/swarm.js";

/**
 * Bytes from the first element to the last. Together with an access of 8 bytes they fit into the
 * shortest window.
 */
const REACH = 24;
const ITERATIONS_MAX = 8;

/** An array of elements of one type; the counter is scaled by the size. */
interface ElementArray {
  readonly type: Type;
  readonly size: number;
  readonly heapBase: Value;
  /** The offset of element 0. */
  readonly offset: number;
}

/** Appends such a loop if there is a heap and room for a loop. */
export function elementBefore(maker: ProcedureMaker): void {
  const { heapBase, iterations } = maker;
  if (heapBase === null || ITERATIONS_MAX * iterations > LIMITS.iterations) return;
  const type = drawType(maker.source, maker.swarm);
  const size = sizeOf(type);
  const offset = placeIn(maker, { value: heapBase, low: 0, high: REACH }, 8);
  const elements = { type, size, heapBase, offset };
  const first = maker.closed(maker.pick(type));
  const store = (value: Value): void => {
    maker.append(Op.Store, Void, value, heapBase).offset = offset;
  };
  if (maker.chance(20)) storeOneOf(maker, store, first, maker.closed(maker.pick(type)));
  else if (maker.chance(85)) store(first);
  else maker.emit(Op.Load, type, heapBase).offset = offset;
  if (maker.chance(25)) storeByte(maker, elements, heapBase, 0);
  makeLoop(maker, elements);
}

function makeLoop(maker: ProcedureMaker, elements: ElementArray): void {
  const { proc } = maker;
  const mask = maker.integer(Int32, REACH / elements.size);
  const isMasked = maker.chance(80);
  const limit = isMasked
    ? maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), mask)
    : maker.integer(Int32, REACH / elements.size);
  const counter = proc.newValue(Op.Phi, Int32);
  maker.upsilon(maker.integer(Int32, 1), counter);
  const [header, body, exit] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.jump(header);
  maker.written = writtenInLoop(maker);
  enter(maker, header, [counter]);
  const isInclusive = maker.chance(30);
  const continues = maker.append(isInclusive ? Op.LessEqual : Op.LessThan, Int32, counter, limit);
  maker.branch(continues, body, exit);
  const writtenAtExit = maker.written.slice();
  const scope = maker.mark();
  maker.block = body;
  iterate(maker, elements, counter);
  observePending(maker, scope, null);
  maker.upsilon(maker.append(Op.Add, Int32, counter, maker.integer(Int32, 1)), counter);
  maker.jump(header);
  maker.release(scope);
  maker.written = writtenAtExit;
  enter(maker, exit, []);
}

function iterate(maker: ProcedureMaker, elements: ElementArray, counter: Value): void {
  const { type, size, heapBase, offset } = elements;
  const extension = maker.chance(60) ? Op.ZExt32 : Op.SExt32;
  const wide = maker.append(extension, Int64, counter);
  const shift = maker.integer(Int32, size === 4 ? 2 : 3);
  const address = maker.append(Op.Add, Int64, heapBase, maker.append(Op.Shl, Int64, wide, shift));
  // The store may be to the previous or the current element; after the last one there is no room.
  if (maker.chance(20)) storeByte(maker, elements, address, -size);
  const loaded = maker.emit(Op.Load, type, address);
  loaded.offset = offset - size;
  const next = maker.emit(Op.Add, type, reserved(loaded), maker.pick(type));
  const stored = maker.closed(next);
  if (maker.chance(90)) maker.append(Op.Store, Void, stored, address).offset = offset;
  else {
    oneArm(maker, compare(maker), () => {
      maker.append(Op.Store, Void, stored, address).offset = offset;
    });
  }
  if (maker.chance(35)) storeByte(maker, elements, address, -size);
}

/** Stores one of two values, as a branch before the stores selects. */
function storeOneOf(
  maker: ProcedureMaker,
  store: (value: Value) => void,
  x: Value,
  y: Value,
): void {
  const arms = [x, y].map((value) => () => {
    store(value);
    return [];
  });
  twoArms(maker, compare(maker), arms, []);
}

/**
 * Stores to a byte of two adjacent elements, the first at this distance from the address, or to any
 * byte.
 */
function storeByte(
  maker: ProcedureMaker,
  elements: ElementArray,
  address: Value,
  distance: number,
): void {
  const { heapBase, offset, size } = elements;
  const byte = maker.pickValue(Int32);
  if (maker.chance(40)) {
    const other = pickAddress(maker, heapBase);
    const at = placeIn(maker, other, 1);
    maker.append(Op.Store8, Void, byte, other.value).offset = at;
    return;
  }
  const at = offset + distance + maker.below(2 * size);
  maker.append(Op.Store8, Void, byte, address).offset = at;
}
