// Turns chains of one associative operation into balanced trees with one constant.
//
// Assumes a valid program, in any form of Phi. It handles integer operations such as Add, Mul,
// BitAnd, BitOr and BitXor, which wrap and are exact in any order. It also handles FMin and FMax of
// floats, which are associative and commute. -0 is less than +0, and a NaN in any position makes
// the result an open NaN. It never handles sums and products of floats, which round at each step.
//
// A tree consists of a value and those of its operands that are the same operation in the same
// block. They have no other use, not even in a snapshot. So nothing moves into a loop, and no value
// that an exit uses disappears. Addresses of stack slots are excluded, because only Add may contain
// them. Leaves keep their order. The constant comes last, where rules and addresses expect it. A
// tree is rebuilt only if it becomes flatter or loses a constant, so a second run finds nothing.

import { OPCODE_COUNT, Op } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  CONSTANT_OPCODES,
  type Procedure,
  Value,
} from "../../../src/ir/procedure.js";
import { Int64, isFloating } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { type ConstantWords, foldValue } from "../rules/fold.js";

const NAME = "optimize-associative-expression-trees";
const LEAVES_MIN = 3;
const LEAVES_MAX = 64;

/** By opcode: OF_INTEGERS, OF_FLOATS, or 0 if it is not associative. */
const IS_ASSOCIATIVE = new Uint8Array(OPCODE_COUNT);
const OF_INTEGERS = 1;
const OF_FLOATS = 2;
for (const opcode of [
  ...[Op.Add, Op.Mul, Op.BitAnd, Op.BitOr, Op.BitXor],
  ...[Op.Min, Op.Max, Op.UMin, Op.UMax],
]) {
  IS_ASSOCIATIVE[opcode] = OF_INTEGERS;
}
for (const opcode of [Op.FMin, Op.FMax]) IS_ASSOCIATIVE[opcode] = OF_FLOATS;

const isAssociative = ({ opcode, type }: Value): boolean =>
  IS_ASSOCIATIVE[opcode] === (isFloating(type) ? OF_FLOATS : OF_INTEGERS);

export function optimizeAssociativeExpressionTrees(
  proc: Procedure,
  context: OptimizeContext,
): boolean {
  const before = context.applications;
  if (!hasTree(proc)) return false;
  proc.countUses();
  const trees = new ExpressionTrees(proc, context);
  for (let b = 0; b < proc.blocks.length; b++) {
    if (!trees.visit(proc.blocks[b])) break;
  }
  if (context.applications === before) return false;
  sweep(proc);
  return true;
}

// Returns whether the procedure has an associative expression tree; most have none, and need no
// count of uses.
function hasTree({ blocks }: Procedure): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      const { opcode, a, b: second } = values[i];
      if (IS_ASSOCIATIVE[opcode] === 0) continue;
      if (a?.opcode === opcode || second?.opcode === opcode) return true;
    }
  }
  return false;
}

class ExpressionTrees {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  /** By id: 1 if the value is an inner node of a tree. */
  private readonly isInner: Int32Array;
  private readonly isSlotDerived: Int32Array;
  /** The leaves of the current tree, without constants. */
  private leaves: Value[] = [];
  private constants: Value[] = [];
  private nodes: Value[] = [];
  private depth = 0;

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
    this.isInner = context.table(proc.valueIdEnd);
    this.isSlotDerived = context.table(proc.valueIdEnd);
    if (proc.slots.length > 0) this.markSlotDerived();
  }

  // Repeats until nothing changes, because definitions may come after uses in the order of the
  // text.
  private markSlotDerived(): void {
    const { isSlotDerived } = this;
    for (let changed = true; changed; ) {
      changed = false;
      for (let b = 0; b < this.proc.blocks.length; b++) {
        const { values } = this.proc.blocks[b];
        for (let i = 0; i < values.length; i++) {
          const { opcode, type, id, a, b: second } = values[i];
          if (type !== Int64 || isSlotDerived[id] === 1) continue;
          if (opcode !== Op.SlotBase && !(KEEPS_SLOT[opcode] === 1 && this.isAddress(a, second))) {
            continue;
          }
          isSlotDerived[id] = 1;
          changed = true;
        }
      }
    }
  }

  private isAddress(a: Value | null, b: Value | null): boolean {
    const { isSlotDerived } = this;
    return (a !== null && isSlotDerived[a.id] === 1) || (b !== null && isSlotDerived[b.id] === 1);
  }

  /** Rebuilds the trees of a block; returns false if the limit of applications is reached. */
  visit(block: BasicBlock): boolean {
    const { values } = block;
    // Goes backward, because a root comes after its operands.
    for (let i = values.length - 1; i >= 0; i--) {
      const value = values[i];
      if (!isAssociative(value) || this.isInner[value.id] === 1) continue;
      this.collect(value);
      if (!this.isWorthRebuilding(value)) continue;
      if (!this.context.claim(NAME, value)) return false;
      this.rebuild(value, i);
    }
    return true;
  }

  private collect(root: Value): void {
    this.leaves = [];
    this.constants = [];
    this.nodes = [];
    this.depth = 0;
    this.collectFrom(root, root, 0);
  }

  private collectFrom(root: Value, value: Value | null, depth: number): void {
    if (value === null) return;
    if (value !== root && !this.isPart(root, value)) {
      if (value.isConstant) this.constants.push(value);
      else this.leaves.push(value);
      this.depth = Math.max(this.depth, depth);
      return;
    }
    if (value !== root) {
      this.nodes.push(value);
      this.isInner[value.id] = 1;
    }
    this.collectFrom(root, value.a, depth + 1);
    this.collectFrom(root, value.b, depth + 1);
  }

  private isPart(root: Value, value: Value): boolean {
    return (
      value.opcode === root.opcode &&
      value.type === root.type &&
      value.uses === 1 &&
      value.block === root.block &&
      this.nodes.length < LEAVES_MAX
    );
  }

  private isWorthRebuilding(root: Value): boolean {
    const { leaves, constants, isSlotDerived } = this;
    const count = leaves.length + constants.length;
    if (count < LEAVES_MIN) return false;
    if (root.type === Int64) {
      for (let i = 0; i < leaves.length; i++) if (isSlotDerived[leaves[i].id] === 1) return false;
    }
    if (constants.length > 1) return this.foldConstants(root) !== null;
    return this.depth > depthOf(leaves.length) + constants.length;
  }

  /** Folds all constants of the tree into one; returns null if the result would be an open NaN. */
  private foldConstants(root: Value): ConstantWords | null {
    const words: ConstantWords = {
      lo: this.constants[0].constantLow,
      hi: this.constants[0].constantHigh,
    };
    // A constant that is in no block, to hold the folded constant of the tree.
    const joined = new Value(0, CONSTANT_OPCODES[root.type], root.type);
    const folded = new Value(0, root.opcode, root.type);
    for (let i = 1; i < this.constants.length; i++) {
      joined.constantLow = words.lo;
      joined.constantHigh = words.hi;
      folded.a = joined;
      folded.b = this.constants[i];
      if (!foldValue(folded, words)) return null;
    }
    return words;
  }

  private rebuild(root: Value, position: number): void {
    const { proc, leaves, nodes } = this;
    const made: Value[] = [];
    const last = this.lastConstant(root, made);
    const { block } = root;
    const operands = leaves.slice();
    // Combines pairs of neighbours, level by level.
    while (operands.length > (last === null ? 2 : 1)) {
      for (let i = 0; i + 1 < operands.length; i++) {
        if (operands.length === 2 && last === null) break;
        const pair = proc.newValue(root.opcode, root.type, operands[i], operands[i + 1]);
        pair.block = block;
        made.push(pair);
        operands.splice(i, 2, pair);
      }
    }
    for (let i = 0; i < nodes.length; i++) nodes[i].becomesNop();
    if (operands.length === 0) {
      root.becomesConstant(last?.constantLow ?? 0, last?.constantHigh ?? 0);
    } else {
      root.a = operands[0];
      root.b = last ?? operands[1];
    }
    block?.values.splice(position, 0, ...made);
  }

  private lastConstant(root: Value, made: Value[]): Value | null {
    const { constants, proc } = this;
    if (constants.length < 2) return constants.length === 0 ? null : constants[0];
    const words = this.foldConstants(root);
    if (words === null) return null;
    const constant = proc.newConstant(root.type, words.lo, words.hi);
    constant.block = root.block;
    made.push(constant);
    return constant;
  }
}

/** By opcode: 1 if the result may be an address of the same slot as an operand. */
const KEEPS_SLOT = new Uint8Array(OPCODE_COUNT);
for (const opcode of [Op.Add, Op.Identity, Op.Opaque]) KEEPS_SLOT[opcode] = 1;

/** Returns the least depth of a tree with `count` leaves. */
function depthOf(count: number): number {
  let depth = 0;
  while (1 << depth < count) depth++;
  return depth;
}
