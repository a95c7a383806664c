// Makes worlds of control flow: a diamond, a loop of one to three iterations, a switch. Their
// conditions and computations are single operations on the world's operands.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { BasicBlock, Value } from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import { type CountedValue, choice, product, sequence } from "./counted.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

const COMPARISONS: readonly Opcode[] = [
  Op.Equal,
  Op.NotEqual,
  Op.LessThan,
  Op.LessEqual,
  Op.GreaterThan,
  Op.GreaterEqual,
  Op.Above,
  Op.Below,
  Op.AboveEqual,
  Op.BelowEqual,
];
const TYPES: readonly Type[] = [Int32, Int64];
/** The right operand of a comparison: another operand, or a constant. */
const BOUNDS: readonly (number | null)[] = [null, 0, 1, -1, 31, 128, -0x80000000, 0x7fffffff];
/** The computation or effect on a path, with the first two operands. */
const STEPS: readonly ((site: WorldSite, x: Value, y: Value) => Value)[] = [
  (_site, x) => x,
  (_site, _x, y) => y,
  (site, x) => site.maker.append(Op.Add, x.type, x, site.maker.integer(x.type, 1)),
  (site, x) => site.maker.append(Op.Sub, x.type, x, site.maker.integer(x.type, 1)),
  (site, x, y) => site.maker.append(Op.Add, x.type, x, y),
  (site, x, y) => site.maker.append(Op.Sub, x.type, x, y),
  (site, x) => site.maker.append(Op.Neg, x.type, x),
  (site, x) => site.maker.append(Op.BitAnd, x.type, x, site.maker.integer(x.type, 255)),
  (site, x) => site.maker.append(Op.SShr, x.type, x, site.maker.integer(Int32, 1)),
  (site, x, y) => site.maker.append(Op.Mul, x.type, x, y),
  addToCell,
];

/** Adds to the cell, which a Select cannot replace. */
function addToCell({ maker, heap, cell }: WorldSite, x: Value, y: Value): Value {
  const load = maker.append(Op.Load, x.type, heap);
  load.offset = cell;
  const sum = maker.append(Op.Add, x.type, load, y);
  maker.append(Op.Store, Void, sum, heap).offset = cell;
  return x;
}

/** Returns the constant, or the operand with this index if the constant is null. */
const constantOrOperand = (
  { maker, operands }: WorldSite,
  type: Type,
  constant: number | null,
  operand: number,
): Value => (constant === null ? operands[type][operand] : maker.integer(type, constant));

/** Emits a diamond, and returns the Phi of its two paths. */
export function branchAndJoin(
  site: WorldSite,
  type: Type,
  flag: Value,
  ifTrue: () => Value,
  ifFalse: () => Value,
): Value {
  const { proc } = site.maker;
  const [taken, other] = [proc.newBlock(), proc.newBlock()];
  site.maker.branch(flag, taken, other);
  return join(site, type, [
    [taken, ifTrue],
    [other, ifFalse],
  ]);
}

/** Emits the computation of each path, and returns their Phi. */
function join(
  site: WorldSite,
  type: Type,
  paths: readonly (readonly [BasicBlock, () => Value])[],
): Value {
  const { maker } = site;
  const phi = maker.proc.newValue(Op.Phi, type);
  const end = maker.proc.newBlock();
  for (const [block, compute] of paths) {
    maker.block = block;
    maker.upsilon(compute(), phi);
    maker.jump(end);
  }
  maker.block = end;
  maker.place(phi, false);
  return phi;
}

/**
 * The worlds of diamonds: one comparison decides, and steps on each path and after the join use its
 * operands.
 */
const DIAMONDS = product({
  type: choice(TYPES),
  compare: choice(COMPARISONS),
  bound: choice(BOUNDS),
  onTaken: choice(STEPS),
  onOther: choice(STEPS),
  after: choice(STEPS),
});

function makeDiamond(world: CountedValue<typeof DIAMONDS>, site: WorldSite): Value {
  const { type, compare, bound, onTaken, onOther, after } = world;
  const { maker } = site;
  const [x, y] = [site.operands[type][0], constantOrOperand(site, type, bound, 1)];
  const blocks = [maker.proc.newBlock(), maker.proc.newBlock()];
  maker.branch(maker.append(compare, Int32, x, y), blocks[0], blocks[1]);
  const phi = join(site, type, [
    [blocks[0], () => onTaken(site, x, y)],
    [blocks[1], () => onOther(site, x, y)],
  ]);
  return after(site, phi, x);
}

/** The start and the step of a loop: constants, or an operand for null. */
const STARTS: readonly (number | null)[] = [null, 0, 1, -1, 3, 0x7ffffffe, -0x80000000];
const STRIDES: readonly (number | null)[] = [null, 1, -1, 2, -3];
const LOOPS = product({
  type: choice(TYPES),
  start: choice(STARTS),
  stride: choice(STRIDES),
  compare: choice(COMPARISONS),
  bound: choice(BOUNDS),
  step: choice(STEPS),
});
/** The number of iterations after which a loop is left if its own condition does not end it. */
const ITERATIONS_MAX = 3;

function makeLoop(world: CountedValue<typeof LOOPS>, site: WorldSite): Value {
  const { type, start, stride, compare, bound, step } = world;
  const { maker, operands } = site;
  const { proc } = maker;
  const [from, by, to] = [
    constantOrOperand(site, type, start, 0),
    constantOrOperand(site, type, stride, 2),
    constantOrOperand(site, type, bound, 1),
  ];
  const [i, sum] = [proc.newValue(Op.Phi, type), proc.newValue(Op.Phi, type)];
  const left = proc.newValue(Op.Phi, Int32);
  const [header, next, exit] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.upsilon(from, i);
  maker.upsilon(operands[type][1], sum);
  maker.upsilon(maker.integer(Int32, ITERATIONS_MAX), left);
  maker.jump(header);
  maker.block = header;
  for (const phi of [i, sum, left]) maker.place(phi, false);
  const summed = step(site, sum, i);
  const advanced = maker.append(Op.Add, type, i, by);
  const rest = maker.append(Op.Sub, Int32, left, maker.integer(Int32, 1));
  maker.upsilon(advanced, i);
  maker.upsilon(summed, sum);
  maker.upsilon(rest, left);
  maker.branch(maker.append(compare, Int32, advanced, to), next, exit);
  maker.block = next;
  maker.branch(rest, header, exit);
  maker.block = exit;
  return maker.append(Op.Add, type, summed, advanced);
}

/** The keys of Switches. Keys that are equal in 32 bits count as one. */
const KEYS: readonly (readonly number[])[] = [
  [0],
  [0, 1],
  [0, 1, 2, 3],
  [-1, 0, 1],
  [-0x80000000, 0x7fffffff],
  [1, 2, 4, 8, 16],
  [100, 1000, 5, 7],
  [0, 2 ** 32, -1, 2 ** 32 - 1, 1],
];
/** The operand of the switch: an operand, its low bits, or a neighbour. */
const SCRUTINEES: readonly ((site: WorldSite, x: Value) => Value)[] = [
  (_site, x) => x,
  ({ maker }, x) => maker.append(Op.BitAnd, x.type, x, maker.integer(x.type, 3)),
  ({ maker }, x) => maker.append(Op.Add, x.type, x, maker.integer(x.type, 1)),
  ({ maker }, x) => maker.append(Op.ZShr, x.type, x, maker.integer(Int32, 28)),
];
/** A function that emits the decision: as a Switch, or as comparisons with each key in turn. */
type DecisionForm = (
  site: WorldSite,
  scrutinee: Value,
  keys: readonly WordPair[],
  targets: readonly BasicBlock[],
) => void;
const DECISIONS: readonly DecisionForm[] = [
  ({ maker }, scrutinee, keys, targets) => {
    maker.switch(scrutinee, keys, targets);
  },
  ({ maker }, scrutinee, keys, targets) => {
    keys.forEach((key, k) => {
      const isKey = maker.append(
        Op.Equal,
        Int32,
        scrutinee,
        maker.constantOf(scrutinee.type, ...key),
      );
      const next = k === keys.length - 1 ? targets[keys.length] : maker.proc.newBlock();
      maker.branch(isKey, targets[k], next);
      maker.block = next;
    });
  },
];
const SWITCHES = product({
  type: choice(TYPES),
  decision: choice(DECISIONS),
  list: choice(KEYS),
  scrutinee: choice(SCRUTINEES),
  steps: sequence(2, choice(STEPS)),
  otherwise: choice(STEPS),
});

function makeSwitch(world: CountedValue<typeof SWITCHES>, site: WorldSite): Value {
  const { type, decision, list, scrutinee, steps, otherwise } = world;
  const { maker, operands } = site;
  const [x, y] = operands[type];
  const keys = [...new Set(list.map((key) => (type === Int64 ? key : key | 0)))];
  const targets = [...keys, null].map(() => maker.proc.newBlock());
  const words = keys.map(
    (key): WordPair => [key | 0, type === Int64 ? Math.floor(key / 2 ** 32) : 0],
  );
  decision(site, scrutinee(site, x), words, targets);
  const last = targets.length - 1;
  return join(
    site,
    type,
    targets.map((block, k) => [block, () => (k === last ? otherwise : steps[k % 2])(site, x, y)]),
  );
}

export const CONTROL: readonly WorldKind[] = [
  kindOf("diamond", "a comparison, a step on each path, one after the join", DIAMONDS, makeDiamond),
  kindOf("loop", "a loop of one to three iterations", LOOPS, makeLoop, { perProgram: 8 }),
  kindOf("switch", "a switch, or comparisons in turn; a step in each case", SWITCHES, makeSwitch, {
    perProgram: 16,
  }),
];
