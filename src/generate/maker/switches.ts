// Draws operands and keys of a Switch. Keys are consecutive, scattered to the ends of the integers,
// or both. Half of the operands are chosen to match the keys; parameters are aimed at them.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";
import { aimAt, pickParameter, pickSpecial } from "./conditions.js";
import { drawBoundary, drawRelated, drawSpecial } from "./constants.js";
import type { ProcedureMaker } from "./maker.js";
import { writtenOnBoth } from "./memory.js";
import { drawInteger } from "./swarm.js";

interface SwitchOperands {
  readonly operand: Value;
  /** The keys of the Switch, distinct; at times none. */
  readonly keys: readonly WordPair[];
}

const ROW_MAX = 12;
const SCATTERED_MAX = 9;
/**
 * First keys of a row: around zero, outside the immediates of encodings, across a boundary of 32
 * bits.
 */
const STARTS = [0, 0, 0, 1, -3, -1, 100, -4100, 4090, 65_530, -0x8000_0000, 0x7fff_fff0];
const WIDE_STARTS = [-0x8000_0004, 0x7fff_fffc, 0xffff_fffc, 2 ** 40, -(2 ** 53)];

/** Draws a Switch, and appends the values that its operand needs. */
export function drawSwitched(maker: ProcedureMaker): SwitchOperands {
  const type = drawInteger(maker.source, maker.swarm);
  const keys = new SwitchKeys(type);
  const roll = maker.below(10);
  const row = roll < 6 ? addRow(maker, keys) : null;
  if (roll >= 5) addScattered(maker, keys);
  if (maker.chance(25)) keys.list.reverse();
  // The upper half of a parameter's register is undefined, so a table must not rely on it.
  const isAimed = row === null || maker.chance(30);
  const operand = maker.chance(8)
    ? pickSpecial(maker, type)
    : isAimed
      ? aimed(maker, keys)
      : inRow(maker, type, row);
  return { operand, keys: keys.list };
}

class SwitchKeys {
  readonly list: WordPair[] = [];
  readonly type: Type;

  constructor(type: Type) {
    this.type = type;
  }

  add(key: WordPair): void {
    if (!this.list.some(([lo, hi]) => lo === key[0] && hi === key[1])) this.list.push(key);
  }
}

const wordsOf = (type: Type, number: number): WordPair => [
  number | 0,
  type === Int64 ? Math.floor(number / 0x1_0000_0000) : 0,
];

// Adds consecutive keys, some left out; returns the first.
function addRow(maker: ProcedureMaker, keys: SwitchKeys): number {
  const isFar = keys.type === Int64 && maker.chance(25);
  const starts = isFar ? WIDE_STARTS : STARTS;
  const start = starts[maker.below(starts.length)];
  const length = 2 + maker.below(ROW_MAX - 1);
  for (let i = 0; i < length; i++) {
    if (i === 0 || !maker.chance(15)) keys.add(wordsOf(keys.type, start + i));
  }
  return start;
}

function addScattered(maker: ProcedureMaker, keys: SwitchKeys): void {
  for (let count = maker.below(SCATTERED_MAX + 1); count > 0; count--) {
    const { list, type } = keys;
    const isBound = list.length > 0 && maker.chance(30);
    const near = isBound ? list[maker.below(list.length)] : null;
    keys.add(
      near === null ? drawBoundary(maker.source, type) : drawRelated(maker.source, type, near),
    );
  }
}

// Returns usually a few bits, shifted to the row of keys; values beyond its ends occur too.
function inRow(maker: ProcedureMaker, type: Type, start: number): Value {
  if (maker.chance(20)) return maker.pickValue(type);
  const mask = maker.integer(type, maker.chance(50) ? 7 : 15);
  const bits = maker.emit(Op.BitAnd, type, maker.pickValue(type), mask);
  if (type === Int32 && start === 0 && maker.swarm.hasType[Int64] && maker.chance(30)) {
    return truncated(maker);
  }
  const move = start - (maker.chance(40) ? 1 + maker.below(3) : 0);
  return move === 0 ? bits : maker.emit(Op.Add, type, bits, maker.integer(type, move));
}

// Returns few bits below 2^32, with arbitrary bits above before the truncation.
function truncated(maker: ProcedureMaker): Value {
  const mask = maker.constantOf(Int64, 7, -1);
  const bits = maker.emit(Op.BitAnd, Int64, maker.pickValue(Int64), mask);
  return maker.emit(Op.Trunc, Int32, bits);
}

function aimed(maker: ProcedureMaker, { type, list }: SwitchKeys): Value {
  const x = maker.chance(80) ? pickParameter(maker, type) : maker.pickValue(type);
  for (const key of list) if (maker.chance(60)) aimAt(maker, x, key);
  // An end of the integers, or -1, whether or not it is a key.
  if (maker.chance(50)) aimAt(maker, x, drawSpecial(maker.source, type));
  return x;
}

/**
 * Appends a Switch whose arms join again; their values are dropped, except one Int32 of each arm.
 * @param make appends arm number `arm`, which is less than `arms`
 */
export function switchArms(
  maker: ProcedureMaker,
  operand: Value,
  keys: readonly WordPair[],
  arms: number,
  make: (arm: number) => Value,
): Value {
  const { proc } = maker;
  const way = proc.newValue(Op.Phi, Int32);
  const targets = [...keys, null].map((_, k) => (k < arms ? k : maker.below(arms)));
  const blocks = Array.from({ length: Math.min(arms, targets.length) }, () => proc.newBlock());
  const join = proc.newBlock();
  maker.switch(
    operand,
    keys,
    targets.map((target) => blocks[target % blocks.length]),
  );
  const before = maker.written;
  let after: readonly number[] | null = null;
  for (const [arm, block] of blocks.entries()) {
    const scope = maker.mark();
    maker.block = block;
    maker.written = before.slice();
    maker.upsilon(make(arm), way);
    maker.jump(join);
    maker.release(scope);
    after = after === null ? maker.written : writtenOnBoth(after, maker.written);
  }
  maker.written = [...(after ?? before)];
  maker.block = join;
  maker.place(way, false);
  return way;
}
