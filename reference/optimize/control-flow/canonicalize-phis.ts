// Establishes edge form, which lowering maps one to one to the phis of LIR.
//
// Assumes a valid program: Upsilons anywhere, the last write counts, Phis read anywhere.
// Establishes:
//
// 0. There are no tail calls: a tail call becomes an edge to the start of the procedure, whose
//    parameters become Phis.
// 1. Every block is reachable. No block with two successors has a successor with two
//    predecessors. So the cases of a Switch with one target have separate blocks.
// 2. Phis are at the head of a block, and the block has at least two predecessors.
// 3. For each Phi and predecessor there is exactly one Upsilon, at the end of that predecessor,
//    before its control value. There are no other Upsilons.
//
// A Phi's variable is written and read like any variable, so this is SSA construction. Where the
// variable is live at a join, the join gets a Phi; elsewhere the reaching write replaces the read.
// Phis are placed only where the variable is live, so the result is pruned (Choi, Cytron and
// Ferrante 1991). Phis with one input are then removed (Braun et al. 2013). An Upsilon reads a
// value, not a variable, so several at the end of one block act at once. So exchanging two Phis of
// a loop needs no special handling. A variable in edge form is not changed.

import { loopTailCalls } from "../../../src/ir/loop-tail-calls.js";
import { EFFECTS, Op, WRITES_VARIABLE } from "../../../src/ir/opcodes.js";
import { BasicBlock, type Procedure, type Value } from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { tailStart } from "../edit/edit-blocks.js";
import { removeUnreachableBlocks, resolve, sweep } from "../edit/sweep.js";
import { UpsilonsByPhi } from "../edit/upsilons.js";

export function canonicalizePhis(proc: Procedure, context: OptimizeContext): boolean {
  const isLooped = loopTailCalls(proc);
  if (isLooped) {
    context.blocksChanged();
    sweep(proc); // registers of arguments have become copies of parameters
  }
  const isCut = removeUnreachableBlocks(proc, context.flow(proc));
  if (isCut) sweep(proc);
  const isJoined = joinBranches(proc);
  if (isLooped || isCut || isJoined) proc.computePredecessors();
  const isSplit = splitCriticalEdges(proc);
  if (isSplit) proc.computePredecessors();
  if (isCut || isJoined || isSplit) context.blocksChanged();
  const variables = new PhiVariables(proc, context);
  variables.scan();
  return variables.rewrite() || isLooped || isCut || isJoined || isSplit;
}

// Turns branches and Switches whose edges all have one target into jumps.
function joinBranches(proc: Procedure): boolean {
  let changed = false;
  for (let b = 0; b < proc.blocks.length; b++) {
    const { successors, last } = proc.blocks[b];
    if (last.opcode === Op.Jump || !haveOneTarget(successors)) continue;
    last.opcode = Op.Jump;
    last.a = null;
    last.extra = null;
    successors.length = 1;
    changed = true;
  }
  return changed;
}

function haveOneTarget(successors: readonly BasicBlock[]): boolean {
  if (successors.length === 0) return false;
  for (let s = 1; s < successors.length; s++) if (successors[s] !== successors[0]) return false;
  return true;
}

// Inserts a block into each critical edge; requires correct predecessors.
function splitCriticalEdges(proc: Procedure): boolean {
  const blocks: BasicBlock[] = [];
  for (let b = 0; b < proc.blocks.length; b++) {
    const block = proc.blocks[b];
    const { successors } = block;
    blocks.push(block);
    for (let s = 0; successors.length > 1 && s < successors.length; s++) {
      if (successors[s].predecessors.length < 2) continue;
      successors[s] = blockBetween(proc, block, successors[s]);
      blocks.push(successors[s]);
    }
  }
  const changed = blocks.length !== proc.blocks.length;
  proc.blocks = blocks;
  return changed;
}

function blockBetween(proc: Procedure, from: BasicBlock, to: BasicBlock): BasicBlock {
  const block = new BasicBlock(proc.blockIdEnd++);
  block.append(proc.newValue(Op.Jump, Void));
  block.successors.push(to);
  block.frequency = Math.min(from.frequency, to.frequency);
  return block;
}

const OUT_OF_FORM = -1;

/** The variables of all Phis. Blocks are identified by index; predecessors must be correct. */
class PhiVariables {
  private readonly proc: Procedure;
  private readonly phis: Value[] = [];
  private readonly upsilons: UpsilonsByPhi;
  /** By id: position in the order of the text. */
  private readonly ordinal: Int32Array;
  /** By id of a Phi: the number of Upsilons at the end of its predecessors; or OUT_OF_FORM. */
  private readonly edgeCount: Int32Array;
  /** By id of a Phi: index plus 1 of the last block with an Upsilon to it. */
  private readonly lastBlock: Int32Array;
  /** By block, for the current variable: the number of its last Upsilon; 0 if it has none. */
  private readonly lastWrite: Int32Array;
  private readonly isLive: Int32Array;
  /** By block, for the current variable: the Phi at its head. */
  private readonly joins: (Value | undefined)[] = [];
  /** The Phis of all rewritten variables, and the Upsilons to each. */
  private readonly newPhis: Value[] = [];
  private readonly newInputs: Value[][] = [];
  /** By block: the values to insert at its head, and before its control value. */
  private readonly heads: (Value[] | undefined)[] = [];
  private readonly tails: (Value[] | undefined)[] = [];

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    const { valueIdEnd, blocks } = proc;
    this.ordinal = context.table(valueIdEnd);
    this.upsilons = new UpsilonsByPhi(proc, context);
    this.edgeCount = context.table(valueIdEnd);
    this.lastBlock = context.table(valueIdEnd);
    this.lastWrite = context.table(blocks.length);
    this.isLive = context.table(blocks.length);
  }

  /** Finds Phis and Upsilons, and the variables in edge form. */
  scan(): void {
    let ordinal = 0;
    for (let b = 0; b < this.proc.blocks.length; b++) {
      const block = this.proc.blocks[b];
      const { values } = block;
      const tail = tailStart(values);
      let isHead = true;
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        this.ordinal[value.id] = ordinal++;
        if (value.opcode === Op.Phi) {
          this.phis.push(value);
          if (!isHead || block.predecessors.length < 2) this.edgeCount[value.id] = OUT_OF_FORM;
        } else {
          isHead = false;
          if ((EFFECTS[value.opcode] & WRITES_VARIABLE) !== 0) this.scanUpsilon(value, i >= tail);
        }
      }
    }
  }

  private scanUpsilon(upsilon: Value, isAtEnd: boolean): void {
    const { phi, block } = upsilon;
    const { id } = phi;
    this.upsilons.add(upsilon);
    if (block === null || this.edgeCount[id] === OUT_OF_FORM) return;
    const { successors, index } = block;
    const isOnEdge = isAtEnd && successors.length === 1 && successors[0] === phi.block;
    if (!isOnEdge || this.lastBlock[id] === index + 1) this.edgeCount[id] = OUT_OF_FORM;
    else this.edgeCount[id]++;
    this.lastBlock[id] = index + 1;
  }

  /** Brings variables into edge form; returns false if all were in it. */
  rewrite(): boolean {
    let changed = false;
    for (let p = 0; p < this.phis.length; p++) {
      const phi = this.phis[p];
      const { block } = phi;
      if (block === null || this.edgeCount[phi.id] === block.predecessors.length) continue;
      this.rewriteVariable(phi, block);
      changed = true;
    }
    if (!changed) return false;
    this.removeTrivialPhis();
    for (let b = 0; b < this.proc.blocks.length; b++) this.rebuild(this.proc.blocks[b]);
    sweep(this.proc);
    return true;
  }

  private rewriteVariable(phi: Value, home: BasicBlock): void {
    const { upsilons, lastWrite, ordinal } = this;
    this.heads[home.index] ??= []; // to be rebuilt
    let local: Value | null = null;
    for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
      const { block, id, a } = upsilons.at(u);
      if (block === null) continue;
      if (lastWrite[block.index] === 0) lastWrite[block.index] = u;
      if (block === home && local === null && ordinal[id] < ordinal[phi.id]) local = a;
    }
    if (local !== null) phi.becomes(local);
    else this.construct(phi, home);
    for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
      const { block } = upsilons.at(u);
      if (block !== null) lastWrite[block.index] = 0;
      upsilons.at(u).becomesNop();
    }
  }

  // Builds Phis for the value that reaches the Phi's block.
  private construct(phi: Value, home: BasicBlock): void {
    const live = this.liveBlocks(home);
    const { joins } = this;
    for (let i = 0; i < live.length; i++) {
      const { index, predecessors } = live[i];
      if (predecessors.length < 2) continue;
      joins[index] = live[i] === home ? phi : this.newPhi(phi, live[i]);
    }
    for (let i = 0; i < live.length; i++) {
      const join = joins[live[i].index];
      if (join !== undefined) this.addInputs(join, live[i]);
    }
    if (joins[home.index] === undefined) phi.becomes(this.valueInto(home, phi));
    for (let i = 0; i < live.length; i++) {
      joins[live[i].index] = undefined;
      this.isLive[live[i].index] = 0;
    }
  }

  // Returns the blocks at whose head the variable is live.
  private liveBlocks(home: BasicBlock): BasicBlock[] {
    const { isLive, lastWrite } = this;
    const live = [home];
    isLive[home.index] = 1;
    for (let i = 0; i < live.length; i++) {
      const { predecessors } = live[i];
      for (let p = 0; p < predecessors.length; p++) {
        const { index } = predecessors[p];
        if (lastWrite[index] !== 0 || isLive[index] === 1) continue;
        isLive[index] = 1;
        live.push(predecessors[p]);
      }
    }
    return live;
  }

  private newPhi(like: Value, block: BasicBlock): Value {
    const phi = this.proc.newValue(Op.Phi, like.type);
    phi.block = block;
    this.heads[block.index] ??= [];
    this.heads[block.index]?.push(phi);
    return phi;
  }

  private addInputs(phi: Value, block: BasicBlock): void {
    const inputs: Value[] = [];
    const { predecessors } = block;
    for (let p = 0; p < predecessors.length; p++) {
      const upsilon = this.proc.newValue(Op.Upsilon, Void);
      upsilon.block = predecessors[p];
      upsilon.a = this.valueOutOf(predecessors[p], phi);
      upsilon.extra = phi;
      inputs.push(upsilon);
      this.tails[predecessors[p].index] ??= [];
      this.tails[predecessors[p].index]?.push(upsilon);
    }
    this.newPhis.push(phi);
    this.newInputs.push(inputs);
  }

  private valueOutOf(block: BasicBlock, phi: Value): Value {
    const write = this.lastWrite[block.index];
    const value = write === 0 ? null : this.upsilons.at(write).a;
    return value ?? this.joins[block.index] ?? this.valueInto(block, phi);
  }

  // Returns the variable's value at the start of a block that is not a join: walks up the only
  // predecessors to a write, a join or the entry.
  private valueInto(block: BasicBlock, phi: Value): Value {
    let at = block;
    while (at.predecessors.length > 0) {
      at = at.predecessors[0];
      const write = this.lastWrite[at.index];
      const value = write === 0 ? null : this.upsilons.at(write).a;
      const found = value ?? this.joins[at.index];
      if (found !== undefined) return found;
    }
    // The variable is undefined at the entry. A valid program never reads it, so any constant is
    // allowed.
    const constant = this.proc.newConstant(phi.type, 0, 0);
    constant.block = at;
    at.values.unshift(constant);
    return constant;
  }

  // Replaces each Phi whose inputs are all one value (or the Phi itself) by that value, until none
  // is left.
  private removeTrivialPhis(): void {
    const { newPhis, newInputs } = this;
    let changed = true;
    while (changed) {
      changed = false;
      for (let p = 0; p < newPhis.length; p++) {
        const phi = newPhis[p];
        const only = phi.opcode === Op.Phi ? onlyInput(phi, newInputs[p]) : null;
        if (only === null) continue;
        phi.becomes(only);
        for (let i = 0; i < newInputs[p].length; i++) newInputs[p][i].becomesNop();
        changed = true;
      }
    }
  }

  private rebuild(block: BasicBlock): void {
    const head = this.heads[block.index];
    const tail = this.tails[block.index];
    if (head === undefined && tail === undefined) return;
    const old = block.values;
    const values: Value[] = [];
    for (let i = 0; i < old.length; i++) if (old[i].opcode === Op.Phi) values.push(old[i]);
    for (let i = 0; head !== undefined && i < head.length; i++) values.push(head[i]);
    for (let i = 0; i < old.length - 1; i++) if (old[i].opcode !== Op.Phi) values.push(old[i]);
    for (let i = 0; tail !== undefined && i < tail.length; i++) values.push(tail[i]);
    values.push(old[old.length - 1]);
    block.values = values;
  }
}

function onlyInput(phi: Value, inputs: readonly Value[]): Value | null {
  let only: Value | null = null;
  for (let i = 0; i < inputs.length; i++) {
    const { a } = inputs[i];
    const value = a === null ? phi : resolve(a);
    if (value === phi || value === only) continue;
    if (only !== null) return null;
    only = value;
  }
  return only;
}
