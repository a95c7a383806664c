// Emits operands that an instruction can compute itself. One kind is an address of base and scaled
// index in the heap or in a stack slot. The load may be folded into an operation or a comparison.
// Other kinds are shifted, extended and inverted operands. Each form in the targets' tables occurs.
// Each choice that determines a form has equal probability; otherwise forms with two unlikely
// choices would be too rare. Near misses are in other files.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { StackSlot, Value } from "../../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  sizeOf,
  type Type,
  Void,
} from "../../ir/types.js";
import { pickSnapshot } from "../maker/exits.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { slotBase } from "../maker/memory.js";
import { LIMITS } from "../maker/odds.js";
import { oneOf, runOne, weightedRows } from "../maker/rows.js";
import { drawType } from "../maker/swarm.js";
import { branchOn } from "./data-idioms.js";

// biome-ignore format: a table
export const FOLDED_OPERANDS: readonly MakerRow[] = [
  { name: "load within an operation",  weight: 6, make: loadWithinOperation },
  { name: "load within a comparison",  weight: 5, make: loadWithinComparison },
  { name: "access at a scaled index",  weight: 7, make: scaledAccess },
  { name: "shifted operand",           weight: 3, make: shiftedOperand },
];

const LOTS = weightedRows(FOLDED_OPERANDS);

export const emitFolded = (maker: ProcedureMaker): void => runOne(maker, LOTS);

/** Bytes that an indexed access of 8 bytes may touch: every window and slot has this many. */
const REACH = 32;
/** Masks of an index by its scale. */
const MASKS = [15, 7, 3, 3];

interface AddressWithOffset {
  readonly address: Value;
  readonly offset: number;
}

/** Returns an address with an index, which an access of this many bytes may scale. */
function drawPlace(maker: ProcedureMaker, bytes: number): AddressWithOffset {
  // Some machines scale an index only by the size of the access.
  const shift = maker.chance(20) ? Math.log2(bytes) : maker.below(MASKS.length);
  const slot = maker.heapBase === null || maker.chance(40) ? wholeSlot(maker) : null;
  if (slot === null && maker.heapBase === null) {
    // With neither a heap nor room for a slot, the value is not used as an address.
    return { address: scaled(maker, shift), offset: 0 };
  }
  if (slot !== null && maker.chance(25)) {
    return { address: slotBase(maker, slot), offset: maker.below(REACH - 7) };
  }
  const { windows } = maker.context.layout;
  const start = slot === null ? oneOf(maker, windows).start : 0;
  let base = slot === null ? maker.heapBase : slotBase(maker, slot);
  let offset = start;
  if (start !== 0 && maker.chance(65)) {
    // Some machines have no form with both an index and an offset.
    const moved = maker.append(Op.Add, Int64, base, maker.integer(Int64, start));
    base = maker.append(Op.Opaque, Int64, moved);
    offset = 0;
  }
  const index = scaled(maker, shift);
  if (base === null) return { address: index, offset };
  const [a, b] = maker.chance(15) ? [index, base] : [base, index];
  return { address: maker.append(Op.Add, Int64, a, b), offset };
}

/** Returns a masked index, extended in one of several ways, and shifted. */
function scaled(maker: ProcedureMaker, shift: number): Value {
  const index = extended(maker, MASKS[shift]);
  return shift === 0 ? index : maker.append(Op.Shl, Int64, index, maker.integer(Int32, shift));
}

function extended(maker: ProcedureMaker, mask: number): Value {
  const isWide = maker.swarm.hasType[Int64] === true;
  const roll = maker.below(3);
  if (roll === 0 && isWide) return masked(maker, Int64, mask);
  // The upper bits of a truncated value's register are arbitrary, so an extension is necessary.
  const low =
    isWide && maker.chance(50)
      ? maker.append(Op.Trunc, Int32, masked(maker, Int64, mask))
      : masked(maker, Int32, mask);
  if (roll === 1 && maker.chance(50)) return maker.append(Op.ZExt32, Int64, low);
  // The Opaque hides from a compiler that the sign bit and the upper bits are clear.
  const hidden = maker.append(Op.Opaque, Int32, low);
  return maker.append(roll === 2 ? Op.SExt32 : Op.ZExt32, Int64, hidden);
}

const masked = (maker: ProcedureMaker, type: Type, mask: number): Value =>
  maker.append(Op.BitAnd, type, maker.pickValue(type), maker.integer(type, mask));

/** Returns a locked slot whose bytes are all written; null if there is no room for one. */
function wholeSlot(maker: ProcedureMaker): StackSlot | null {
  const { proc } = maker;
  const whole = proc.slots.find(
    ({ size, isLocked, id }) => size === REACH && isLocked && maker.written[id] === -1,
  );
  if (whole !== undefined) return whole;
  if (proc.slots.length >= LIMITS.stackSlots) return null;
  const slot = proc.newSlot(REACH, true);
  const type = maker.swarm.hasType[Int64] ? Int64 : Int32;
  for (let at = 0; at < REACH; at += sizeOf(type)) {
    maker.append(Op.Store, Void, maker.pick(type), slotBase(maker, slot)).offset = at;
  }
  maker.written[slot.id] = -1;
  return slot;
}

function loadFrom(
  maker: ProcedureMaker,
  type: Type,
  { address, offset }: AddressWithOffset,
): Value {
  const value = maker.append(Op.Load, type, address);
  value.offset = offset;
  return value;
}

const OF_INTEGERS: readonly Opcode[] = [Op.Add, Op.Sub, Op.Mul, Op.BitAnd, Op.BitOr, Op.BitXor];
const OF_FLOATS: readonly Opcode[] = [Op.Add, Op.Sub, Op.Mul, Op.Div];

// Nothing is between the load and its use.
function loadWithinOperation(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const opcode = oneOf(maker, isFloating(type) ? OF_FLOATS : OF_INTEGERS);
  const x = maker.pickValue(type);
  const place = placeOrNone(maker, sizeOf(type));
  if (place !== null) maker.emit(opcode, type, x, loadFrom(maker, type, place));
}

/** Returns null if there is no memory to load from. */
function placeOrNone(maker: ProcedureMaker, bytes: number): AddressWithOffset | null {
  const hasMemory = maker.heapBase !== null || wholeSlot(maker) !== null;
  return hasMemory ? drawPlace(maker, bytes) : null;
}

const ORDERS: readonly Opcode[] = [Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.Above, Op.Below];

function loadWithinComparison(maker: ProcedureMaker): void {
  const { swarm } = maker;
  const type = swarm.hasType[Int64] && maker.chance(50) ? Int64 : Int32;
  const user = maker.below(7);
  const isGuard = user === 0 && maker.dials.guards > 0;
  const selected = user < 2 ? Void : drawType(maker.source, swarm);
  // A snapshot may need stores, which must not be between the load and its use.
  const snapshot = isGuard ? pickSnapshot(maker) : null;
  const [x, y] = selected === Void ? [null, null] : [maker.pick(selected), maker.pick(selected)];
  const other = maker.pickValue(type);
  const place = placeOrNone(maker, sizeOf(type));
  if (place === null) return;
  const value = loadFrom(maker, type, place);
  const opcode = isGuard || maker.chance(30) ? Op.Equal : oneOf(maker, ORDERS);
  const [a, b] = maker.chance(30) ? [value, other] : [other, value];
  const flag = maker.append(opcode, Int32, a, b);
  if (isGuard) maker.append(Op.Check, Void, flag).extra = snapshot;
  else if (user < 2) branchOn(maker, flag);
  else if (user === 2) maker.live[Int32].push(flag);
  else maker.emit(Op.Select, selected, flag, x, y);
}

// By type of the value; Int32 also has narrow accesses.
const LOADS: readonly Opcode[] = [Op.Load, Op.Load8S, Op.Load8Z, Op.Load16S, Op.Load16Z];
const STORES: readonly Opcode[] = [Op.Store, Op.Store8, Op.Store16];
const BYTES: readonly (readonly [Opcode, number])[] = [
  [Op.Load8S, 1],
  [Op.Load8Z, 1],
  [Op.Store8, 1],
  [Op.Load16S, 2],
  [Op.Load16Z, 2],
  [Op.Store16, 2],
];

function scaledAccess(maker: ProcedureMaker): void {
  // Int32 has most of the accesses.
  const type = maker.chance(40) ? Int32 : drawType(maker.source, maker.swarm);
  const isStore = maker.chance(55);
  const opcodes = isStore ? STORES : LOADS;
  const opcode = type === Int32 ? oneOf(maker, opcodes) : opcodes[0];
  const bytes = BYTES.find(([narrow]) => narrow === opcode)?.[1] ?? sizeOf(type);
  const isConstant = maker.chance(50);
  const stored = isConstant ? constantToStore(maker, type) : maker.closed(maker.pickValue(type));
  const place = placeOrNone(maker, bytes);
  if (place === null) return;
  const access = isStore
    ? maker.append(opcode, Void, stored, place.address)
    : maker.emit(opcode, type, place.address);
  access.offset = place.offset;
}

/** Returns a constant: some machines have a zero register; others store small immediates. */
function constantToStore(maker: ProcedureMaker, type: Type): Value {
  if (maker.chance(60)) return maker.constantOf(type, 0, 0);
  if (type === Float || type === Double) return maker.constant(type);
  return maker.integer(type, maker.below(256) - 128);
}

const SHIFTING = OF_INTEGERS.filter((opcode) => opcode !== Op.Mul);
const SHIFTS: readonly Opcode[] = [Op.Shl, Op.ZShr, Op.SShr, Op.RotR];

function shiftedOperand(maker: ProcedureMaker): void {
  const { swarm } = maker;
  const isWide = swarm.hasType[Int64] === true;
  if (isWide && maker.chance(50)) {
    const x = maker.pickValue(Int64);
    maker.emit(oneOf(maker, [Op.Add, Op.Sub]), Int64, x, scaled(maker, maker.below(4)));
    return;
  }
  const type = isWide && maker.chance(50) ? Int64 : Int32;
  const opcode = oneOf(maker, SHIFTING);
  const x = maker.pickValue(type);
  if (maker.chance(15)) {
    const inverted = maker.append(Op.BitXor, type, maker.pickValue(type), maker.integer(type, -1));
    maker.emit(opcode, type, x, inverted);
    return;
  }
  const count = maker.integer(Int32, 1 + maker.below(8 * sizeOf(type) - 1));
  const shifted = maker.append(oneOf(maker, SHIFTS), type, maker.pickValue(type), count);
  maker.emit(opcode, type, x, shifted);
}
