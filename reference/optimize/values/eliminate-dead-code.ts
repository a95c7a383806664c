// Removes values that have no observable effect: values, Phis with their Upsilons, values of exit
// blocks.
//
// Assumes a valid program, in any form of Phi. Stores, guards, control values and observable calls
// are live, and so are their operands. An Upsilon is live if its Phi is. A guard keeps the slots
// and stores of its snapshot live. Every store is live, even to a stack slot, because an exit may
// use the slot's contents. Loads and calls that only read may be removed: they may be partial, but
// are never observed.
//
// Each removal is one application, so users are removed before their operands. A dead Phi in a
// cycle has dead users that come later. So it first becomes a constant and loses its Upsilons, and
// the program is valid at every step. Values in unreachable blocks stay: no order of removal is
// valid there, and another phase removes these blocks.

import { UNREACHABLE } from "../../../src/ir/control-flow.js";
import {
  CALLS,
  EFFECTS,
  KEEPS_ALIVE,
  Op,
  WRITES_MEMORY,
  WRITES_VARIABLE,
} from "../../../src/ir/opcodes.js";
import {
  forEachSlotValue,
  type Procedure,
  Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { UpsilonsByPhi } from "../edit/upsilons.js";

const NAME = "eliminate-dead-code";

export function eliminateDeadCode(proc: Procedure, context: OptimizeContext): boolean {
  const liveness = new ValueLiveness(proc, context);
  liveness.mark(context.flow(proc).position);
  const changed = removeDead(proc, context, liveness);
  if (changed) sweep(proc);
  return changed;
}

class ValueLiveness {
  /** By id: 1 if the value is live. */
  readonly isLive: Int32Array;
  readonly upsilons: UpsilonsByPhi;
  private readonly proc: Procedure;
  private readonly worklist: Value[] = [];
  private readonly isSnapshotMarked: Int32Array;

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.isLive = context.table(proc.valueIdEnd);
    this.upsilons = new UpsilonsByPhi(proc, context);
    this.isSnapshotMarked = context.table(proc.snapshotIdEnd);
  }

  mark(position: Int32Array): void {
    const { blocks } = this.proc;
    for (let b = 0; b < blocks.length; b++) {
      const { values, index } = blocks[b];
      const isReached = position[index] !== UNREACHABLE;
      for (let i = 0; i < values.length; i++) {
        if (isReached) this.markIfRoot(values[i]);
        else this.markUnreachable(values[i]);
      }
    }
    for (let value = this.worklist.pop(); value !== undefined; value = this.worklist.pop()) {
      this.markOperands(value);
    }
  }

  /** Marks a value of a reachable block if its effects keep it alive. */
  private markIfRoot(value: Value): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & WRITES_VARIABLE) !== 0) {
      this.upsilons.add(value);
    } else if ((effects & KEEPS_ALIVE) !== 0 || (effects === CALLS && !value.isUnobserved)) {
      this.markLive(value);
    }
  }

  /** Marks a value of an unreachable block, which stays. */
  private markUnreachable(value: Value): void {
    if ((EFFECTS[value.opcode] & WRITES_VARIABLE) !== 0) this.upsilons.add(value);
    else if (value.opcode !== Op.Phi) this.markLive(value);
  }

  private markLive(value: Value): void {
    if (this.isLive[value.id] === 1) return;
    this.isLive[value.id] = 1;
    this.worklist.push(value);
  }

  private markOperands(value: Value): void {
    const { a, b, c, rest, extra } = value;
    if (a !== null) this.markLive(a);
    if (b !== null) this.markLive(b);
    if (c !== null) this.markLive(c);
    if (rest !== null) for (let i = 0; i < rest.length; i++) this.markLive(rest[i]);
    if (value.opcode === Op.Phi) this.markUpsilons(value);
    else if (extra instanceof Snapshot) this.markSnapshot(extra);
  }

  private markUpsilons(phi: Value): void {
    const { upsilons } = this;
    for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
      this.markLive(upsilons.at(u));
    }
  }

  private markSnapshot(snapshot: Snapshot): void {
    if (this.isSnapshotMarked[snapshot.id] === 1) return;
    this.isSnapshotMarked[snapshot.id] = 1;
    const { values } = snapshot;
    for (let i = 0; i < values.length; i++) {
      if ((EFFECTS[values[i].opcode] & WRITES_MEMORY) !== 0) this.markLive(values[i]);
    }
    forEachSlotValue(snapshot, (value) => this.markLive(value));
  }
}

function removeDead(proc: Procedure, context: OptimizeContext, liveness: ValueLiveness): boolean {
  const before = context.applications;
  const { blocks } = proc;
  // Visit unreachable blocks too, because reachable blocks may write their Phis.
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      if (values[i].opcode === Op.Phi) removePhi(values[i], context, liveness);
    }
  }
  for (let s = 0; s < proc.snapshots.length; s++) {
    removeDeadValues(proc.snapshots[s].values, context, liveness);
  }
  const { order } = context.flow(proc);
  for (let b = order.length - 1; b >= 0; b--) removeDeadValues(order[b].values, context, liveness);
  return context.applications !== before;
}

function removePhi(phi: Value, context: OptimizeContext, liveness: ValueLiveness): void {
  if (liveness.isLive[phi.id] === 1 || !context.claim(NAME, phi)) return;
  const { upsilons } = liveness;
  for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
    upsilons.at(u).becomesNop();
  }
  phi.becomesConstant(0, 0);
}

// Removes the values that are not live; goes backward, because users come after their operands.
function removeDeadValues(
  values: readonly Value[],
  context: OptimizeContext,
  liveness: ValueLiveness,
): void {
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i];
    if (liveness.isLive[value.id] === 1 || value.opcode === Op.Nop) continue;
    if (EFFECTS[value.opcode] === WRITES_VARIABLE) continue; // it is removed with its Phi
    if (!context.claim(NAME, value)) return;
    value.becomesNop();
  }
}
