// Worlds of walks: a loop in which three accesses of the world's cell follow each other, at the counter, beside it, by a
// pointer that goes along, or where nothing moves. So what an iteration reads may have been written by itself, by the
// one before, by one long ago, or in front of the loop.

import { chance } from "../generate/maker/odds.js";
import { Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import { LOADS, STORES } from "./memory.js";
import { shown } from "./steps.js";
import { CELL_BYTES, CROWD, digitsOf, type Site, type WorldKind, worldKind } from "./world.js";

/** Iterations: low bits of an operand and one more, or a number. */
const TIMES: readonly (number | null)[] = [null, null, 2, 4];
const TIMES_MASK = 3;
const TIMES_MAX = 4;

/** The type of the counter, and what makes a distance of it. */
const COUNTERS: readonly (readonly [Type, typeof Op.ZExt32 | typeof Op.SExt32])[] = [
  [Int32, Op.ZExt32],
  [Int32, Op.SExt32],
  [Int64, Op.ZExt32],
];
/** Up from 0, or down to it. */
const DIRECTIONS = [1, -1];
/** Accesses in front of the loop's test: none, one, or all of an iteration. */
const ACCESSES_EACH = 3;
const BEFORE_TEST = [0, 1, ACCESSES_EACH];

/** Bytes between what neighbours in an iteration access: the last, eight bytes long, ends where the cell does. */
const SCALES = [1, 2, 4, 8];
const NARROW_SCALES = 3;
/** Beside that, where the scale leaves room. */
const OFFSETS = [0, 0, 0, 1, 2, 4];
const WIDEST = 8;

/** What an iteration has at hand. */
interface Turn {
  readonly site: Site;
  readonly cell: Value;
  /** From 0 to TIMES_MAX, as an Int64. */
  readonly index: Value;
  /** Begins as the cell, and goes on by `scale` each time. */
  readonly pointer: Value;
  readonly scale: number;
  readonly sum: Value;
}

function at({ site, cell, scale }: Turn, index: Value): Value {
  const { maker, source } = site;
  const own = chance(source, 80) ? scale : Math.min(scale, drawNarrowScale(site));
  const distance = maker.append(Op.Mul, Int64, index, maker.integer(Int64, own));
  return maker.append(Op.Add, Int64, cell, distance);
}
const drawNarrowScale = ({ source }: Site): number => SCALES[source.below(NARROW_SCALES)];

const ofIndex =
  (opcode: typeof Op.Add | typeof Op.BitAnd) =>
  (turn: Turn): Value => {
    const { maker } = turn.site;
    return at(turn, maker.append(opcode, Int64, turn.index, maker.integer(Int64, 1)));
  };
/** Where an access is. */
const ADDRESSES: readonly ((turn: Turn) => Value)[] = [
  (turn) => at(turn, turn.index),
  ofIndex(Op.Add),
  ofIndex(Op.BitAnd),
  ({ pointer }) => pointer,
  ({ cell }) => cell,
  ({ site, cell, scale }) => {
    const distance = scale * site.source.below(TIMES_MAX + 1);
    return site.maker.append(Op.Add, Int64, cell, site.maker.integer(Int64, distance));
  },
  (turn) => {
    const { maker, operands } = turn.site;
    const some = maker.append(Op.BitAnd, Int64, operands[Int64][1], maker.integer(Int64, 3));
    return at(turn, some);
  },
];

/** What is stored: what no iteration changes, or each does. */
const STORED: readonly ((turn: Turn, type: Type) => Value)[] = [
  ({ site }, type) => site.operands[type][0],
  ({ site, index, sum }, type) => {
    if (type === Int64) return sum;
    return type === Int32 ? site.maker.append(Op.Trunc, Int32, index) : site.operands[type][1];
  },
];

const STORES_COUNT = STORES.length * ADDRESSES.length * STORED.length;
const ACCESSES = STORES_COUNT + LOADS.length * ADDRESSES.length;

/** Makes the access, and gives the sum behind it. */
function access(turn: Turn, number: number): Value {
  const { maker, source } = turn.site;
  const offset = turn.scale === WIDEST ? 0 : OFFSETS[source.below(OFFSETS.length)];
  if (number < STORES_COUNT) {
    const radices = [STORES.length, ADDRESSES.length, STORED.length];
    const [store, address, stored] = digitsOf(number, radices);
    const { opcode, type } = STORES[store];
    const value = STORED[stored](turn, type);
    maker.append(opcode, Void, value, ADDRESSES[address](turn)).lo = offset;
    return turn.sum;
  }
  const [load, address] = digitsOf(number - STORES_COUNT, [LOADS.length, ADDRESSES.length]);
  const { opcode, type } = LOADS[load];
  const value = maker.append(opcode, type, ADDRESSES[address](turn));
  value.lo = offset;
  const turned = maker.append(Op.RotL, Int64, turn.sum, maker.integer(Int32, 5));
  return maker.append(Op.Add, Int64, turned, shown(turn.site, value));
}

const RADICES = [
  TIMES.length,
  COUNTERS.length,
  DIRECTIONS.length,
  BEFORE_TEST.length,
  ...Array<number>(ACCESSES_EACH).fill(ACCESSES),
];

function make(number: number, site: Site): Value {
  const [times, counted, direction, before, ...accesses] = digitsOf(number, RADICES);
  const { maker, operands, source } = site;
  const { proc } = maker;
  const [type, extend] = COUNTERS[counted];
  const by = DIRECTIONS[direction];
  const scale = SCALES[source.below(SCALES.length)];
  const count = countOf(site, type, TIMES[times]);
  const zero = maker.integer(type, 0);
  const cell = maker.append(Op.Add, Int64, site.heap, maker.integer(Int64, site.cell));
  const counter = proc.newValue(Op.Phi, type);
  const [pointer, sum] = [proc.newValue(Op.Phi, Int64), proc.newValue(Op.Phi, Int64)];
  const [header, body, exit] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.upsilon(by > 0 ? zero : count, counter);
  maker.upsilon(cell, pointer);
  maker.upsilon(operands[Int64][2], sum);
  maker.jump(header);
  maker.block = header;
  for (const phi of [counter, pointer, sum]) maker.place(phi, false);
  const index = type === Int64 ? counter : maker.append(extend, Int64, counter);
  let turn: Turn = { site, cell, index, pointer, scale, sum };
  const append = (each: readonly number[]): void => {
    for (const one of each) turn = { ...turn, sum: access(turn, one) };
  };
  append(accesses.slice(0, BEFORE_TEST[before]));
  const seen = turn.sum;
  const goesOn =
    by > 0
      ? maker.append(Op.LessThan, Int32, counter, count)
      : maker.append(Op.GreaterThan, Int32, counter, zero);
  maker.branch(goesOn, body, exit);
  maker.block = body;
  append(accesses.slice(BEFORE_TEST[before]));
  maker.upsilon(turn.sum, sum);
  maker.upsilon(maker.append(Op.Add, Int64, pointer, maker.integer(Int64, scale)), pointer);
  maker.upsilon(maker.append(Op.Add, type, counter, maker.integer(type, by)), counter);
  maker.jump(header);
  maker.block = exit;
  const left = maker.append(Op.Load, Int64, cell);
  left.lo = source.below(CELL_BYTES - WIDEST + 1);
  return maker.append(Op.BitXor, Int64, seen, left);
}

function countOf({ maker, operands }: Site, type: Type, times: number | null): Value {
  if (times !== null) return maker.integer(type, times);
  const some = maker.append(Op.BitAnd, type, operands[type][1], maker.integer(type, TIMES_MASK));
  return maker.append(Op.Add, type, some, maker.integer(type, 1));
}

export const WALKS: readonly WorldKind[] = [
  worldKind(
    "walk",
    "a loop of up to four iterations, in each three stores or loads, of which some move along",
    RADICES,
    make,
    { ...CROWD, each: 4 },
  ),
];
