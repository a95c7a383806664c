// Moves boxes and conversions that only exits use into the exit blocks.
//
//   @b = Stitch(@t, @p); Check(@c) s0 [@b]    ->    Check(@c) s0 block { @b1 = Stitch(@t, @p) } [@b1]
//
// The code then builds no box, and the exit needs its parts, which are usually live anyway. Only
// conversions of one operand or of two halves take part, so an exit never needs more than the parts
// of the value.
//
// The value dominates every guard whose exit uses it, and its operands dominate the value. So
// guards may share the snapshot. Users are visited before their operands, so an operand that only
// sunk values use is sunk too.
//
// Assumes a valid program, in any form of Phi. One application is one value.

import { UNREACHABLE } from "../../../src/ir/control-flow.js";
import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import {
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  rewriteSlots,
  type Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";
import { copyValue, rewriteOperands } from "../edit/duplicate-blocks.js";
import { sweep } from "../edit/sweep.js";

const NAME = "sink-values";

const SUNK: ReadonlySet<Opcode> = new Set([
  ...[Op.Stitch, Op.BitwiseCast, Op.ZExt32, Op.SExt32],
  ...[Op.IToD, Op.IToF, Op.FloatToDouble],
]);

export function sinkValues(proc: Procedure, context: OptimizeContext): boolean {
  if (proc.snapshots.length === 0) return false;
  const before = context.applications;
  const sinking = new ValueSinker(proc, context);
  const { order, position } = context.flow(proc);
  for (const block of proc.blocks) {
    if (position[block.index] === UNREACHABLE) for (const value of block.values) sinking.use(value);
  }
  for (let b = order.length - 1; b >= 0; b--) {
    const { values } = order[b];
    for (let i = values.length - 1; i >= 0; i--) sinking.visit(values[i]);
  }
  if (context.applications === before) return false;
  sweep(proc);
  return true;
}

class ValueSinker {
  private readonly context: OptimizeContext;
  private readonly proc: Procedure;
  /** By id: 1 if the code needs the value. */
  private readonly isNeeded: Int32Array;
  /** By conversion: the snapshots that use it. */
  private readonly usedBy = new Map<Value, Set<Snapshot>>();

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
    this.isNeeded = context.table(proc.valueIdEnd);
    for (const snapshot of proc.snapshots) {
      forEachSlotValue(snapshot, (value) => this.recordUse(value, snapshot));
      for (const value of snapshot.values) {
        forEachOperand(value, (operand) => this.recordUse(operand, snapshot));
      }
    }
  }

  private recordUse(value: Value, snapshot: Snapshot): void {
    if (!SUNK.has(value.opcode)) return;
    const known = this.usedBy.get(value);
    if (known === undefined) this.usedBy.set(value, new Set([snapshot]));
    else known.add(snapshot);
  }

  /** Records that the code needs the operands. */
  use(value: Value): void {
    forEachOperand(value, (operand) => {
      this.isNeeded[operand.id] = 1;
    });
  }

  /** Visits a value after all its users. */
  visit(value: Value): void {
    const snapshots = this.usedBy.get(value);
    const isSunk = snapshots !== undefined && this.isNeeded[value.id] === 0;
    if (!isSunk || !this.context.claim(NAME, value)) {
      this.use(value);
      return;
    }
    for (const snapshot of snapshots) {
      this.make(value, snapshot);
      forEachOperand(value, (operand) => this.recordUse(operand, snapshot));
    }
    value.becomesNop();
  }

  /** Creates the value in the exit block, before the block's other values. */
  private make(value: Value, snapshot: Snapshot): void {
    const made = copyValue(this.proc, value);
    const mapped = (operand: Value): Value => (operand === value ? made : operand);
    for (const other of snapshot.values) rewriteOperands(other, mapped);
    rewriteSlots(snapshot, mapped);
    snapshot.values.unshift(made);
  }
}
