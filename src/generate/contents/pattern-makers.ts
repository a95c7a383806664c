// Emits instances of the patterns of rules: exact, or with one edit. An edit is another constant,
// another value for a repeated variable, a further use of an inner value, or an operation before
// the root.

import {
  EFFECTS,
  isTotal,
  Op,
  type Opcode,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, isWide, Void } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";
import { aimAt, compare, pickSpecial } from "../maker/conditions.js";
import { drawBoundary } from "../maker/constants.js";
import { guardAgainst, pickSnapshot } from "../maker/exits.js";
import type { HeapAddress, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { observe } from "../maker/observe.js";
import type { PatternNode, PatternShape, VariableConstants } from "../maker/patterns.js";
import { run } from "../maker/rows.js";
import { switchArms } from "../maker/switches.js";
import { branchOn } from "./data-idioms.js";

/** Appends an instance of a rule, or nearly one; returns false if no known rule fits. */
export function emitPattern(maker: ProcedureMaker): boolean {
  const { patterns } = maker.context;
  for (let tries = 0; tries < 3 && patterns.length > 0; tries++) {
    const rule = patterns[maker.below(patterns.length)];
    const { shapes } = rule;
    const shape = shapes[maker.below(Math.max(1, shapes.length))];
    if (shape === undefined || !fits(maker, shape.root)) continue;
    run(maker, { name: `rule ${rule.name}`, weight: 1, make: () => makeInstance(maker, shape) });
    return true;
  }
  return false;
}

// Returns whether the pattern's types are in use, and its addresses are the heap base, possibly
// plus a constant.
function fits(maker: ProcedureMaker, { type, opcode, operands }: PatternNode): boolean {
  if (type !== Void && !maker.swarm.hasType[type]) return false;
  if (opcode === null) return true;
  const at = addressAt(opcode);
  return operands.every((operand, i) => {
    if (i !== at) return fits(maker, operand);
    if (maker.heapBase === null) return false;
    return operand.opcode === null || (operand.opcode === Op.Add && operand.operands[1].isConstant);
  });
}

/** Returns the index of the operand that is an address; -1 for none. */
function addressAt(opcode: Opcode): number {
  if ((EFFECTS[opcode] & WRITES_MEMORY) !== 0) return 1;
  return (EFFECTS[opcode] & READS_MEMORY) !== 0 ? 0 : -1;
}

type PatternMiss = "none" | "constant" | "variable" | "use" | "between";
const MISSES: readonly PatternMiss[] = ["constant", "variable", "use", "between"];

interface PatternInstance {
  readonly choice: VariableConstants | null;
  readonly bound: Map<string, Value>;
  readonly miss: PatternMiss;
  /** The edit was made. */
  isMissed: boolean;
}

function makeInstance(maker: ProcedureMaker, { root, taken }: PatternShape): void {
  const isKnown = taken.length > 0 && maker.chance(75);
  const choice = isKnown ? taken[maker.below(taken.length)] : null;
  const miss = maker.chance(45) ? drawMiss(maker, root) : "none";
  makeRoot(maker, root, { choice, bound: new Map(), miss, isMissed: false });
}

/**
 * Returns the edit. Half of the time it concerns a constant, since rules err most often in their
 * conditions on constants.
 */
function drawMiss(maker: ProcedureMaker, root: PatternNode): PatternMiss {
  if (maker.chance(50) && hasConstants(root)) return "constant";
  return MISSES[maker.below(MISSES.length)];
}

const hasConstants = ({ isConstant, literal, operands }: PatternNode): boolean =>
  isConstant || literal !== null || operands.some(hasConstants);

function makeRoot(maker: ProcedureMaker, node: PatternNode, instance: PatternInstance): void {
  const { opcode, operands } = node;
  if (opcode === Op.Branch || opcode === Op.Switch) {
    const operand = makeNode(maker, operands[0], instance);
    between(maker, instance);
    if (opcode === Op.Branch) branchOn(maker, operand);
    else switchOn(maker, operand);
  } else {
    const made = makeNode(maker, node, instance);
    // Half of the results are stored in a cell of their own, so that they matter.
    if (node.type !== Void && maker.chance(50)) observe(maker, made);
  }
}

// Emits an operation that the root must not be moved across or merged with.
function between(maker: ProcedureMaker, { miss }: PatternInstance): void {
  if (miss !== "between") return;
  if (maker.heapBase !== null && maker.chance(50)) observe(maker, maker.pickValue(Int32));
  else if (maker.dials.guards > 0) guardAgainst(maker, compare(maker));
}

function makeNode(maker: ProcedureMaker, node: PatternNode, instance: PatternInstance): Value {
  const { opcode, type, operands } = node;
  if (opcode === null) return makeLeaf(maker, node, instance);
  const at = addressAt(opcode);
  if (at >= 0) return makeAccess(maker, node, at, instance);
  const isPartial = !isTotal(opcode, type) && type !== Void && isDivision(opcode);
  const made = operands.map((operand, i) =>
    isPartial && i === 1 ? divisor(maker, operand, instance) : makeNode(maker, operand, instance),
  );
  if (opcode === Op.BitwiseCast) made[0] = maker.closed(made[0]);
  if (opcode === Op.CopySign) made[1] = maker.closed(made[1]);
  const isGuard = GUARDS.includes(opcode);
  const snapshot = isGuard ? pickSnapshot(maker) : null;
  between(maker, instance);
  const value = maker.emit(opcode, type, made[0] ?? null, made[1] ?? null, made[2] ?? null);
  if (snapshot !== null) value.extra = snapshot;
  // An operation that folds may fold for any constant.
  const isFolded = made.every(({ isConstant }) => isConstant);
  if (isFolded && isTotal(opcode, made[0]?.type ?? type)) maker.markFree(value);
  if (instance.miss === "use" && type !== Void && maker.chance(50)) observe(maker, value);
  return value;
}

const GUARDS: readonly Opcode[] = [
  ...[Op.Check, Op.CheckAdd, Op.CheckSub, Op.CheckMul],
  ...[Op.CheckToInt32, Op.CheckToInt32Exact],
];
const DIVISIONS: readonly Opcode[] = [Op.Div, Op.Mod, Op.UDiv, Op.UMod, Op.FloorMod];
const isDivision = (opcode: Opcode): boolean => DIVISIONS.includes(opcode);

// Returns a positive divisor, so that each dividend has a quotient.
function divisor(maker: ProcedureMaker, node: PatternNode, instance: PatternInstance): Value {
  const value = makeNode(maker, node, instance);
  const { type } = value;
  if (value.isConstant) {
    const { constantLow: lo, constantHigh: hi } = value;
    const isZero = lo === 0 && (type === Int32 || hi === 0);
    const isMinusOne = lo === -1 && (type === Int32 || hi === -1);
    return isZero || isMinusOne ? maker.integer(type, 3) : value;
  }
  const greatest =
    type === Int64 ? maker.constantOf(type, -1, 0x7fff_ffff) : maker.integer(type, 0x7fff_ffff);
  const positive = maker.append(Op.BitAnd, type, value, greatest);
  return maker.append(Op.BitOr, type, positive, maker.integer(type, 1));
}

function makeLeaf(maker: ProcedureMaker, node: PatternNode, instance: PatternInstance): Value {
  const { type, variable, literal, isConstant } = node;
  if (literal !== null) return constant(maker, node, literal, instance);
  const name = variable ?? "";
  const bound = instance.bound.get(name);
  const isOther = bound !== undefined && instance.miss === "variable" && !instance.isMissed;
  if (bound !== undefined && !isOther) return bound;
  if (isOther) instance.isMissed = true;
  const value = isConstant
    ? constant(maker, node, instance.choice?.[name] ?? drawBoundary(maker.source, type), instance)
    : maker.chance(35)
      ? pickSpecial(maker, type)
      : maker.pickValue(type);
  instance.bound.set(name, value);
  // Half of the values that are compared with a constant are aimed at it.
  if (isConstant) for (const other of instance.bound.values()) aim(maker, other, value);
  return value;
}

function aim(
  maker: ProcedureMaker,
  value: Value,
  { type, constantLow: lo, constantHigh: hi }: Value,
): void {
  if (value.type === type && maker.chance(50)) aimAt(maker, value, [lo, hi]);
}

function constant(
  maker: ProcedureMaker,
  { type }: PatternNode,
  [lo, hi]: WordPair,
  instance: PatternInstance,
): Value {
  if (instance.miss !== "constant" || instance.isMissed || maker.chance(40)) {
    return maker.constantOf(type, lo, hi);
  }
  instance.isMissed = true;
  const bit = maker.chance(50) ? 1 : 1 << maker.below(32);
  // Changes either word: a condition may look at only one of them.
  if (isWide(type) && maker.chance(50)) return maker.constantOf(type, lo, hi ^ bit);
  return maker.constantOf(type, lo ^ bit, hi);
}

// Emits an access. The offset selects the window, and compensates the constant that the pattern
// adds to the heap base.
function makeAccess(
  maker: ProcedureMaker,
  node: PatternNode,
  at: number,
  instance: PatternInstance,
): Value {
  const { opcode, type, operands } = node;
  const { heapBase } = maker;
  if (opcode === null || heapBase === null) return maker.pickValue(Int32); // `fits` has checked it
  const address = makeAddress(maker, operands[at], heapBase, instance);
  const offset = placeIn(maker, address, 8);
  between(maker, instance);
  const stored = at === 1 ? maker.closed(makeNode(maker, operands[0], instance)) : null;
  const value =
    stored !== null
      ? maker.append(opcode, Void, stored, address.value)
      : maker.emit(opcode, type, address.value);
  value.offset = offset;
  return value;
}

function makeAddress(
  maker: ProcedureMaker,
  { opcode, operands }: PatternNode,
  heapBase: Value,
  instance: PatternInstance,
): HeapAddress {
  if (opcode === null) return pickAddress(maker, heapBase);
  const name = operands[1].variable ?? "";
  const [lo, hi] = instance.choice?.[name] ?? [maker.below(64) - 16, 0];
  const isNear = Math.abs(lo) < FAR && (hi === 0 || hi === -1) && hi === lo >> 31;
  const distance = isNear ? lo : maker.below(64) - 16;
  const value = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, distance));
  return { value, low: distance, high: distance };
}
const FAR = 0x4000_0000;

/**
 * Appends a Switch whose only effect is a value that depends on its direction. At times all
 * directions lead to one block.
 */
function switchOn(maker: ProcedureMaker, operand: Value): void {
  const numbers = [0, 1, -1, 2 + maker.below(6)];
  const keys = numbers.map((key): WordPair => [key, operand.type === Int64 && key < 0 ? -1 : 0]);
  if (maker.chance(50)) for (const key of keys) aimAt(maker, operand, key);
  const arms = maker.chance(25) ? 1 : 3;
  switchArms(maker, operand, keys, arms, (arm) => maker.integer(Int32, 1 + arm));
}
