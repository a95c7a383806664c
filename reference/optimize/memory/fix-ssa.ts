// Stack slots that are only variables become variables; Phis that are only copies become what they
// copy.
//
// Assumes edge form, for the second half.
//
// 1. A slot becomes a variable if every use of its address is a load or store of one type at one
//    offset, and no snapshot shows its contents. A store becomes Upsilons, a load a Phi. A read
//    before any write is undefined, so the entry may write anything: it writes 0, since every path
//    to a Phi must pass an Upsilon. Locked slots take part too: nothing else has their address. The
//    number of Upsilons is the product of loads and stores, so it is bounded (UPSILONS_MAX);
//    `canonicalize-phis` leaves a few of them.
// 2. A Phi all of whose Upsilons write one value, or the Phi itself, is that value; if they write
//    equal constants, it is that constant. Not so of a Phi that copies another one back and forth:
//    two variables that are exchanged are two.
//
// It stops because each application removes a slot or a Phi.

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
import { sizeOf, type Type, Void } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { newUpsilon } from "../edit/duplicate-blocks.js";
import { resolve, sweep } from "../edit/sweep.js";
import { Upsilons } from "../edit/upsilons.js";

const NAME = "fix-ssa";
const UPSILONS_MAX = 64;

export function fixSsa(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  // Phis first: those that slots become are in no form yet.
  removeCopies(proc, context);
  if (proc.slots.length > 0) promoteSlots(proc, context);
  if (context.applications === before) return false;
  sweep(proc);
  return true;
}

function removeCopies(proc: Procedure, context: OptimizeContext): void {
  const upsilons = new Upsilons(proc, context);
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
      if (copied.isConstant) phi.becomesConstant(copied.lo, copied.hi);
      else phi.becomes(copied);
      for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
        upsilons.at(u).becomesNop();
      }
      if (copied.isConstant) moveBehindPhis(phi);
    }
  }
}

/** The only value that is written to the Phi beside itself; null if there are more. */
function copiedValue(phi: Value, upsilons: Upsilons): Value | null {
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
  x.isConstant && y.isConstant && x.lo === y.lo && x.hi === y.hi;

// Edge form: Phis stand at the head.
function moveBehindPhis(constant: Value): void {
  const { block } = constant;
  if (block === null) return;
  const values = block.values.filter((value) => value !== constant);
  let at = 0;
  while (values[at].opcode === Op.Phi) at++;
  values.splice(at, 0, constant);
  block.values = values;
}

function promoteSlots(proc: Procedure, context: OptimizeContext): void {
  const promotion = new Promotion(proc);
  for (const [slot, variable] of slotVariables(proc)) {
    const { isVariable, loads, stores, bases } = variable;
    if (!isVariable || loads.length * (stores.length + 1) > UPSILONS_MAX) continue;
    if (!context.claim(NAME, bases[0])) break;
    promotion.add(slot, variable);
  }
  promotion.finish();
}

/** What is known of a slot by its accesses. */
interface SlotVariable {
  isVariable: boolean;
  /** Void before the first access. */
  type: Type;
  offset: number;
  readonly bases: Value[];
  readonly loads: Value[];
  readonly stores: Value[];
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
  const fresh = { isVariable: true, type: Void, offset: 0, bases: [], loads: [], stores: [] };
  variables.set(slot, fresh);
  return fresh;
}

/** True if the value is a load or store of a slot, by its plain address. */
function addAccess(variables: Map<StackSlot, SlotVariable>, value: Value): boolean {
  const effects = EFFECTS[value.opcode];
  if ((effects & (READS_MEMORY | WRITES_MEMORY)) === 0) return false;
  const { address, a } = value;
  if (address.opcode !== Op.SlotBase) return false;
  const variable = variableOf(variables, address.slot);
  const isStore = (effects & WRITES_MEMORY) !== 0;
  const type = isStore && a !== null ? a.type : value.type;
  const isWhole = accessSize(value) === sizeOf(type) && (effects & VOLATILE) === 0;
  const isSame = variable.type === Void || (variable.type === type && variable.offset === value.lo);
  if (!isWhole || !isSame) variable.isVariable = false;
  variable.type = type;
  variable.offset = value.lo;
  (isStore ? variable.stores : variable.loads).push(value);
  return true;
}

/** Slots that become variables; blocks are rebuilt once for all of them. */
class Promotion {
  private readonly proc: Procedure;
  private readonly promoted = new Set<StackSlot>();
  /** By store: the Upsilons that take its place. */
  private readonly writes = new Map<Value, readonly Value[]>();
  private readonly blocks = new Set<BasicBlock>();
  /** By variable: what the entry begins with. */
  private readonly starts: (readonly Value[])[] = [];

  constructor(proc: Procedure) {
    this.proc = proc;
  }

  add(slot: StackSlot, { loads, stores, type, bases }: SlotVariable): void {
    this.promoted.add(slot);
    for (let i = 0; i < stores.length; i++) this.replaceStore(stores[i], loads);
    for (let i = 0; i < loads.length; i++) {
      loads[i].opcode = Op.Phi;
      loads[i].a = null;
      loads[i].lo = 0;
    }
    for (let i = 0; i < bases.length; i++) bases[i].becomesNop();
    if (loads.length === 0) return;
    const [entry] = this.proc.blocks;
    const zero = this.proc.newConstant(type, 0, 0);
    zero.block = entry;
    this.starts.push([zero, ...loads.map((phi) => newUpsilon(this.proc, entry, zero, phi))]);
  }

  private replaceStore(store: Value, phis: readonly Value[]): void {
    const { block, a } = store;
    if (block !== null && a !== null) {
      this.writes.set(
        store,
        phis.map((phi) => newUpsilon(this.proc, block, a, phi)),
      );
      this.blocks.add(block);
    }
    store.becomesNop();
  }

  finish(): void {
    const { proc, promoted } = this;
    if (promoted.size === 0) return;
    for (const block of this.blocks) {
      block.values = block.values.flatMap((value) => this.writes.get(value) ?? value);
    }
    const [entry] = proc.blocks;
    entry.values = [...this.starts.reverse().flat(), ...entry.values];
    let kept = 0;
    for (const slot of proc.slots) if (!promoted.has(slot)) proc.slots[kept++] = slot;
    proc.slots.length = kept;
  }
}
