// Removes remains after an edit of a module.

import { analyzeControlFlow, UNREACHABLE } from "./control-flow.js";
import { CALLS, EFFECTS, KEEPS_ALIVE, Op } from "./opcodes.js";
import {
  forEachOperand,
  forEachSlotValue,
  type Module,
  Procedure,
  rewriteSlots,
  Snapshot,
  type Value,
} from "./procedure.js";

/**
 * Removes remains of an edit: Nops, Identities, unreachable blocks, unused snapshots, stack slots and procedures, and,
 * unless `keepsUnused`, unused values.
 */
export function tidy(module: Module, keepsUnused: boolean): void {
  for (const proc of module.procedures) {
    dropUnreachable(proc);
    dropOrphanedUpsilons(proc);
    forwardIdentities(proc);
    if (!keepsUnused) dropUnused(proc);
    compact(proc);
  }
  dropProcedures(module);
}

function dropUnreachable(proc: Procedure): void {
  const { position } = analyzeControlFlow(proc);
  proc.blocks = proc.blocks.filter((block) => position[block.index] !== UNREACHABLE);
}

// Removes Upsilons whose Phi became another value, or was in a removed block.
function dropOrphanedUpsilons(proc: Procedure): void {
  const phis = new Set<Value>();
  proc.forEachValue((value) => {
    if (value.opcode === Op.Phi) phis.add(value);
  });
  proc.forEachValue((value) => {
    if (value.opcode === Op.Upsilon && !phis.has(value.phi)) value.becomesNop();
  });
}

// In `uses`, which this file does not count: another value replaces this one.
const FORWARDED = -1;

/** Replaces every use of the value by `other` when the module is tidied. */
export function replaceBy(value: Value, other: Value): void {
  value.becomes(other);
  value.uses = FORWARDED;
}

function forwardIdentities(proc: Procedure): void {
  const target = (value: Value): Value => {
    let at = value;
    for (let steps = 0; at.uses === FORWARDED && at.a !== null; steps++) {
      if (steps > proc.valueIdEnd) return value; // a cycle, which the verifier rejects
      at = at.a;
    }
    return at;
  };
  const targetOrNull = (value: Value | null): Value | null => value && target(value);
  const forwarded: Value[] = [];
  proc.forEachValue((value) => {
    if (value.uses === FORWARDED) {
      forwarded.push(value);
      return;
    }
    value.a = targetOrNull(value.a);
    value.b = targetOrNull(value.b);
    value.c = targetOrNull(value.c);
    if (value.rest !== null) value.rest = value.rest.map(target);
  });
  for (const snapshot of proc.snapshots) rewriteSlots(snapshot, target);
  for (const value of forwarded) value.becomesNop();
}

function dropUnused(proc: Procedure): void {
  const live = new Set<Value>();
  const worklist: Value[] = [];
  const mark = (value: Value): void => {
    if (live.has(value)) return;
    live.add(value);
    worklist.push(value);
  };
  const upsilons: Value[] = [];
  for (const { values } of proc.blocks) {
    for (const value of values) {
      if (value.opcode === Op.Upsilon) upsilons.push(value);
      else if (keepsAlive(value)) mark(value);
    }
  }
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (let value = worklist.pop(); value !== undefined; value = worklist.pop()) {
      forEachOperand(value, mark);
      if (value.extra instanceof Snapshot) markSnapshot(value.extra, mark);
    }
    for (const upsilon of upsilons) {
      if (!live.has(upsilon) && live.has(upsilon.phi)) {
        mark(upsilon);
        isStable = false;
      }
    }
  }
  proc.forEachValue((value) => {
    if (!live.has(value)) value.becomesNop();
  });
}

function markSnapshot(snapshot: Snapshot, mark: (value: Value) => void): void {
  forEachSlotValue(snapshot, mark);
  for (const value of snapshot.values) if (keepsAlive(value)) mark(value);
}

function keepsAlive(value: Value): boolean {
  const effects = EFFECTS[value.opcode];
  return (effects & KEEPS_ALIVE) !== 0 || ((effects & CALLS) !== 0 && !value.isUnobserved);
}

function compact(proc: Procedure): void {
  const snapshots = new Set<Snapshot>();
  const slots = new Set<object>();
  for (const block of proc.blocks) {
    block.values = block.values.filter(({ opcode }) => opcode !== Op.Nop);
    for (const { extra, opcode } of block.values) {
      if (extra instanceof Snapshot) snapshots.add(extra);
      else if (opcode === Op.SlotBase && extra !== null) slots.add(extra);
    }
  }
  keep(proc.snapshots, (snapshot) => snapshots.has(snapshot));
  for (const { values, frames } of proc.snapshots) {
    keep(values, ({ opcode }) => opcode !== Op.Nop);
    for (const frame of frames) {
      for (const slot of frame.slots) if (slot.kind === "contents") slots.add(slot.slot);
    }
  }
  keep(proc.slots, (slot) => slots.has(slot));
}

// Removes the procedures that the entry does not reach by calls or exits. A procedure that only calls itself is
// removed.
function dropProcedures({ entry, procedures, continuations }: Module): void {
  const used = new Set([entry]);
  const exits = new Set<number>();
  for (const proc of used) {
    proc.forEachValue(({ extra }) => {
      if (extra instanceof Procedure) used.add(extra);
    });
    for (const { exit } of proc.snapshots) {
      exits.add(exit);
      for (const continuation of continuations.get(exit) ?? []) used.add(continuation);
    }
  }
  keep(procedures, (proc) => used.has(proc));
  for (const exit of [...continuations.keys()]) if (!exits.has(exit)) continuations.delete(exit);
}

/** Keeps the elements of an array, in place, for which `claim` holds. */
export function keep<T>(items: T[], claim: (item: T, index: number) => boolean): void {
  items.splice(0, items.length, ...items.filter(claim));
}
