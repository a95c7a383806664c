// Emits branches that only select values, which a compiler turns into selects. Emits flags that
// determine a later branch, which a compiler threads. Also emits values that are used where a
// comparison with a constant has determined them, and branches with equal targets.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Int32, isFloating, isWide, type Type } from "../../ir/types.js";
import { aimAt, condition, pickSpecial } from "../maker/conditions.js";
import { drawSpecial } from "../maker/constants.js";
import { enter, newPhis } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { observe } from "../maker/observe.js";
import { drawInteger, drawType } from "../maker/swarm.js";

/**
 * Appends a choice.
 * @returns a condition for a later branch that depends on the executed arm; null if there is none
 */
export function makeChoice(maker: ProcedureMaker): Value | null {
  const { proc } = maker;
  const flag = condition(maker, drawInteger(maker.source, maker.swarm));
  if (maker.chance(8)) return branchToOneBlock(maker, flag);
  if (maker.chance(20)) return compareWithConstant(maker);
  const phis = newPhis(maker, maker.below(3));
  const path = maker.chance(60) ? proc.newValue(Op.Phi, Int32) : null;
  const join = proc.newBlock();
  const isHalf = maker.chance(40);
  const blocks = isHalf ? [proc.newBlock()] : [proc.newBlock(), proc.newBlock()];
  const marks = ARM_MARKS[maker.below(ARM_MARKS.length)];
  if (isHalf) writeBeforeBranch(maker, phis, path, marks[1]);
  const other = isHalf ? join : blocks[1];
  if (maker.chance(50)) maker.branch(flag, blocks[0], other);
  else maker.branch(flag, other, blocks[0]);
  blocks.forEach((block, i) => makeValueArm(maker, block, join, phis, path, marks[i]));
  enter(maker, join, path === null ? phis : [...phis, path]);
  // The condition compares the value with the numbers that the arms write, or with another number.
  if (path === null) return null;
  maker.flags.push(path);
  if (maker.chance(35)) return null;
  return maker.chance(40) ? path : comparedWithMarks(maker, path, marks);
}

/** The numbers that the two arms write: a flag, two numbers, or one number in both. */
const ARM_MARKS: readonly (readonly [number, number])[] = [
  [1, 0],
  [0, 1],
  [3, 5],
  [-1, 7],
  [2, 2],
];

function comparedWithMarks(
  maker: ProcedureMaker,
  path: Value,
  marks: readonly [number, number],
): Value {
  const opcodes = [Op.Equal, Op.NotEqual, Op.LessThan, Op.Above];
  const mark = maker.chance(85) ? marks[maker.below(2)] : 4;
  return maker.emit(opcodes[maker.below(opcodes.length)], Int32, path, maker.integer(Int32, mark));
}

function branchToOneBlock(maker: ProcedureMaker, flag: Value): null {
  const next = maker.proc.newBlock();
  maker.branch(flag, next, next);
  maker.block = next;
  return null;
}

// Emits if (x == c) with uses of x. A compiler may replace x by c there, but for a zero the sign is
// unknown.
function compareWithConstant(maker: ProcedureMaker): null {
  const { proc } = maker;
  const type = drawType(maker.source, maker.swarm);
  const x = pickSpecial(maker, type);
  const [lo, hi] = isFloating(type) && maker.chance(70) ? ZERO : drawSpecial(maker.source, type);
  aimAt(maker, x, [lo, hi]);
  if (isFloating(type)) aimAt(maker, x, isWide(type) ? [lo, hi ^ SIGN] : [lo ^ SIGN, hi]);
  const opcode = maker.chance(60) ? Op.Equal : Op.NotEqual;
  const flag = maker.emit(opcode, Int32, x, maker.constantOf(type, lo, hi));
  const [taken, missed, join] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.branch(flag, taken, missed);
  for (const block of [taken, missed]) {
    const scope = maker.mark();
    maker.block = block;
    if (maker.chance(80)) observe(maker, x);
    else observe(maker, emitTotal(maker, type));
    maker.jump(join);
    maker.release(scope);
  }
  maker.block = join;
  return null;
}
const ZERO = [0, 0] as const;
const SIGN = 0x8000_0000 | 0;

function writeBeforeBranch(
  maker: ProcedureMaker,
  phis: readonly Value[],
  path: Value | null,
  mark: number,
): void {
  for (const phi of phis) maker.upsilon(maker.pick(phi.type), phi);
  if (path === null) return;
  const isKnown = maker.chance(85);
  maker.upsilon(isKnown ? maker.integer(Int32, mark) : maker.pick(Int32), path);
}

function makeValueArm(
  maker: ProcedureMaker,
  block: BasicBlock,
  join: BasicBlock,
  phis: readonly Value[],
  path: Value | null,
  mark: number,
): void {
  const scope = maker.mark();
  maker.block = block;
  const made = phis.map(({ type }) =>
    maker.chance(55) ? emitTotal(maker, type) : maker.pick(type),
  );
  if (path !== null) {
    const isKnown = maker.chance(85);
    maker.upsilon(isKnown ? maker.integer(Int32, mark) : maker.pick(Int32), path);
  }
  phis.forEach((phi, i) => maker.upsilon(made[i], phi));
  maker.jump(join);
  maker.release(scope);
}

/** Returns a cheap value that is defined for all operands. */
function emitTotal(maker: ProcedureMaker, type: Type): Value {
  const opcodes = isFloating(type) ? OF_FLOATS : OF_INTEGERS;
  const opcode = opcodes[maker.below(opcodes.length)];
  const x = maker.pickValue(type);
  if (opcode === Op.Neg) return maker.append(opcode, type, x);
  return maker.append(opcode, type, x, maker.pickBeside(type, x));
}
const OF_INTEGERS: readonly Opcode[] = [Op.Add, Op.Sub, Op.Mul, Op.BitAnd, Op.BitXor, Op.Neg];
const OF_FLOATS: readonly Opcode[] = [Op.Add, Op.Sub, Op.Mul, Op.Neg];
