// Replaces stack slots that are only variables by SSA variables, and Phis that are only copies by
// the copied value.
//
// Assumes edge form, for the second part.
//
// 1. A slot becomes a variable if all uses of its address are loads and stores of one type and size
//    at one offset. No snapshot may use its contents. A load becomes the value that was stored
//    last. A join where the variable is live gets one Phi for all loads, so that no two Phis are
//    equal. A read before any write is undefined, and gives 0. If all accesses have one or two
//    bytes, the variable contains the stored operand, and a load extends it. Locked slots take part
//    too, because nothing else has their address.
// 2. If all Upsilons of a Phi write one value, or the Phi itself, the Phi becomes that value. If
//    they write equal constants, it becomes that constant. Two Phis that copy each other stay: two
//    exchanged variables are two variables.
//
// It terminates because each application removes a slot or a Phi.

import { type ControlFlow, UNREACHABLE } from "../../../src/ir/control-flow.js";
import {
  EFFECTS,
  Op,
  READS_MEMORY,
  VOLATILE,
  WRITES_MEMORY,
  WRITES_VARIABLE,
} from "../../../src/ir/opcodes.js";
import {
  accessSize,
  type BasicBlock,
  forEachOperand,
  type Procedure,
  type StackSlot,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32, type Type, Void } from "../../../src/ir/types.js";
import { assert } from "../../../src/support/assert.js";
import type { OptimizeContext } from "../edit/context.js";
import { LIMITS } from "../edit/limits.js";
import { resolve, sweep } from "../edit/sweep.js";
import { newUpsilon, UpsilonsByPhi } from "../edit/upsilons.js";

const NAME = "fix-ssa";

export function fixSsa(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  if (proc.slots.length > 0) promoteSlots(proc, context);
  removeCopies(proc, context);
  if (context.applications === before) return false;
  sweep(proc);
  return true;
}

function removeCopies(proc: Procedure, context: OptimizeContext): void {
  const upsilons = new UpsilonsByPhi(proc, context);
  const phis: Value[] = [];
  for (let b = 0; b < proc.blocks.length; b++) {
    const { values } = proc.blocks[b];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value.opcode === Op.Phi) phis.push(value);
      if ((EFFECTS[value.opcode] & WRITES_VARIABLE) !== 0) upsilons.add(value);
    }
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (let p = 0; p < phis.length; p++) {
      const phi = phis[p];
      if (phi.opcode !== Op.Phi) continue;
      const copied = copiedValue(phi, upsilons);
      if (copied === null) continue;
      if (!context.claim(NAME, phi)) return;
      changed = true;
      if (copied.isConstant) phi.becomesConstant(copied.constantLow, copied.constantHigh);
      else phi.becomes(copied);
      for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
        upsilons.at(u).becomesNop();
      }
      if (copied.isConstant) moveAfterPhis(phi);
    }
  }
}

/**
 * Returns the only value, other than the Phi itself, that is written to the Phi; null if there are
 * several.
 */
function copiedValue(phi: Value, upsilons: UpsilonsByPhi): Value | null {
  let copied: Value | null = null;
  for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
    const { a } = upsilons.at(u);
    const value = a === null ? phi : resolve(a);
    if (value === phi || value === copied) continue;
    if (copied !== null && !areEqualConstants(copied, value)) return null;
    copied = value;
  }
  return copied;
}

const areEqualConstants = (x: Value, y: Value): boolean =>
  x.isConstant && y.isConstant && x.hasImmediatesOf(y);

// Moves a constant after the Phis, which are at the head of the block in edge form.
function moveAfterPhis(constant: Value): void {
  const { block } = constant;
  if (block === null) return;
  const values = block.values.filter((value) => value !== constant);
  let at = 0;
  while (values[at].opcode === Op.Phi) at++;
  values.splice(at, 0, constant);
  block.values = values;
}

function promoteSlots(proc: Procedure, context: OptimizeContext): void {
  const promotion = new SlotPromoter(proc, context);
  for (const [slot, variable] of slotVariables(proc)) {
    if (!variable.isVariable) continue;
    if (promotion.isExhausted) {
      context.reachLimit("slot states");
      break;
    }
    if (!context.claim(NAME, variable.bases[0])) break;
    promotion.add(slot, variable);
  }
  promotion.finish();
}

/** The facts about a slot that its accesses show. */
interface SlotVariable {
  isVariable: boolean;
  /** The type of all accesses; Void before the first one. */
  type: Type;
  offset: number;
  /** The size of each access in bytes. */
  size: number;
  readonly bases: Value[];
  /** Loads and stores, in the order of the text. */
  readonly accesses: Value[];
}

function slotVariables(proc: Procedure): Map<StackSlot, SlotVariable> {
  const variables = new Map<StackSlot, SlotVariable>();
  const visit = (operand: Value): void => {
    if (operand.opcode === Op.SlotBase) variableOf(variables, operand.slot).isVariable = false;
  };
  for (let b = 0; b < proc.blocks.length; b++) {
    const { values } = proc.blocks[b];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value.opcode === Op.SlotBase) variableOf(variables, value.slot).bases.push(value);
      else if (!addAccess(variables, value)) forEachOperand(value, visit);
    }
  }
  for (let s = 0; s < proc.snapshots.length; s++) {
    const { frames } = proc.snapshots[s];
    for (let f = 0; f < frames.length; f++) {
      const { slots } = frames[f];
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i];
        if (slot.kind === "contents") variableOf(variables, slot.slot).isVariable = false;
      }
    }
  }
  return variables;
}

function variableOf(variables: Map<StackSlot, SlotVariable>, slot: StackSlot): SlotVariable {
  const known = variables.get(slot);
  if (known !== undefined) return known;
  const fresh = { isVariable: true, type: Void, offset: 0, size: 0, bases: [], accesses: [] };
  variables.set(slot, fresh);
  return fresh;
}

/**
 * Records an access; returns true if the value is a load or store at the plain address of a slot.
 */
function addAccess(variables: Map<StackSlot, SlotVariable>, value: Value): boolean {
  const effects = EFFECTS[value.opcode];
  if ((effects & (READS_MEMORY | WRITES_MEMORY)) === 0) return false;
  const { address, a } = value;
  if (address.opcode !== Op.SlotBase) return false;
  const variable = variableOf(variables, address.slot);
  const isStore = (effects & WRITES_MEMORY) !== 0;
  const type = isStore && a !== null ? a.type : value.type;
  const size = accessSize(value);
  const isFirst = variable.type === Void;
  const isOfOneType = variable.type === type && variable.size === size;
  const isSame = isFirst || (isOfOneType && variable.offset === value.offset);
  if (!isSame || (effects & VOLATILE) !== 0) variable.isVariable = false;
  variable.type = type;
  variable.size = size;
  variable.offset = value.offset;
  variable.accesses.push(value);
  return true;
}

/**
 * Replaces slots by variables. A join gets a Phi where the variable is live (pruned SSA: Choi,
 * Cytron and Ferrante 1991); elsewhere a load becomes the reaching value. Blocks are rebuilt once
 * for all slots.
 */
class SlotPromoter {
  private readonly proc: Procedure;
  private readonly flow: ControlFlow;
  private readonly promoted = new Set<StackSlot>();
  /** The constants that mask narrow loads, by bits. */
  private readonly masks = new Map<number, Value>();
  /** By block, for the current slot: the value of its last store. */
  private readonly lastWrite: (Value | undefined)[] = [];
  /** By block, for the current slot: the variable's value at its head. */
  private readonly valueInto: (Value | undefined)[] = [];
  /** By block, for the current slot: 1 if the variable is read before it is written. */
  private readonly isLive: Int32Array;
  /** By block: the values to insert at its head, and before its control value. */
  private readonly heads: (Value[] | undefined)[] = [];
  private readonly tails: (Value[] | undefined)[] = [];
  /** The number of blocks at whose head a variable was live, over all slots. */
  private states = 0;

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.flow = context.flow(proc);
    this.isLive = context.table(proc.blocks.length);
  }

  /** True if another slot might exceed the limit. */
  get isExhausted(): boolean {
    return this.states > LIMITS["slot states"];
  }

  add(slot: StackSlot, { accesses, bases, type }: SlotVariable): void {
    this.promoted.add(slot);
    for (let i = 0; i < bases.length; i++) bases[i].becomesNop();
    const exposed = this.forwardInBlocks(accesses);
    const live = this.liveBlocks(exposed);
    this.states += live.length;
    this.placePhis(live, type);
    for (let i = 0; i < live.length; i++) this.writeOnEdges(live[i]);
    for (let i = 0; i < exposed.length; i++) {
      const value = this.valueInto[indexOf(exposed[i])];
      if (value !== undefined) this.becomeLoaded(exposed[i], value);
    }
    for (let i = 0; i < live.length; i++) {
      this.valueInto[live[i].index] = undefined;
      this.isLive[live[i].index] = 0;
    }
    for (let i = 0; i < accesses.length; i++) this.lastWrite[indexOf(accesses[i])] = undefined;
  }

  /** Forwards stores to later loads of the same block; returns the other loads. */
  private forwardInBlocks(accesses: readonly Value[]): Value[] {
    const exposed: Value[] = [];
    for (let i = 0; i < accesses.length; i++) {
      const access = accesses[i];
      const index = indexOf(access);
      const { opcode, a } = access;
      if ((EFFECTS[opcode] & WRITES_MEMORY) !== 0 && a !== null) {
        this.lastWrite[index] = a;
        access.becomesNop();
      } else {
        const written = this.lastWrite[index];
        // Loads in unreachable blocks become constants, because copies there might form a cycle.
        if (!this.isReachable(access.block)) access.becomesConstant(0, 0);
        else if (written === undefined) exposed.push(access);
        else this.becomeLoaded(access, written);
      }
    }
    return exposed;
  }

  /** Replaces a load by the variable, extended as the load extends it. */
  private becomeLoaded(load: Value, variable: Value): void {
    const { opcode } = load;
    load.becomes(variable);
    if (opcode === Op.Load8S) load.opcode = Op.SExt8;
    if (opcode === Op.Load16S) load.opcode = Op.SExt16;
    if (opcode !== Op.Load8Z && opcode !== Op.Load16Z) return;
    load.opcode = Op.BitAnd;
    load.b = this.maskOf(opcode === Op.Load8Z ? 0xff : 0xffff);
  }

  /** Returns a constant with this many low bits set, which is at the head of the entry. */
  private maskOf(bits: number): Value {
    const [entry] = this.proc.blocks;
    const known = this.masks.get(bits);
    if (known !== undefined) return known;
    const mask = this.newHead(this.proc.newConstant(Int32, bits, 0), entry);
    this.masks.set(bits, mask);
    return mask;
  }

  /**
   * Returns the reachable blocks at whose head the variable is live, in the order of control flow.
   */
  private liveBlocks(exposed: readonly Value[]): BasicBlock[] {
    const live: BasicBlock[] = [];
    for (let i = 0; i < exposed.length; i++) this.visit(exposed[i].block, live);
    for (let i = 0; i < live.length; i++) {
      const { predecessors } = live[i];
      for (let p = 0; p < predecessors.length; p++) {
        if (this.lastWrite[predecessors[p].index] === undefined) this.visit(predecessors[p], live);
      }
    }
    const { position } = this.flow;
    return live.sort((x, y) => position[x.index] - position[y.index]);
  }

  private visit(block: BasicBlock | null, live: BasicBlock[]): void {
    if (block === null || !this.isReachable(block) || this.isLive[block.index] === 1) return;
    this.isLive[block.index] = 1;
    live.push(block);
  }

  private isReachable(block: BasicBlock | null): boolean {
    return block !== null && this.flow.position[block.index] !== UNREACHABLE;
  }

  // Places Phis at the live joins. A block that is not a join takes the value of its only
  // predecessor, which is earlier in the order.
  private placePhis(live: readonly BasicBlock[], type: Type): void {
    for (let i = 0; i < live.length; i++) {
      const { index, predecessors } = live[i];
      if (predecessors.length === 0) {
        // At the entry the variable has no value yet; any constant is allowed, since a valid
        // program does not read it.
        this.valueInto[index] = this.newHead(this.proc.newConstant(type, 0, 0), live[i]);
      } else if (predecessors.length === 1) {
        this.valueInto[index] = this.valueOutOf(predecessors[0]);
      } else {
        this.valueInto[index] = this.newHead(this.proc.newValue(Op.Phi, type), live[i]);
      }
    }
  }

  private newHead(value: Value, block: BasicBlock): Value {
    value.block = block;
    this.heads[block.index] ??= [];
    this.heads[block.index]?.push(value);
    return value;
  }

  private valueOutOf({ index }: BasicBlock): Value | undefined {
    return this.lastWrite[index] ?? this.valueInto[index];
  }

  private writeOnEdges({ index, predecessors }: BasicBlock): void {
    const phi = this.valueInto[index];
    if (predecessors.length < 2 || phi === undefined) return;
    for (let p = 0; p < predecessors.length; p++) {
      const value = this.valueOutOf(predecessors[p]);
      if (value === undefined) continue; // the edge is never taken
      this.tails[predecessors[p].index] ??= [];
      this.tails[predecessors[p].index]?.push(newUpsilon(this.proc, predecessors[p], value, phi));
    }
  }

  finish(): void {
    const { proc, promoted } = this;
    if (promoted.size === 0) return;
    for (let b = 0; b < proc.blocks.length; b++) {
      const block = proc.blocks[b];
      const [head, tail] = [this.heads[b], this.tails[b]];
      if (head !== undefined) block.values = [...head, ...block.values];
      if (tail !== undefined) block.values.splice(block.values.length - 1, 0, ...tail);
    }
    let kept = 0;
    for (const slot of proc.slots) if (!promoted.has(slot)) proc.slots[kept++] = slot;
    proc.slots.length = kept;
  }
}

function indexOf({ block, id }: Value): number {
  assert(block !== null, () => `@${id} is in no block`);
  return block.index;
}
