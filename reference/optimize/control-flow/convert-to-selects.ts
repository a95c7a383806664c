// Turns a branch whose arms only choose between values into Selects.
//
// Assumes edge form without critical edges. So every such branch has two arms: blocks of its own
// before one join, which may be empty. Both arms are computed afterwards, so they may contain only
// Upsilons and values that are total and cheap (VALUES_MAX); no guard, load or call. If only stores
// use the chosen values, more are allowed (STORED_MAX), because nothing else waits for the Select,
// and a mispredicted branch would cost more. If one arm writes a constant that decides the branch
// of the join, thread-jumps handles the branch. That saves the path a branch and the other arm's
// values.
//
// The values move before the branch. Each Phi of the join gets a Select of the inputs from the two
// arms, and the branch becomes a jump. A join without other predecessors is appended at once. So an
// outer branch may be converted afterwards, because the order is walked backward, and inner
// branches come later in it. Select moves bits as a Phi does. It terminates because each
// application removes a branch.

import { EFFECTS, Op, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";
import { jumpTo, redirectEdges, removeBlocks } from "../edit/edit-blocks.js";
import { resolve, sweep } from "../edit/sweep.js";
import { newUpsilon } from "../edit/upsilons.js";
import { inputFrom, isArm, speculatedIn } from "./arms.js";

const NAME = "convert-to-selects";
/** The maximum number of values in both arms together; constants do not count. */
const VALUES_MAX = 4;
/** The maximum number of values in both arms together if the chosen values are only stored. */
const STORED_MAX = 8;
/** The maximum number of Selects for one branch. */
const SELECTS_MAX = 3;

export function convertToSelects(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  const gone = new Uint8Array(proc.blocks.length);
  const merged = new MergedBlocks();
  const uses = new ValueUses(proc);
  let changed = false;
  for (let i = order.length - 1; i >= 0; i--) {
    const block = order[i];
    if (gone[block.index] === 1 || block.last.opcode !== Op.Branch) continue;
    for (let s = 0; s < block.successors.length; s++) merged.collect(block.successors[s]);
    if (!isConvertible(block, uses)) continue;
    if (!context.claim(NAME, block.last)) break;
    convert(proc, block, gone, merged);
    changed = true;
  }
  if (changed) {
    for (let b = 0; b < proc.blocks.length; b++) {
      if (gone[b] === 0) merged.collect(proc.blocks[b]);
    }
    removeBlocks(proc, gone);
    sweep(proc);
  }
  return changed;
}

/** True if the block's branch may be converted. */
function isConvertible({ successors }: BasicBlock, uses: ValueUses): boolean {
  const [taken, missed] = successors;
  if (taken === missed || !isArm(taken) || !isArm(missed)) return false;
  const [join] = taken.successors;
  // An arm that is its own join is an endless loop, which is not converted.
  if (join !== missed.successors[0] || join === taken || join === missed) return false;
  if (isDecidedByArm(join, taken, missed)) return false;
  const cost = speculatedIn(taken, STORED_MAX) + speculatedIn(missed, STORED_MAX);
  if (cost > STORED_MAX) return false;
  const chosen = chosenAt(join, taken, missed);
  if (chosen.length > SELECTS_MAX) return false;
  return cost <= VALUES_MAX || chosen.every((phi) => uses.isOnlyStored(phi));
}

/** True if an arm decides the branch of the join. Then thread-jumps redirects it past the join. */
function isDecidedByArm(join: BasicBlock, taken: BasicBlock, missed: BasicBlock): boolean {
  const { a, opcode } = join.last;
  if (opcode !== Op.Branch || a === null || a.opcode !== Op.Phi || a.block !== join) return false;
  return inputFrom(taken, a)?.isConstant !== inputFrom(missed, a)?.isConstant;
}

/** Returns the Phis for which the arms have different inputs. */
function chosenAt(join: BasicBlock, taken: BasicBlock, missed: BasicBlock): Value[] {
  const chosen: Value[] = [];
  for (let i = 0; i < join.values.length && join.values[i].opcode === Op.Phi; i++) {
    const phi = join.values[i];
    if (inputFrom(taken, phi) !== inputFrom(missed, phi)) chosen.push(phi);
  }
  return chosen;
}

/** The uses of values. They are computed at the first query, because few branches need them. */
class ValueUses {
  private readonly proc: Procedure;
  /** By id: 1 if the value has a use other than being stored. */
  private others: Uint8Array | null = null;

  constructor(proc: Procedure) {
    this.proc = proc;
  }

  /** True if the value is only stored. False for a value that was created after the first query. */
  isOnlyStored({ id }: Value): boolean {
    this.others ??= this.findOthers();
    return this.others[id] === 0;
  }

  private findOthers(): Uint8Array {
    const others = new Uint8Array(this.proc.valueIdEnd);
    const look = (operand: Value): void => {
      others[resolve(operand).id] = 1;
    };
    this.proc.forEachValue((value) => {
      if ((EFFECTS[value.opcode] & WRITES_MEMORY) !== 0) look(value.address);
      else forEachOperand(value, look);
      if (value.extra instanceof Snapshot) forEachSlotValue(value.extra, look);
    });
    return others;
  }
}

function convert(proc: Procedure, block: BasicBlock, gone: Uint8Array, merged: MergedBlocks): void {
  const [taken, missed] = block.successors;
  const [join] = taken.successors;
  const { last } = block;
  const isOnly = join.predecessors.length === 2;
  const upsilons: Value[] = [];
  block.values.pop();
  for (const arm of [taken, missed]) moveValues(arm, block);
  for (let i = 0; i < join.values.length && join.values[i].opcode === Op.Phi; i++) {
    const phi = join.values[i];
    const chosen = choose(proc, block, last.a, phi, inputFrom(taken, phi), inputFrom(missed, phi));
    if (chosen === null) continue;
    if (isOnly) phi.becomes(chosen);
    else upsilons.push(newUpsilon(proc, block, chosen, phi));
  }
  for (const arm of [taken, missed]) {
    for (let i = 0; i < arm.values.length; i++) arm.values[i].becomesNop();
    gone[arm.index] = 1;
    arm.successors = [];
  }
  block.values.push(...upsilons, last);
  jumpTo(block, join);
  join.predecessors = join.predecessors.filter((one) => one !== taken && one !== missed);
  join.predecessors.push(block);
  if (!isOnly) return;
  merged.merge(block, join);
  gone[join.index] = 1;
}

/**
 * Blocks that continue with the values of their joins. In a chain of diamonds each block would copy
 * all values after it. So a block takes only the control value at once. It takes the others when it
 * is examined as an arm, or at the end.
 */
class MergedBlocks {
  /** By block: the block whose values come next. */
  private readonly next = new Map<BasicBlock, BasicBlock>();

  /** Merges a block that ends in a jump with the join, whose only predecessor it is. */
  merge(block: BasicBlock, join: BasicBlock): void {
    const { last } = join;
    join.values.pop();
    last.block = block;
    block.values[block.values.length - 1] = last;
    redirectEdges(join, block);
    this.next.set(block, join);
  }

  /** Moves all values with which the block continues into it. */
  collect(block: BasicBlock): void {
    let at = this.next.get(block);
    if (at === undefined) return;
    const { last, values } = block;
    this.next.delete(block);
    values.pop();
    for (; at !== undefined; at = this.next.get(at)) {
      for (let i = 0; i < at.values.length; i++) {
        at.values[i].block = block;
        values.push(at.values[i]);
      }
      at.values = [];
    }
    values.push(last);
  }
}

function moveValues(arm: BasicBlock, block: BasicBlock): void {
  const kept: Value[] = [];
  for (let i = 0; i < arm.values.length; i++) {
    const value = arm.values[i];
    if (value.opcode === Op.Upsilon || value === arm.last) kept.push(value);
    else {
      block.append(value);
    }
  }
  arm.values = kept;
}

/** Creates the value that the Phi would read: a Select of the two inputs, or their common input. */
function choose(
  proc: Procedure,
  block: BasicBlock,
  condition: Value | null,
  phi: Value,
  ifTaken: Value | null,
  ifMissed: Value | null,
): Value | null {
  if (ifTaken === ifMissed || condition === null) return ifTaken;
  return block.append(proc.newValue(Op.Select, phi.type, condition, ifTaken, ifMissed));
}
