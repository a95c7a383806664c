// Emits the terminators of the links in a chain of comparisons. Most links compare for equality with
// a constant. Others branch on the value itself, compare for an order, or switch on a few keys.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";
import type { ProcedureMaker } from "../maker/maker.js";

/** Returns the operand that all links compare. Wide keys also differ in their high words. */
export function drawKey(maker: ProcedureMaker): Value {
  const isWide = maker.swarm.hasType[Int64] && maker.chance(30);
  const type = isWide ? Int64 : Int32;
  const x = maker.pickValue(type);
  if (!maker.chance(75)) return x;
  const mask = 3 + 4 * maker.below(2);
  return maker.emit(Op.BitAnd, type, x, maker.constantOf(type, mask, isWide ? 1 : 0));
}

/**
 * Ends the block of link `i`: one edge leads to its arm, the other one to the next link.
 * @returns whether later code may use a value of the link, so that no other edge may enter there
 */
export function endLink(
  maker: ProcedureMaker,
  key: Value,
  i: number,
  arm: BasicBlock,
  next: BasicBlock,
): boolean {
  const roll = maker.below(100);
  if (roll < 10) endByItself(maker, key, arm, next);
  else if (roll < 18) endBySwitch(maker, key, i, arm, next);
  else return endByComparison(maker, roll < 28 ? ORDERS : EQUALITIES, key, i, arm, next);
  return false;
}

const EQUALITIES: readonly Opcode[] = [Op.Equal, Op.Equal, Op.Equal, Op.NotEqual];
const ORDERS: readonly Opcode[] = [Op.LessThan, Op.GreaterEqual, Op.Below, Op.AboveEqual];

/** Comparisons for which the true edge leads to the next link. */
const TRUE_LEADS_ON: ReadonlySet<Opcode> = new Set([Op.NotEqual, Op.GreaterEqual, Op.AboveEqual]);

// At times the comparison is also a number that the later links and the last arm may use.
function endByComparison(
  maker: ProcedureMaker,
  opcodes: readonly Opcode[],
  key: Value,
  i: number,
  arm: BasicBlock,
  next: BasicBlock,
): boolean {
  const label = maker.append(key.type === Int64 ? Op.Const64 : Op.Const32, key.type);
  [label.constantLow, label.constantHigh] = drawLabel(maker, key.type, i);
  const opcode = opcodes[maker.below(opcodes.length)];
  const flag = maker.append(opcode, Int32, key, label);
  const isNumber = maker.chance(15);
  if (isNumber) maker.live[Int32].push(flag);
  if (TRUE_LEADS_ON.has(opcode)) maker.branch(flag, next, arm);
  else maker.branch(flag, arm, next);
  return isNumber;
}

function endByItself(maker: ProcedureMaker, key: Value, arm: BasicBlock, next: BasicBlock): void {
  if (maker.chance(80)) maker.branch(key, next, arm);
  else maker.branch(key, arm, next);
}

function endBySwitch(
  maker: ProcedureMaker,
  key: Value,
  i: number,
  arm: BasicBlock,
  next: BasicBlock,
): void {
  const keys: WordPair[] = [];
  for (let count = 1 + maker.below(3); count > 0; count--) {
    const label = drawLabel(maker, key.type, i + keys.length);
    if (!keys.some(([lo, hi]) => lo === label[0] && hi === label[1])) keys.push(label);
  }
  maker.switch(key, keys, [...keys.map(() => (maker.chance(85) ? arm : next)), next]);
}

function drawLabel(maker: ProcedureMaker, type: Type, i: number): WordPair {
  const lo = maker.chance(85) ? i : maker.below(20) - 4;
  return [lo, type === Int64 ? (lo < 0 ? -1 : maker.chance(40) ? 1 : 0) : 0];
}
