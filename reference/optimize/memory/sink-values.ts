// Boxes and conversions that only exits show are made by their exit blocks.
//
//   @b = Stitch(@t, @p); Check(@c) s0 [@b]    ->    Check(@c) s0 block { @b1 = Stitch(@t, @p) } [@b1]
//
// The code makes no box then, and the exit needs what is in it, which the code has as a rule. Only conversions
// take part, of one operand or of two halves, so that an exit never needs more for them than the pieces of the value.
//
// The value dominates every guard that shows it, and its operands dominate the value: so guards may share the
// snapshot. Users come before what they use, so an operand that only sunk values use goes too.
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
  const sinking = new Sinking(proc, context);
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

class Sinking {
  private readonly context: OptimizeContext;
  private readonly proc: Procedure;
  /** By id: 1 if the code needs the value. */
  private readonly isNeeded: Int32Array;
  /** Of the conversions alone. */
  private readonly shownBy = new Map<Value, Set<Snapshot>>();

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
    this.isNeeded = context.table(proc.valueIdEnd);
    for (const snapshot of proc.snapshots) {
      forEachSlotValue(snapshot, (value) => this.show(value, snapshot));
      for (const value of snapshot.values) {
        forEachOperand(value, (operand) => this.show(operand, snapshot));
      }
    }
  }

  private show(value: Value, snapshot: Snapshot): void {
    if (!SUNK.has(value.opcode)) return;
    const known = this.shownBy.get(value);
    if (known === undefined) this.shownBy.set(value, new Set([snapshot]));
    else known.add(snapshot);
  }

  /** The operands are needed here. */
  use(value: Value): void {
    forEachOperand(value, (operand) => {
      this.isNeeded[operand.id] = 1;
    });
  }

  /** Users have been visited. */
  visit(value: Value): void {
    const snapshots = this.shownBy.get(value);
    const isSunk = snapshots !== undefined && this.isNeeded[value.id] === 0;
    if (!isSunk || !this.context.claim(NAME, value)) {
      this.use(value);
      return;
    }
    for (const snapshot of snapshots) {
      this.make(value, snapshot);
      forEachOperand(value, (operand) => this.show(operand, snapshot));
    }
    value.becomesNop();
  }

  /** Lets the exit block make the value, before all that it makes else. */
  private make(value: Value, snapshot: Snapshot): void {
    const made = copyValue(this.proc, value);
    const seen = (shown: Value): Value => (shown === value ? made : shown);
    for (const other of snapshot.values) rewriteOperands(other, seen);
    rewriteSlots(snapshot, seen);
    snapshot.values.unshift(made);
  }
}
