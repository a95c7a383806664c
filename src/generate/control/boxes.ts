// Emits boxes: 64-bit values with a tag and a payload, as interpreters of dynamic languages use
// them. Guards test the tag, arithmetic works on the payload, the result is boxed again, and exits
// show the box.
//
// A box is either a pair or a number. A pair has the tag in the high half and a payload of 32 bits
// in the low half. A number is the bits of a Double; the tags of other payloads are then above
// those of all numbers.

import { Op } from "../../ir/opcodes.js";
import type { StackSlot, Value } from "../../ir/procedure.js";
import { Double, Int32, Int64, Void } from "../../ir/types.js";
import { compare } from "../maker/conditions.js";
import { snapshotOf } from "../maker/exits.js";
import { twoArms } from "../maker/joins.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn, slotBase } from "../maker/memory.js";
import { LIMITS } from "../maker/odds.js";
import { oneOf } from "../maker/rows.js";
import { hasRoomForSmallLoop, makeSmallLoop } from "../maker/small-loops.js";

// biome-ignore format: a table
export const BOXES: readonly MakerRow[] = [
  { name: "box of a loop",          weight: 5, make: boxesInLoop },
  { name: "boxes of several tags",  weight: 3, make: boxesOfSeveralTags },
  { name: "box in memory",          weight: 2, make: boxInMemory },
  { name: "box in the frame",       weight: 2, make: boxInFrame },
  { name: "known tag",      weight: 2, make: knownTag },
];

/** Tags of pairs: small ones, ends of halves, and tags above all numbers. */
const TAGS = [1, 7, 0x7fff_ffff, -0x8000_0000, -1, -0x6_0000, -0x5_ffff];
/** The greatest high half of a number or of the canonical NaN. */
const LAST_NUMBER = -0x10_0000;
/** The most boxes that a loop carries. */
const CARRIED_MAX = 3;

/** A kind of box: its tag; null for a number. */
type BoxKind = number | null;

function drawKind(maker: ProcedureMaker): BoxKind {
  return maker.swarm.hasType[Double] && maker.chance(30) ? null : oneOf(maker, TAGS);
}

const otherTag = (maker: ProcedureMaker, kind: BoxKind): number => {
  const tag = oneOf(maker, TAGS);
  return tag === kind ? tag ^ 1 : tag;
};

function box(maker: ProcedureMaker, kind: BoxKind): Value {
  return kind === null
    ? boxNumber(maker, maker.pickValue(Double))
    : boxPayload(maker, kind, maker.pickValue(Int32));
}

const boxNumber = (maker: ProcedureMaker, number: Value): Value =>
  maker.append(Op.BitwiseCast, Int64, maker.append(Op.PurifyNaN, Double, number));

function boxPayload(maker: ProcedureMaker, tag: number, payload: Value): Value {
  const roll = maker.below(8);
  if (roll === 0) {
    // At times the low half also contains a number, which is added to the payload.
    const high = maker.constantOf(Int64, maker.chance(25) ? maker.below(9) - 4 : 0, tag);
    const opcode = oneOf(maker, [Op.BitOr, Op.Add]);
    return maker.append(opcode, Int64, maker.append(Op.ZExt32, Int64, payload), high);
  }
  const half = maker.integer(Int32, tag);
  if (roll > 1) return maker.append(Op.Stitch, Int64, half, payload);
  const wide = maker.append(maker.chance(50) ? Op.ZExt32 : Op.SExt32, Int64, half);
  const high = maker.append(Op.Shl, Int64, wide, maker.integer(Int32, 32));
  return maker.append(Op.BitOr, Int64, high, maker.append(Op.ZExt32, Int64, payload));
}

function tagOf(maker: ProcedureMaker, value: Value): Value {
  if (maker.chance(85)) return maker.append(Op.TruncHigh, Int32, value);
  const high = maker.append(Op.ZShr, Int64, value, maker.integer(Int32, 32));
  return maker.append(Op.Trunc, Int32, high);
}

/** Returns a value that is not zero if the box is not of the kind. */
function isNotOfKind(maker: ProcedureMaker, value: Value, kind: BoxKind): Value {
  const tag = tagOf(maker, value);
  if (kind !== null) return maker.append(Op.NotEqual, Int32, tag, maker.integer(Int32, kind));
  return maker.append(Op.Above, Int32, tag, maker.integer(Int32, LAST_NUMBER));
}

/** Emits a guard on the kind whose exit shows these boxes. */
function guardKind(
  maker: ProcedureMaker,
  value: Value,
  kind: BoxKind,
  shown: readonly Value[],
): void {
  const snapshot = snapshotOf(maker, shown); // may append the values of its slots before the guard
  maker.append(Op.Check, Void, isNotOfKind(maker, value, kind)).extra = snapshot;
}

const unbox = (maker: ProcedureMaker, value: Value, kind: BoxKind): Value =>
  kind === null ? maker.emit(Op.BitwiseCast, Double, value) : maker.emit(Op.Trunc, Int32, value);

/**
 * Computes with the contents of the box, and boxes the result. An exit of the computation shows the
 * original boxes.
 */
function compute(
  maker: ProcedureMaker,
  value: Value,
  kind: BoxKind,
  shown: readonly Value[],
): Value {
  const x = unbox(maker, value, kind);
  if (kind === null) {
    const opcode = oneOf(maker, [Op.Add, Op.Sub, Op.Mul]);
    return boxNumber(maker, maker.emit(opcode, Double, x, maker.pick(Double)));
  }
  const y = maker.chance(50) ? maker.integer(Int32, 1 + maker.below(9)) : maker.pick(Int32);
  if (maker.chance(60)) {
    const snapshot = snapshotOf(maker, shown);
    const sum = maker.emit(maker.chance(60) ? Op.CheckAdd : Op.CheckSub, Int32, x, y);
    sum.extra = snapshot;
    return boxPayload(maker, kind, sum);
  }
  const opcode = oneOf(maker, [Op.Add, Op.BitXor, Op.Mul]);
  return boxPayload(maker, kind, maker.emit(opcode, Int32, x, y));
}

/** Returns the box or one with another tag; the input determines which. */
function withOtherTag(maker: ProcedureMaker, value: Value, kind: BoxKind): Value {
  const other = boxPayload(maker, otherTag(maker, kind), maker.pickValue(Int32));
  const [a, b] = maker.chance(50) ? [value, other] : [other, value];
  return maker.append(Op.Select, Int64, compare(maker), a, b);
}

/** Shows the box at the end: whole, or its contents. */
function observeBox(maker: ProcedureMaker, value: Value, kind: BoxKind): void {
  if (maker.chance(40)) maker.live[Int64].push(value);
  else unbox(maker, value, kind);
}

// Emits a loop that carries boxes, with a guard on the kind of each. At times a box of another kind
// enters, at the start or later.
function boxesInLoop(maker: ProcedureMaker): void {
  if (!hasRoomForSmallLoop(maker)) {
    knownTag(maker);
    return;
  }
  const kinds = Array.from({ length: 1 + maker.below(CARRIED_MAX) }, () => drawKind(maker));
  const given = kinds.map((kind) => {
    const first = box(maker, kind);
    if (maker.chance(25)) return withOtherTag(maker, first, kind);
    if (maker.chance(30)) return throughMemory(maker, first);
    return first;
  });
  // At times guards before the loop make those of the first iteration redundant.
  if (maker.chance(40)) given.forEach((value, i) => guardKind(maker, value, kinds[i], given));
  const isExchanged = kinds.length > 1 && kinds[0] === kinds[1] && maker.chance(60);
  let last: readonly Value[] = given;
  makeSmallLoop(
    maker,
    given,
    ({ carried, counter }) => {
      // Other makers compute only with their contents.
      maker.live[Int64].length -= carried.length;
      const next = carried.map((value, i) => {
        const kind = kinds[i];
        guardKind(maker, value, kind, maker.chance(60) ? carried : [value]);
        const result = maker.chance(85) ? compute(maker, value, kind, carried) : value;
        if (!maker.chance(15)) return result;
        const isIteration = maker.append(
          Op.Equal,
          Int32,
          counter,
          maker.integer(Int32, 1 + maker.below(3)),
        );
        const other = boxPayload(maker, otherTag(maker, kind), maker.pickValue(Int32));
        return maker.append(Op.Select, Int64, isIteration, other, result);
      });
      last = isExchanged ? [next[1], next[0], ...next.slice(2)] : next;
      return last;
    },
    { isShown: false },
  );
  last.forEach((value, i) => observeBox(maker, value, kinds[i]));
}

// Emits a choice or a join of boxes, followed by a guard or a branch for each kind.
function boxesOfSeveralTags(maker: ProcedureMaker): void {
  const [kind, other] = [drawKind(maker), otherTag(maker, null)];
  const chosen = maker.chance(50)
    ? maker.append(Op.Select, Int64, compare(maker), box(maker, kind), box(maker, other))
    : join(maker, [kind, other]);
  if (maker.chance(50)) {
    guardKind(maker, chosen, kind, [chosen]);
    observeBox(maker, compute(maker, chosen, kind, [chosen]), kind);
    return;
  }
  const flag = isNotOfKind(maker, chosen, kind);
  const [result] = twoArms(
    maker,
    flag,
    [other, kind].map((one) => () => [compute(maker, chosen, one, [chosen])]),
    [Int64],
  );
  maker.live[Int64].pop();
  if (maker.chance(50)) guardKind(maker, result, kind, [result, chosen]);
  observeBox(maker, result, kind);
}

function join(maker: ProcedureMaker, kinds: readonly BoxKind[]): Value {
  const [joined] = twoArms(
    maker,
    compare(maker),
    kinds.map((kind) => () => [box(maker, kind)]),
    [Int64],
  );
  maker.live[Int64].pop();
  return joined;
}

/** Stores the whole box to the heap and loads it again. */
function throughMemory(maker: ProcedureMaker, value: Value): Value {
  const { heapBase } = maker;
  if (heapBase === null) return value;
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 8);
  maker.append(Op.Store, Void, value, address.value).offset = offset;
  const loaded = maker.append(Op.Load, Int64, address.value);
  loaded.offset = offset;
  return loaded;
}

// Tests the tag in memory. The payload is loaded after the guard, or changed in place.
function boxInMemory(maker: ProcedureMaker): void {
  const { heapBase } = maker;
  if (heapBase === null) {
    knownTag(maker);
    return;
  }
  const kind = oneOf(maker, TAGS);
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 8);
  const first = box(maker, kind);
  const stored = maker.chance(40) ? withOtherTag(maker, first, kind) : first;
  maker.append(Op.Store, Void, stored, address.value).offset = offset;
  const tag = maker.append(Op.Load, Int32, address.value);
  tag.offset = offset + 4;
  const snapshot = snapshotOf(maker, [stored]);
  const flag = maker.append(Op.NotEqual, Int32, tag, maker.integer(Int32, kind));
  maker.append(Op.Check, Void, flag).extra = snapshot;
  const payload = maker.emit(Op.Load, Int32, address.value);
  payload.offset = offset;
  if (maker.chance(50)) {
    const sum = maker.emit(Op.Add, Int32, payload, maker.pick(Int32));
    maker.append(Op.Store, Void, sum, address.value).offset = offset;
  }
  const whole = maker.append(Op.Load, Int64, address.value);
  whole.offset = offset;
  guardKind(maker, whole, kind, [whole]);
  observeBox(maker, whole, kind);
}

// Emits a variable of an interpreter's frame: a slot to which only whole boxes are stored.
function boxInFrame(maker: ProcedureMaker): void {
  if (maker.proc.slots.length >= LIMITS.stackSlots) {
    knownTag(maker);
    return;
  }
  const slot = maker.proc.newSlot(8, maker.chance(30));
  maker.written[slot.id] = 0; // other makers neither load from it nor rely on it
  const kind = drawKind(maker);
  const first = box(maker, kind);
  storeToSlot(maker, slot, maker.chance(30) ? withOtherTag(maker, first, kind) : first);
  const update = (): void => {
    const value = loadFromSlot(maker, slot);
    guardKind(maker, value, kind, [value]);
    storeToSlot(maker, slot, compute(maker, value, kind, [value]));
  };
  if (maker.chance(60) && hasRoomForSmallLoop(maker)) {
    makeSmallLoop(maker, [], () => {
      update();
      return [];
    });
  } else update();
  observeBox(maker, loadFromSlot(maker, slot), kind);
}

function storeToSlot(maker: ProcedureMaker, slot: StackSlot, value: Value): void {
  maker.append(Op.Store, Void, value, slotBase(maker, slot));
}

const loadFromSlot = (maker: ProcedureMaker, slot: StackSlot): Value =>
  maker.append(Op.Load, Int64, slotBase(maker, slot));

// Emits several guards on one box: of the same kind, or of a kind that the first guard excludes.
function knownTag(maker: ProcedureMaker): void {
  const kind = drawKind(maker);
  const first = box(maker, kind);
  const value = maker.chance(50) ? withOtherTag(maker, first, kind) : throughMemory(maker, first);
  guardKind(maker, value, kind, [value]);
  const result = compute(maker, value, kind, [value]);
  const again = maker.chance(50) ? value : result;
  if (maker.chance(70)) guardKind(maker, again, kind, [again]);
  else maker.flags.push(isNotOfKind(maker, again, otherTag(maker, kind)));
  if (maker.chance(40)) {
    const other = boxPayload(maker, kind ?? TAGS[0], maker.pick(Int32));
    maker.flags.push(maker.emit(Op.Equal, Int32, again, other));
  }
  observeBox(maker, again, kind);
}
