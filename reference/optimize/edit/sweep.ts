// Removes the leftovers of phases: copies, Nops, unreachable blocks, snapshots without guards.

import { type ControlFlow, UNREACHABLE } from "../../../src/ir/control-flow.js";
import { EFFECTS, EXITS, Op, WRITES_VARIABLE } from "../../../src/ir/opcodes.js";
import {
  type Procedure,
  rewriteSlots,
  type Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import { zeroedBytes } from "../../../src/support/program-arrays.js";

/** Returns the value at the end of a chain of copies. */
export function resolve(value: Value): Value {
  let at = value;
  while (at.opcode === Op.Identity && at.a !== null) at = at.a;
  return at;
}

/** Makes the operands of a value skip copies. */
export function resolveOperands(value: Value): void {
  const { a, b, c, rest } = value;
  if (a !== null && a.opcode === Op.Identity) value.a = resolve(a);
  if (b !== null && b.opcode === Op.Identity) value.b = resolve(b);
  if (c !== null && c.opcode === Op.Identity) value.c = resolve(c);
  if (rest !== null) for (let i = 0; i < rest.length; i++) rest[i] = resolve(rest[i]);
}

/**
 * Removes every Identity and Nop. Uses read the copied value, and blocks are compacted once.
 * Upsilons whose Phi is gone are removed too. Copies in the original program also disappear, which
 * is not counted as an application.
 */
export function sweep(proc: Procedure): void {
  const { blocks, snapshots } = proc;
  for (let b = 0; b < blocks.length; b++) sweepValues(blocks[b].values);
  for (let s = 0; s < snapshots.length; s++) {
    sweepValues(snapshots[s].values);
    rewriteSlots(snapshots[s], resolve);
  }
}

function sweepValues(values: Value[]): void {
  let kept = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const { opcode } = value;
    if (opcode === Op.Nop || opcode === Op.Identity) continue;
    if ((EFFECTS[opcode] & WRITES_VARIABLE) !== 0 && value.phi.opcode !== Op.Phi) continue;
    resolveOperands(value);
    values[kept++] = value;
  }
  if (kept < values.length) values.length = kept; // assigning the same length is expensive too
}

/**
 * Removes blocks that no path from the entry reaches; the next sweep removes the Upsilons to their
 * Phis.
 * @param flow the current control flow; out of date if the function returns true
 */
export function removeUnreachableBlocks(proc: Procedure, flow: ControlFlow): boolean {
  const { position, order } = flow;
  if (order.length === proc.blocks.length) return false;
  const kept = [];
  for (let b = 0; b < proc.blocks.length; b++) {
    const block = proc.blocks[b];
    if (position[b] !== UNREACHABLE) kept.push(block);
    else for (let i = 0; i < block.values.length; i++) block.values[i].becomesNop();
  }
  proc.blocks = kept;
  return true;
}

/**
 * Removes snapshots that no guard names. Between phases there are none. Uses by slots are counted
 * at guards, so a value in an unused snapshot would have no use, and removing it would leave an
 * undefined operand.
 */
export function removeUnusedSnapshots(proc: Procedure): void {
  const { snapshots } = proc;
  if (snapshots.length === 0) return;
  const isUsed = snapshotsInUse(proc);
  let kept = 0;
  for (let s = 0; s < snapshots.length; s++) {
    if (isUsed[snapshots[s].id] === 1) snapshots[kept++] = snapshots[s];
  }
  snapshots.length = kept;
}

/** Returns a snapshot that no guard names; null if there is none. */
export function unusedSnapshot(proc: Procedure): Snapshot | null {
  const isUsed = snapshotsInUse(proc);
  return proc.snapshots.find(({ id }) => isUsed[id] === 0) ?? null;
}

/** Returns by id of a snapshot: 1 if a guard names it. */
function snapshotsInUse({ blocks, snapshotIdEnd }: Procedure): Uint8Array {
  const isUsed = zeroedBytes(snapshotIdEnd);
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      if ((EFFECTS[values[i].opcode] & EXITS) !== 0) isUsed[values[i].snapshot.id] = 1;
    }
  }
  return isUsed;
}
