// Emits joins after which a compiler may wrongly assume a fact of one path. Expressions and
// comparisons are repeated after the join, edges fold away, or edges have moves of their own. Also
// emits long, deep, and narrow straight-line code.

import { COMMUTES, Op } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";
import { within } from "../../support/source.js";
import { COMPARISONS, compare, condition } from "../maker/conditions.js";
import { guardAgainst } from "../maker/exits.js";
import { enter, newPhis, twoArms } from "../maker/joins.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { mixInto, observe } from "../maker/observe.js";
import { oneOf, repeat } from "../maker/rows.js";
import { drawInteger, drawType } from "../maker/swarm.js";
import { switchArms } from "../maker/switches.js";
import { switchOnPaths } from "./constants-by-path.js";
import { narrowEnd } from "./narrow-ends.js";
import { shortCircuit } from "./short-circuits.js";

// biome-ignore format: a table
export const CORNER_JOINS: readonly MakerRow[] = [
  { name: "expression past a join",     weight: 3, make: expressionPastJoin },
  { name: "comparison past a join",     weight: 3, make: comparisonPastJoin },
  { name: "one comparison, many times", weight: 3, make: comparisonManyTimes },
  { name: "edge that folds",       weight: 3, make: edgeFoldsAway },
  { name: "edges with moves",           weight: 2, make: edgesWithMoves },
  { name: "nest of switches",           weight: 2, make: switchNest },
  { name: "long straight block",        weight: 1, make: longBlock },
  { name: "deep expression",            weight: 2, make: deepExpression },
  { name: "one value, many users",      weight: 2, make: manyUsers },
  { name: "many values, one user",      weight: 2, make: manyValues },
  { name: "Switch on constants by path",             weight: 6, make: switchOnPaths },
  { name: "end of a narrower range",     weight: 10, make: narrowEnd },
  { name: "short circuit",              weight: 6, make: shortCircuit },
];

const PURE = [Op.Add, Op.Sub, Op.Mul, Op.BitAnd, Op.BitOr, Op.BitXor];
const PURE_FLOAT = [Op.Add, Op.Sub, Op.Mul, Op.Div];

/** One of a few total operations, on operands of the type. */
interface JoinExpression {
  readonly make: () => Value;
}

function drawExpression(maker: ProcedureMaker, type: Type): JoinExpression {
  const opcode = oneOf(maker, isFloating(type) ? PURE_FLOAT : PURE);
  const x = maker.pickValue(type);
  const y = maker.pickBeside(type, x);
  const isSwapped = COMMUTES[opcode] === 1 && maker.chance(25);
  return {
    make: () =>
      isSwapped && maker.chance(50)
        ? maker.emit(opcode, type, y, x)
        : maker.emit(opcode, type, x, y),
  };
}

// Emits an expression in one arm and again after the join: the other path did not compute it.
function expressionPastJoin(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const expression = drawExpression(maker, type);
  const arms = [() => [expression.make()], () => [maker.pick(type)]];
  if (maker.chance(30)) observe(maker, expression.make());
  twoArms(maker, compare(maker), arms, [type]);
  observe(maker, expression.make());
}

// Repeats a comparison after the join that a branch or a guard decided on one path.
function comparisonPastJoin(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const opcode = COMPARISONS[maker.below(isFloating(type) ? 6 : COMPARISONS.length)];
  const x = maker.pickValue(type);
  const y = maker.chance(50) ? maker.constant(type) : maker.pickBeside(type, x);
  const compareAgain = (): Value => maker.append(opcode, Int32, x, y);
  const guards = maker.dials.guards > 0 && maker.chance(50);
  const arms = [
    () => {
      if (guards) guardAgainst(maker, compareAgain());
      else
        twoArms(
          maker,
          compareAgain(),
          [() => [maker.integer(Int32, 1)], () => [maker.integer(Int32, 2)]],
          [Int32],
        );
      return [maker.append(Op.Add, Int32, compareAgain(), maker.pickValue(Int32))];
    },
    () => [maker.pickValue(Int32)],
  ];
  twoArms(maker, compare(maker), arms, [Int32]);
  const again = compareAgain();
  if (maker.chance(50)) observe(maker, again);
  else twoArms(maker, again, [() => [maker.integer(Int32, 3)], () => [maker.pick(Int32)]], [Int32]);
}

// Emits three or more branches on one flag, with joins between them, and one branch nested in
// another.
function comparisonManyTimes(maker: ProcedureMaker): void {
  const flag = condition(maker, drawInteger(maker.source, maker.swarm));
  const type = drawType(maker.source, maker.swarm);
  const again = (): Value => {
    if (flag.type !== Int32 || maker.chance(65)) return flag;
    return maker.append(
      maker.chance(50) ? Op.Equal : Op.NotEqual,
      Int32,
      flag,
      maker.integer(Int32, 0),
    );
  };
  const nested = (depth: number): readonly Value[] => {
    if (depth > 0 && maker.chance(50)) {
      const nestedFlag = maker.chance(70) ? again() : compare(maker);
      return twoArms(maker, nestedFlag, [() => nested(depth - 1), () => nested(depth - 1)], [type]);
    }
    return [maker.chance(50) ? drawExpression(maker, type).make() : maker.pick(type)];
  };
  for (let count = 2 + maker.below(2); count > 0; count--) {
    const [phi] = twoArms(maker, again(), [() => nested(1), () => nested(1)], [type]);
    if (maker.chance(40)) observe(maker, phi);
  }
}

/** Returns a condition that a compiler may fold to a constant. */
function foldedFlag(maker: ProcedureMaker): Value {
  const x = maker.pickValue(Int32);
  const roll = maker.below(5);
  if (roll === 0) return maker.append(Op.Equal, Int32, x, x);
  if (roll === 1) return maker.append(Op.BitXor, Int32, x, x);
  if (roll === 2) return maker.append(Op.BitAnd, Int32, x, maker.integer(Int32, 0));
  const [a, b] = [maker.below(4), maker.below(4)];
  if (roll === 3)
    return maker.append(Op.LessThan, Int32, maker.integer(Int32, a), maker.integer(Int32, b));
  const masked = maker.append(Op.BitAnd, Int32, x, maker.integer(Int32, 7));
  return maker.append(Op.GreaterThan, Int32, masked, maker.integer(Int32, 7 + a - b));
}

// Emits a join of three or more edges, one of which folds away. The operands of the other edges
// must stay in order.
function edgeFoldsAway(maker: ProcedureMaker): void {
  const { proc } = maker;
  const phis = newPhis(maker, 1 + maker.below(2));
  const count = 3 + maker.below(2);
  const folded = maker.below(count);
  const join = proc.newBlock();
  const arms: BasicBlock[] = [];
  const scope = maker.mark();
  for (let i = 0; i < count; i++) {
    const isLast = i === count - 1;
    const arm = isLast ? maker.block : proc.newBlock();
    arms.push(arm);
    if (isLast) break;
    const next = proc.newBlock();
    const flag = i === folded ? foldedFlag(maker) : compare(maker);
    if (maker.chance(50)) maker.branch(flag, arm, next);
    else maker.branch(flag, next, arm);
    maker.block = next;
  }
  maker.release(scope); // the values of a link are not defined on the paths before it
  for (const arm of arms) {
    maker.block = arm;
    for (const phi of phis) {
      maker.upsilon(
        maker.chance(50) ? drawExpression(maker, phi.type).make() : maker.pick(phi.type),
        phi,
      );
    }
    maker.jump(join);
    maker.release(scope);
  }
  enter(maker, join, phis);
}

// Emits a branch, mostly on floats, whose edges both lead directly to joins with Phis: each edge
// has its own moves.
function edgesWithMoves(maker: ProcedureMaker): void {
  const { proc, swarm } = maker;
  const [first, second] = [newPhis(maker, 1 + maker.below(2)), newPhis(maker, 1 + maker.below(3))];
  const [middle, near, far] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  const write = (phis: readonly Value[]): void => {
    for (const phi of phis) maker.upsilon(maker.pick(phi.type), phi);
  };
  const floating = [Float, Double].filter((type) => swarm.hasType[type]);
  const flag = (): Value => {
    if (floating.length === 0 || maker.chance(25)) return compare(maker);
    const type = oneOf(maker, floating);
    const opcodes = [...COMPARISONS.slice(0, 6), Op.NotEqual, Op.EqualOrUnordered];
    const x = maker.pickValue(type);
    return maker.emit(oneOf(maker, opcodes), Int32, x, maker.pickBeside(type, x));
  };
  const firstFlag = flag();
  write(first);
  write(second);
  if (maker.chance(50)) maker.branch(firstFlag, near, middle);
  else maker.branch(firstFlag, middle, near);
  maker.block = middle;
  const scope = maker.mark();
  const other = flag();
  write(first);
  write(second);
  if (maker.chance(50)) maker.branch(other, near, far);
  else maker.branch(other, far, near);
  maker.release(scope);
  enter(maker, near, first);
  for (const phi of first) observe(maker, phi);
  write(second);
  maker.jump(far);
  maker.release(scope);
  enter(maker, far, second);
}

// Emits a Switch in each arm of a Switch, on the same number or on another. Some numbers are less
// than, greater than and between the keys.
function switchNest(maker: ProcedureMaker): void {
  const outer = switchOperand(maker);
  const result = switchArms(
    maker,
    outer,
    drawKeys(maker, outer.type),
    2 + maker.below(3),
    (arm) => {
      const mark = maker.integer(Int32, arm);
      if (maker.chance(30)) return mark;
      const inner = maker.chance(40) ? outer : switchOperand(maker);
      const keys = drawKeys(maker, inner.type);
      const innerResult = switchArms(maker, inner, keys, 1 + maker.below(4), (k) =>
        maker.integer(Int32, 10 * k),
      );
      return maker.append(Op.Add, Int32, innerResult, mark);
    },
  );
  observe(maker, result);
}

function switchOperand(maker: ProcedureMaker): Value {
  const type = drawInteger(maker.source, maker.swarm);
  const low = maker.append(Op.BitAnd, type, maker.pickValue(type), maker.integer(type, 7));
  if (maker.chance(50)) return low;
  return maker.append(Op.Sub, type, low, maker.integer(type, 1 + maker.below(4)));
}

/** Returns three to seven keys, consecutive or with gaps. */
function drawKeys(maker: ProcedureMaker, type: Type): WordPair[] {
  const first = maker.below(5) - 3;
  const step = 1 + maker.below(2);
  const length = 3 + maker.below(5);
  return Array.from({ length }, (_, i): WordPair => {
    const key = first + i * step;
    return [key, type === Int64 && key < 0 ? -1 : 0];
  });
}

// Emits many steps without a branch.
function longBlock(maker: ProcedureMaker): void {
  repeat(maker, 20 + maker.below(60), () => {
    const type = drawType(maker.source, maker.swarm);
    drawExpression(maker, type).make();
  });
}

// Emits a chain of dozens of operations, or a full tree.
function deepExpression(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  if (maker.chance(40)) {
    expressionTree(maker, type, 3 + maker.below(3));
    return;
  }
  let value = maker.pickValue(type);
  repeat(maker, 10 + maker.below(30), () => {
    const opcode = oneOf(maker, isFloating(type) ? PURE_FLOAT : PURE);
    const other = maker.pick(type);
    value = maker.chance(60)
      ? maker.emit(opcode, type, value, other)
      : maker.emit(opcode, type, other, value);
  });
}

function expressionTree(maker: ProcedureMaker, type: Type, depth: number): Value {
  if (depth === 0 || !maker.source.has("tree")) return maker.pick(type);
  return within(maker.source, "tree", () => {
    const opcode = oneOf(maker, isFloating(type) ? PURE_FLOAT : PURE);
    const left = expressionTree(maker, type, depth - 1);
    return maker.emit(opcode, type, left, expressionTree(maker, type, depth - 1));
  });
}

function manyUsers(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const x = drawExpression(maker, type).make();
  repeat(maker, 8 + maker.below(16), () => {
    const opcode = oneOf(maker, isFloating(type) ? PURE_FLOAT : PURE);
    const other = maker.pickBeside(type, x);
    if (maker.chance(50)) maker.emit(opcode, type, x, other);
    else maker.emit(opcode, type, other, x);
  });
}

function manyValues(maker: ProcedureMaker): void {
  const values: Value[] = [];
  repeat(maker, 8 + maker.below(16), () => {
    const type = drawType(maker.source, maker.swarm);
    const made = drawExpression(maker, type).make();
    made.uses++; // used below
    values.push(made);
  });
  let sum = maker.pickValue(drawInteger(maker.source, maker.swarm));
  for (const value of values) sum = mixInto(maker, sum, value);
}
