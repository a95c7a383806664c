// Moves a store to the heap past the guards after it, into their exit blocks, if only these exits
// need it.
//
//   Store(x, p); Check(c) s0; Store(y, p)    ->    Check(c) s1; Store(y, p)
//                                                  s1 = s0 with Store(x, p) in its exit block
//
// Without an exit the later store overwrites the first one before it is read. An exit block
// executes before anything is observed, so the heap at the exit is the same. The moved store
// precedes the stores of the exit block, which came after it. No store or load between the two
// stores may overlap it. An exit that lists the bytes as dead gets no copy. Guards that share a
// snapshot with others get their own.
//
// Assumes a valid program, in any form of Phi. Considers one block at a time. Each moved store is
// one application.

import { EFFECTS, EXITS, READS_MEMORY, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Snapshot, Value } from "../../../src/ir/procedure.js";
import { AliasAnalysis, HEAP, readsAnyHeap } from "../analysis/alias.js";
import type { OptimizeContext } from "../edit/context.js";
import { copySnapshot } from "../edit/duplicate-blocks.js";
import { sweep } from "../edit/sweep.js";

const NAME = "sink-stores";
/** The maximum number of guards that a store is moved past, because each gets a copy of it. */
const GUARDS_MAX = 3;
/**
 * The maximum number of values between the two stores, because the search restarts at each store.
 */
const DISTANCE_MAX = 64;

export function sinkStores(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  if (!order.some(hasCandidate)) return false;
  const aliases = new AliasAnalysis(proc, { order }, context);
  const guards: Value[] = [];
  let changed = false;
  let hasBudget = true;
  for (let b = 0; b < order.length && hasBudget; b++) {
    const { values } = order[b];
    for (let i = 0; i < values.length && hasBudget; i++) {
      const store = values[i];
      if ((EFFECTS[store.opcode] & WRITES_MEMORY) === 0) continue;
      if (aliases.space[store.id] !== HEAP) continue;
      if (!findGuards(values, i, aliases, guards)) continue;
      hasBudget = context.claim(NAME, store);
      if (!hasBudget) continue;
      sink(proc, store, guards, aliases);
      changed = true;
    }
  }
  if (changed) sweep(proc);
  return changed;
}

// Returns whether the block has a guard between two stores; most blocks have none.
function hasCandidate({ values }: BasicBlock): boolean {
  let isAfterStore = false;
  let isAfterGuard = false;
  for (let i = 0; i < values.length; i++) {
    const effects = EFFECTS[values[i].opcode];
    if ((effects & EXITS) !== 0) isAfterGuard = isAfterStore;
    else if ((effects & WRITES_MEMORY) === 0) continue;
    else if (isAfterGuard) return true;
    else isAfterStore = true;
  }
  return false;
}

/**
 * Collects the guards between the store at position `at` and a store that overwrites all of it.
 * Returns false if there is no such store, no guard or too many guards, or if another value may
 * read or overwrite a part of the bytes.
 */
function findGuards(
  values: readonly Value[],
  at: number,
  aliases: AliasAnalysis,
  guards: Value[],
): boolean {
  const store = values[at];
  const end = Math.min(values.length, at + DISTANCE_MAX);
  guards.length = 0;
  for (let i = at + 1; i < end; i++) {
    const value = values[i];
    const effects = EFFECTS[value.opcode];
    if ((effects & EXITS) !== 0 && !readsAnyHeap(value)) {
      if (guards.push(value) > GUARDS_MAX) return false;
    } else if ((effects & WRITES_MEMORY) !== 0) {
      if (aliases.covers(value, store)) return guards.length > 0;
      if (aliases.mayOverlap(value, store)) return false;
    } else if ((effects & READS_MEMORY) !== 0) {
      if (aliases.mayOverlap(value, store)) return false;
    } else if (readsAnyHeap(value)) return false;
  }
  return false;
}

function sink(
  proc: Procedure,
  store: Value,
  guards: readonly Value[],
  aliases: AliasAnalysis,
): void {
  const copies = new Map<Snapshot, Snapshot>();
  for (const guard of guards) {
    const old = guard.snapshot;
    if (aliases.isDeadAtExit(store, old)) continue;
    const snapshot = copies.get(old) ?? copySnapshot(proc, old, (value) => value);
    if (!copies.has(old)) insertStore(proc, snapshot, store);
    copies.set(old, snapshot);
    guard.extra = snapshot;
  }
  store.becomesNop();
}

function insertStore(proc: Procedure, { values }: Snapshot, store: Value): void {
  const twin = proc.newValue(store.opcode, store.type, store.a, store.b);
  twin.takeImmediates(store);
  const first = values.findIndex(({ opcode }) => (EFFECTS[opcode] & WRITES_MEMORY) !== 0);
  values.splice(first < 0 ? values.length : first, 0, twin);
}
